/**
 * The listening sockets of a program, one per bind address. Addresses are written as in redis.conf: `*`
 * for every IPv4 one, `::*` for every IPv6 one, and a leading `-` for "if there is such an address".
 */
import { createServer, type Server, Socket } from 'node:net'
import { hostAndPort } from '../../base/ip.ts'
import { systemReason } from '../files/acl-file.ts'
import { reasonOf, StartError, type StartErrorCode } from '../start-error.ts'
import type { Tls } from '../tls/tls.ts'
import { TlsAcceptor } from '../tls/tls-acceptor.ts'
import { openUnixDoor, type UnixDoor } from './unix-door.ts'

export interface ListenOptions {
  /** None: only the Unix socket is open, and there must be one. */
  readonly addresses: readonly string[]
  /** 0 for none, if there is a port for TLS. */
  readonly port: number
  /** Listens on its port as well, if that is not 0. */
  readonly tls?: Tls | undefined
  /** [unixsocket] Listens there as well. */
  readonly unix?: UnixDoor | undefined
  /** [tcp-backlog] How many connections may wait to be accepted; BACKLOG unless given. */
  readonly backlog?: number | undefined
}

export interface Listener {
  /** Hands over every connection, beginning with those that came before this call. */
  accept(take: (socket: Socket) => void): void
  /** Stops accepting; existing connections stay. */
  close(): void
}

/** Starts to listen on every address, or on none: then a StartError says which one failed and why. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { addresses, port, tls, unix } = options
  // Node takes 0 for its own default.
  const backlog = Math.max(1, options.backlog ?? BACKLOG)
  prepareSockets()
  const inbox = new Inbox()
  const doors = addresses.length === 0 ? [] : doorsOf(port, tls, inbox)
  if (doors.length === 0 && unix === undefined) throw addresses.length === 0 ? noBind() : noPort()
  const servers: Server[] = []
  const close = () => {
    for (const server of servers) server.close()
  }
  for (const door of doors) {
    try {
      servers.push(...(await openDoor(addresses, door, backlog)))
    } catch (error) {
      close()
      throw error
    }
  }
  try {
    if (unix !== undefined)
      servers.push(await openUnixDoor(unix, backlog, (socket) => inbox.put(socket)))
  } catch (error) {
    close()
    throw error
  }
  return { accept: (take) => inbox.open(take), close }
}

/**
 * Node copies the options of each socket. The engine of Node 20 gives each copy a shape of its own, which no code has seen
 * before, as long as all options are alike: to make a socket takes 9 us. Once it has seen several kinds, copies are alike
 * as well, and it takes 0.5. It notes what it sees after a function has run a few times. Node 24 needs none of this, and it
 * does no harm there.
 */
function prepareSockets(): void {
  if (areSocketsPrepared) return
  areSocketsPrepared = true
  for (let times = 0; times < 8; times++)
    for (const kind of ['a', 'b', 'c', 'd', 'e', 'f']) void new Socket({ [kind]: true })
}

let areSocketsPrepared = false

/** A port, and what to do with connections to it. */
interface Door {
  readonly port: number
  readonly enter: (socket: Socket) => void
}

function doorsOf(port: number, tls: Tls | undefined, inbox: Inbox): readonly Door[] {
  const plain: Door = { port, enter: (socket) => inbox.put(socket) }
  if (tls === undefined || tls.port === 0) return port === 0 ? [] : [plain]
  if (port === tls.port) throw samePort(port)
  const acceptor = new TlsAcceptor({
    contexts: () => tls.contexts,
    log: tls.log,
    ready: (socket) => inbox.put(socket),
  })
  const secured: Door = { port: tls.port, enter: (socket) => acceptor.take(socket) }
  return port === 0 ? [secured] : [plain, secured]
}

/** Listens on every address, or closes what it has opened and throws. */
async function openDoor(
  addresses: readonly string[],
  door: Door,
  backlog: number,
): Promise<Server[]> {
  const servers: Server[] = []
  for (const bind of addresses.map(parseBindAddress)) {
    const opened = await open(bind.host, door.port, door.enter, backlog)
    if (!(opened instanceof Error)) {
      servers.push(opened)
    } else if (!bind.optional || !isUnavailable(opened)) {
      for (const server of servers) server.close()
      throw listenFailure(opened, bind.host, door.port)
    }
  }
  if (servers.length === 0) throw noAddress(addresses)
  return servers
}

