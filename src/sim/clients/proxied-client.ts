/**
 * An application with a proxy in its own process, as a sidecar: it knows no Sentinels, connects to the proxy, and the
 * machine of production decides where its commands go. Between the two lies no network, so that what is lost is
 * lost behind the proxy.
 */
import type { Address } from '../../base/ip.ts'
import type { Occurrence } from '../../history/happening.ts'
import type { WireId } from '../../proxy/port.ts'
import { ProxyMachine } from '../../proxy/proxy.ts'
import { DEFAULT_PROXY, DEFAULT_TIMING } from '../../proxy/proxy-options.ts'
import type { SocketEnds, SocketHandler } from '../network/socket.ts'
import type { Program } from '../processes/process.ts'
import type { Shell, ShellConnection } from '../processes/shell.ts'
import { ClientProgram, type ClientStart } from './client-program.ts'

/** What the application takes for its master. No host of a run has this name. */
const OWN_PROXY: Address = { host: '*proxy*', port: 6400 }

const CONNECT_TIMEOUT_MS = 60_000
const ENDS: SocketEnds = {
  ...{ localHost: '127.0.0.1', localPort: 40_000, remoteHost: '127.0.0.1', remotePort: 6400 },
}

export interface ProxiedClientStart extends ClientStart {
  /** Tells when bytes of this client leave the proxy for a node. */
  readonly tell: (occurrence: Occurrence) => void
}

export class ProxiedClient implements Program {
  readonly #shell: ProxiedShell
  readonly #client: ClientProgram

  constructor(start: ProxiedClientStart) {
    this.#shell = new ProxiedShell(start)
    const heardFrom = () => this.#shell.heardFrom
    this.#client = new ClientProgram({ ...start, shell: this.#shell, proxy: OWN_PROXY, heardFrom })
  }

  wake(): void {
    this.#shell.wake()
    this.#client.wake()
  }

  nextWakeUpMs(): number | undefined {
    const [own, client] = [this.#shell.nextWakeUpMs(), this.#client.nextWakeUpMs()]
    return Math.min(own, client ?? Number.POSITIVE_INFINITY)
  }

  stopRequested(): void {
    this.#client.stopRequested()
  }
}

interface ServerWire {
  readonly to: Address
  readonly wire: ShellConnection
}

/** A shell in which the application's own connections lead to the proxy; looks beside go to the nodes themselves. */
class ProxiedShell implements Shell {
  readonly #start: ProxiedClientStart
  readonly #proxy: ProxyMachine
  /** Until the application has heard of the end, or has made it. */
  readonly #clients = new Map<WireId, SocketHandler>()
  /** Those that the proxy has not closed. */
  readonly #open = new Set<WireId>()
  readonly #servers = new Map<WireId, ServerWire>()
  /** What the application is told, as soon as it has returned. */
  #due: (() => void)[] = []
  #lastClient = 0
  /** The node whose bytes the proxy takes at this moment: what it writes to the application meanwhile comes from there. */
  #readsFrom: string | undefined
  #heardFrom: string | undefined

  constructor(start: ProxiedClientStart) {
    this.#start = start
    const { sentinels, password = '' } = start
    this.#proxy = new ProxyMachine(
      {
        ...{ ...DEFAULT_TIMING, sentinels, password, user: '', usesTls: false, sendProxy: 0 },
        groups: [{ name: start.group, hasReadPort: false }],
        maxClients: DEFAULT_PROXY.maxClients,
      },
      {
        write: (id, bytes) => this.#written(id, bytes),
        queuedBytes: () => 0,
        pause: () => undefined,
        resume: () => undefined,
        close: (id) => this.#closed(id),
        connect: (id, host, port) => this.#connect(id, { host, port }),
        log: () => undefined,
        exit: () => undefined,
      },
      start.shell.now(),
    )
  }

  get name(): string {
    return this.#start.shell.name
  }

  /** The node whose answer the application is told at this moment. */
  get heardFrom(): string | undefined {
    return this.#heardFrom
  }

  get life(): number {
    return this.#start.shell.life
  }

  now() {
    return this.#start.shell.now()
  }

  exit(): void {
    this.#start.shell.exit()
  }

  wake(): void {
    const due = this.#due
    this.#due = []
    for (const next of due) next()
    if ((this.#proxy.nextWakeUpMs() ?? 0) <= this.now().monoMs) this.#proxy.wake(this.now())
  }

  nextWakeUpMs(): number {
    if (this.#due.length > 0) return this.now().monoMs
    return this.#proxy.nextWakeUpMs() ?? Number.POSITIVE_INFINITY
  }

  connect(host: string, port: number, timeoutMs: number, handler: SocketHandler): ShellConnection {
    if (host !== OWN_PROXY.host) return this.#start.shell.connect(host, port, timeoutMs, handler)
    const id = ++this.#lastClient
    this.#clients.set(id, handler)
    this.#open.add(id)
    const entrance = { group: this.#start.group, kind: 'write', readsHeader: false } as const
    this.#proxy.accepted(this.now(), id, entrance, ENDS)
    this.#due.push(() => this.#clients.get(id)?.connected())
    return {
      write: (bytes: string) => {
        this.#due.push(() => {
          if (this.#isShared(id)) this.#proxy.received(this.now(), id, bytes)
        })
      },
      closeSending: () => {
        this.#due.push(() => {
          if (this.#isShared(id)) this.#proxy.halfClosed(this.now(), id)
        })
      },
      close: () => {
        if (this.#clients.delete(id)) this.#due.push(() => this.#left(id))
      },
    }
  }

  /** Neither side has closed it. */
  #isShared(id: WireId): boolean {
    return this.#clients.has(id) && this.#open.has(id)
  }

  #left(id: WireId): void {
    if (this.#open.delete(id)) this.#proxy.closed(this.now(), id, 'closed by the other side')
  }

  #written(id: WireId, bytes: string): void {
    if (id > 0) return this.#answered(id, bytes, this.#readsFrom)
    const server = this.#servers.get(id)
    if (server === undefined) return
    server.wire.write(bytes)
    const { group, tell } = this.#start
    if (this.#proxy.carriesClient(id)) tell({ kind: 'forwarded', group, node: server.to })
  }

  #answered(id: WireId, bytes: string, from: string | undefined): void {
    this.#due.push(() => {
      this.#heardFrom = from
      this.#clients.get(id)?.received(bytes)
      this.#heardFrom = undefined
    })
  }

  #closed(id: WireId): void {
    if (this.#open.delete(id)) this.#due.push(() => this.#heardEnd(id))
    this.#servers.get(id)?.wire.close()
    this.#servers.delete(id)
  }

  /** Behind all that was written before. */
  #heardEnd(id: WireId): void {
    const handler = this.#clients.get(id)
    this.#clients.delete(id)
    handler?.closed('closed by the proxy')
  }

  #connect(id: WireId, to: Address): void {
    const name = this.#start.log.nameOf(to)
    const wire = this.#start.shell.connect(to.host, to.port, CONNECT_TIMEOUT_MS, {
      connected: () => this.#proxy.connected(this.now(), id),
      received: (bytes) => {
        if (!this.#servers.has(id)) return
        this.#readsFrom = name
        this.#proxy.received(this.now(), id, bytes)
        this.#readsFrom = undefined
      },
      closed: (reason) => {
        if (this.#servers.delete(id)) this.#proxy.closed(this.now(), id, reason)
      },
    })
    this.#servers.set(id, { to, wire })
  }
}
