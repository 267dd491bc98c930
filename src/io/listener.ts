/**
 * The listening sockets of a program, one per bind address. Addresses are written as in redis.conf: `*`
 * for every IPv4 one, `::*` for every IPv6 one, and a leading `-` for "if there is such an address".
 */
import { createServer, type Server, type Socket } from 'node:net'
import { StartError } from './start-error.ts'

export interface ListenOptions {
  readonly addresses: readonly string[]
  readonly port: number
}

export interface Listener {
  /** Hands over every connection, those that came in the meantime first. */
  accept(take: (socket: Socket) => void): void
  /** Stops accepting; connections that stand are not touched. */
  close(): void
}

/** Starts to listen on every address, or on none: a StartError says which one failed and why. */
export async function listen({ addresses, port }: ListenOptions): Promise<Listener> {
  if (port === 0) throw noPort()
  const inbox = new Inbox()
  const servers: Server[] = []
  const close = () => {
    for (const server of servers) server.close()
  }
  for (const bind of addresses.map(parseBindAddress)) {
    const opened = await open(bind.host, port, (socket) => inbox.put(socket))
    if (!(opened instanceof Error)) {
      servers.push(opened)
    } else if (!bind.optional || !isUnavailable(opened)) {
      close()
      throw explain(opened, bind.host, port)
    }
  }
  if (servers.length === 0) throw noAddress(addresses)
  return { accept: (take) => inbox.open(take), close }
}

/** Connections may come before the program is ready for them. */
class Inbox {
  #waiting: Socket[] = []
  #take: ((socket: Socket) => void) | undefined

  put(socket: Socket): void {
    // A connection may break before anybody looks at it; its close event tells the same.
    socket.on('error', () => undefined)
    if (this.#take === undefined) this.#waiting.push(socket)
    else this.#take(socket)
  }

  open(take: (socket: Socket) => void): void {
    this.#take = take
    for (const socket of this.#waiting) take(socket)
    this.#waiting = []
  }
}

/** [tcp-backlog] */
const BACKLOG = 511

interface BindAddress {
  readonly host: string
  readonly optional: boolean
}

function parseBindAddress(text: string): BindAddress {
  const optional = text.startsWith('-')
  const host = optional ? text.slice(1) : text
  if (host === '*') return { host: '0.0.0.0', optional }
  return { host: host === '::*' ? '::' : host, optional }
}

function open(
  host: string,
  port: number,
  onConnection: (socket: Socket) => void,
): Promise<Server | Error> {
  const server = createServer(onConnection)
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen({ host, port, ipv6Only: true, backlog: BACKLOG }, () => {
      server.removeListener('error', resolve)
      // Out of descriptors: the connection is refused, the ones that stand go on.
      server.on('error', () => undefined)
      resolve(server)
    })
  })
}

function isUnavailable(error: NodeJS.ErrnoException): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'EPROTONOSUPPORT'].includes(error.code ?? '')
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): StartError {
  const where = `${host}:${port}`
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      'E_ADDRESS_IN_USE',
      `cannot listen on ${where}: another process is listening there`,
      'stop that process, or choose another port with --port',
    )
  }
  if (isUnavailable(error)) {
    return new StartError(
      'E_ADDRESS_UNAVAILABLE',
      `cannot listen on ${where}: this machine has no such address`,
      'bind to an address of this machine, or to * for all of them',
    )
  }
  if (error.code === 'EACCES') {
    return new StartError(
      'E_LISTEN',
      `cannot listen on ${where}: not permitted`,
      'ports below 1024 need privileges; choose another port with --port',
    )
  }
  return new StartError(
    'E_LISTEN',
    `cannot listen on ${where}: ${error.message}`,
    'check bind and port',
  )
}

function noAddress(addresses: readonly string[]): StartError {
  return new StartError(
    'E_ADDRESS_UNAVAILABLE',
    `cannot listen: none of ${addresses.join(' ')} is an address of this machine`,
    'bind to an address of this machine, or to * for all of them',
  )
}

function noPort(): StartError {
  return new StartError('E_LISTEN', 'cannot listen: the port is 0', 'choose a port with --port')
}