/** An address of `bind` that this machine cannot listen on. */
export interface UnusableBind {
  readonly address: string
  /** In words if it is the usual one: the address of another machine. */
  readonly reason: string
}

/** Tries each address at a port that the kernel chooses, so that a running program is not in the way. */
export async function unusableBinds(
  addresses: readonly string[],
): Promise<readonly UnusableBind[]> {
  const tried = addresses.map(async (address): Promise<UnusableBind | undefined> => {
    const { host, optional } = parseBindAddress(address)
    const opened = await open(host, 0, (socket) => socket.destroy())
    if (!(opened instanceof Error)) {
      opened.close()
      return undefined
    }
    if (optional && isUnavailable(opened)) return undefined
    const reason = isUnavailable(opened) ? 'this machine has no such address' : reasonOf(opened)
    return { address, reason }
  })
  return (await Promise.all(tried)).filter((found) => found !== undefined)
}

/** Holds connections that come before the program is ready for them. */
class Inbox {
  #waiting: Socket[] = []
  #take: ((socket: Socket) => void) | undefined

  put(socket: Socket): void {
    // A connection may break before it is taken; its close event says the same.
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

/**
 * How many connections may wait to be accepted: the kernel's own limit (somaxconn) is usually the same. After a fault all
 * clients may come back at once, and one that finds no place tries again a second later. Redis has 511, and accepts a
 * thousand at once; Node accepts one after the other.
 */
export const BACKLOG = 4096

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
  backlog = BACKLOG,
): Promise<Server | Error> {
  const server = createServer(onConnection)
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen({ host, port, ipv6Only: true, backlog }, () => {
      server.removeListener('error', resolve)
      // Out of descriptors: the connection is refused, the existing ones go on.
      server.on('error', () => undefined)
      resolve(server)
    })
  })
}

function isUnavailable(error: NodeJS.ErrnoException): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'EPROTONOSUPPORT'].includes(error.code ?? '')
}

/** Why a port could not be opened, in words and with what to do. */
export function listenFailure(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
): StartError {
  const where = hostAndPort(host, port)
  const { code, reason, hint } = listenRemedy(error)
  const bind = `bind: ${systemReason(error)}`
  const logLine = `Warning: Could not create server TCP listening socket ${where}: ${bind}`
  return new StartError(code, `cannot listen on ${where}: ${reason}`, hint, logLine)
}

interface ListenRemedy {
  readonly code: StartErrorCode
  readonly reason: string
  readonly hint: string
}

function listenRemedy(error: NodeJS.ErrnoException): ListenRemedy {
  if (error.code === 'EADDRINUSE') {
    return {
      code: 'E_ADDRESS_IN_USE',
      reason: 'another process is listening there',
      hint: 'stop that process, or choose another port with --port',
    }
  }
  if (isUnavailable(error)) {
    return {
      code: 'E_ADDRESS_UNAVAILABLE',
      reason: 'this machine has no such address',
      hint: 'bind to an address of this machine, or to * for all of them',
    }
  }
  if (error.code === 'EMFILE' || error.code === 'ENFILE') {
    const hint = 'raise the limit (ulimit -n, LimitNOFILE of the unit)'
    return { code: 'E_LISTEN', reason: `too many open files (${error.code})`, hint }
  }
  if (error.code === 'EACCES') {
    const hint = 'ports below 1024 need privileges; choose another port with --port'
    return { code: 'E_LISTEN', reason: 'not permitted', hint }
  }
  return { code: 'E_LISTEN', reason: error.message, hint: 'check bind and port' }
}

function noAddress(addresses: readonly string[]): StartError {
  return new StartError(
    'E_ADDRESS_UNAVAILABLE',
    `cannot listen: none of ${addresses.join(' ')} is an address of this machine`,
    'bind to an address of this machine, or to * for all of them',
  )
}

function noBind(): StartError {
  return new StartError(
    'E_LISTEN',
    'cannot listen: bind names no address',
    'name an address of this machine, or * for all of them',
  )
}

function samePort(port: number): StartError {
  return new StartError(
    'E_LISTEN',
    `cannot listen: port and tls-port are both ${port}`,
    'give each its own, or set port to 0 for TLS only',
  )
}

function noPort(): StartError {
  return new StartError(
    'E_LISTEN',
    'cannot listen: the port is 0, and so is tls-port',
    'choose a port with --port',
  )
}
