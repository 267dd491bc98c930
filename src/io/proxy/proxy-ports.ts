/**
 * The ports and Unix sockets of a proxy. A reload opens those that are new, closes those that are gone, and leaves
 * every connection that is there alone.
 */
import { rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import type { ProxyEntrances, ProxyFile } from '../../config/proxy-file.ts'
import type { Entrance } from '../../proxy/port.ts'
import { BACKLOG, listen } from '../network/listener.ts'
import { reasonOf, StartError } from '../start-error.ts'
import type { Tls } from '../tls/tls.ts'
import { TlsAcceptor } from '../tls/tls-acceptor.ts'

export interface ProxyPortsOptions {
  readonly tls: Tls
  readonly accept: (entrance: Entrance, socket: Socket) => void
}

/** Only a reload can come here: its certificate was refused, and a line before says why. */
const NO_CERTIFICATE = new StartError(
  'E_TLS',
  'tls of the proxy needs a certificate, and none is in use',
  'set cert-file and key-file below tls; the line about TLS before this one says what is wrong with them',
)

interface Open {
  readonly entrance: Entrance
  close(): void
}

/** One place to listen at, and what comes in there. */
interface Door {
  readonly key: string
  readonly entrance: Entrance
  readonly port: number
  readonly path: string
}

export class ProxyPorts {
  readonly #options: ProxyPortsOptions
  readonly #open = new Map<string, Open>()
  /** Whether clients at the ports speak TLS; it may change while they are open. */
  #hasTls = false

  constructor(options: ProxyPortsOptions) {
    this.#options = options
  }

  /** Listens where the file says, and nowhere else. Throws a StartError, and then nothing has changed. */
  async change(file: ProxyFile): Promise<void> {
    if (file.hasTls && !this.#options.tls.isInUse) throw NO_CERTIFICATE
    const doors = file.groups.flatMap(doorsOf)
    const added: [string, Open][] = []
    try {
      for (const door of doors) {
        if (!this.#open.has(door.key)) added.push([door.key, await this.#listen(door, file)])
      }
    } catch (error) {
      for (const [, open] of added) open.close()
      throw error
    }
    this.#hasTls = file.hasTls
    const wanted = new Set(doors.map(({ key }) => key))
    for (const [key, open] of this.#open) {
      if (wanted.has(key)) continue
      open.close()
      this.#open.delete(key)
    }
    for (const [key, open] of added) this.#open.set(key, open)
  }

  close(): void {
    for (const open of this.#open.values()) open.close()
    this.#open.clear()
  }

  async #listen({ entrance, port, path }: Door, file: ProxyFile): Promise<Open> {
    const take = (socket: Socket) => this.#options.accept(entrance, socket)
    if (path !== '') return { entrance, close: await listenAt(path, take) }
    const listener = await listen({ addresses: file.bind, port })
    listener.accept(this.#taker(take))
    return { entrance, close: () => listener.close() }
  }

  #taker(take: (socket: Socket) => void): (socket: Socket) => void {
    const { tls } = this.#options
    const acceptor = new TlsAcceptor({ contexts: () => tls.contexts, log: tls.log, ready: take })
    return (socket) => {
      if (!this.#hasTls) take(socket)
      else if (tls.isInUse) acceptor.take(socket)
      else socket.destroy()
    }
  }
}

function doorsOf({
  name,
  port,
  readPort,
  socket,
  readSocket,
  readsHeader,
}: ProxyEntrances): Door[] {
  const door = (kind: Entrance['kind'], at: number, path: string): Door[] => {
    if (at === 0 && path === '') return []
    const entrance = { group: name, kind, readsHeader: readsHeader && path === '' }
    return [{ key: JSON.stringify([entrance, at, path]), entrance, port: at, path }]
  }
  return [
    ...door('write', port, ''),
    ...door('read', readPort, ''),
    ...door('write', 0, socket),
    ...door('read', 0, readSocket),
  ]
}

/** Replaces a socket at which no process listens any more. */
function listenAt(path: string, take: (socket: Socket) => void): Promise<() => void> {
  const server = createServer(take)
  return new Promise((resolve, reject) => {
    let isSecondTry = false
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || isSecondTry) return reject(noSocket(path, error))
      isSecondTry = true
      whetherAlive(path, (isAlive) => {
        if (isAlive) return reject(noSocket(path, error))
        rmSync(path, { force: true })
        server.listen({ path, backlog: BACKLOG })
      })
    })
    server.listen({ path, backlog: BACKLOG }, () => resolve(() => void server.close()))
  })
}

function whetherAlive(path: string, tell: (isAlive: boolean) => void): void {
  const socket = connect(path)
  socket.once('connect', () => {
    socket.destroy()
    tell(true)
  })
  socket.once('error', () => tell(false))
}

function noSocket(path: string, error: Error): StartError {
  return new StartError(
    'E_LISTEN',
    `cannot listen at the socket ${path}: ${reasonOf(error)}`,
    'stop what listens there, or choose another path in a folder this user may write to',
  )
}
