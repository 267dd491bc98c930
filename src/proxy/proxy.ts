/**
 * The proxy as a machine without I/O: it watches the Sentinels, keeps a session for each client, and tells every
 * session when the master of its group has changed. It believes no single Sentinel (master-view.ts), and forwards to
 * nothing that is not confirmed at this moment.
 */
import type { Moment } from '../base/clock.ts'
import { type Address, hostAndPort } from '../base/ip.ts'
import { ScriptShelf } from './carried-scripts.ts'
import { CommandKinds } from './command-kinds.ts'
import { GroupWatch } from './group-watch.ts'
import { PlainCommands } from './plain-commands.ts'
import type { ClientEnds, Entrance, ProxyInputs, ProxyPort, WireId } from './port.ts'
import type { ProxiedGroup } from './proxied-group.ts'
import { PROXY_HEADER_UNEXPECTED, unknownProxyCommand } from './proxy-errors.ts'
import { readProxyHeader, writeProxyHeader } from './proxy-header.ts'
import { type ProxyFacts, proxyHelp, proxyInfo } from './proxy-info.ts'
import { ProxyJournal } from './proxy-journal.ts'
import type { ProxyConfig } from './proxy-options.ts'
import { Session } from './session.ts'
import type { ProxyCounts, SessionHome } from './session-home.ts'

/** Sessions that wait for something are looked at this often. */
const TICK_MS = 5
const HEADER_MS = 5_000

/** A connection whose PROXY header has not arrived. */
interface Unnamed {
  readonly entrance: Entrance
  readonly ends: ClientEnds
  readonly sinceMs: number
  bytes: string
}

export class ProxyMachine implements ProxyInputs, ProxyFacts {
  #config: ProxyConfig
  readonly #port: ProxyPort
  readonly #kinds = new CommandKinds()
  readonly #plain = new PlainCommands(this.#kinds)
  readonly #shelf = new ScriptShelf()
  watch: GroupWatch
  readonly counts: ProxyCounts = newCounts()
  readonly #home: SessionHome
  readonly #clients = new Map<WireId, Session>()
  readonly #servers = new Map<WireId, Session>()
  readonly #unnamed = new Map<WireId, Unnamed>()
  /** Sessions that wait for something. */
  readonly #attended = new Set<Session>()
  #lastId = 0
  #nowMs: number
  #startedMs: number
  #tickAtMs: number | undefined
  /** When the watch wants to be woken; undefined once anything may have changed that. */
  #watchMs: number | undefined
  #stopAtMs: number | undefined
  #hasExited = false
  readonly #journal: ProxyJournal | undefined

  constructor(config: ProxyConfig, port: ProxyPort, now: Moment) {
    this.#config = config
    this.#port = port
    this.#nowMs = now.monoMs
    this.#journal = port.note && new ProxyJournal(port.note, now)
    this.#startedMs = now.monoMs
    this.watch = this.#watchFor(config)
    this.#home = this.#sessionHome()
    this.watch.wake(this.#nowMs)
  }

  get clients(): number {
    return this.#clients.size
  }

  /** Clients of which commands wait for a master. */
  get holding(): number {
    let holding = 0
    for (const session of this.#attended) if (session.isHolding) holding++
    return holding
  }

  get sentinels(): GroupWatch['sentinels'] {
    return this.watch.sentinels
  }

  get groups(): readonly ProxiedGroup[] {
    return [...this.watch.groups.values()]
  }

  /** Whether it is a connection to a data node that carries the commands of a client. */
  carriesClient(stream: WireId): boolean {
    return this.#servers.has(stream)
  }

  get uptimeMs(): number {
    return this.#nowMs - this.#startedMs
  }

  get nowMs(): number {
    return this.#nowMs
  }

  get isStopping(): boolean {
    return this.#stopAtMs !== undefined
  }

  accepted(now: Moment, stream: WireId, entrance: Entrance, ends: ClientEnds): void {
    this.#turn(now)
    const isFull = this.#clients.size + this.#unnamed.size >= this.#config.maxClients
    if (isFull || this.isStopping) {
      if (isFull) this.#port.write(stream, '-ERR max number of clients reached\r\n')
      return this.#port.close(stream)
    }
    if (!entrance.readsHeader) return this.#open(stream, entrance, ends)
    this.#unnamed.set(stream, { entrance, ends, sinceMs: now.monoMs, bytes: '' })
  }

  connected(now: Moment, stream: WireId): void {
    this.#turn(now)
    const session = this.#servers.get(stream)
    if (session !== undefined) session.server.connected(now.monoMs)
    else {
      this.#watchMs = undefined
      this.watch.connected(stream, now.monoMs)
    }
  }

  received(now: Moment, stream: WireId, bytes: string): void {
    this.#turn(now)
    const isFromClient = stream > 0
    const session = (isFromClient ? this.#clients : this.#servers).get(stream)
    if (session === undefined) return this.#receivedOther(now, stream, bytes)
    if (!isFromClient) return session.server.received(now.monoMs, bytes)
    if (session.isNew && isProxyHeader(bytes)) return session.end(PROXY_HEADER_UNEXPECTED)
    session.received(now.monoMs, bytes)
  }

  #receivedOther(now: Moment, stream: WireId, bytes: string): void {
    this.#watchMs = undefined
    if (this.#unnamed.has(stream)) this.#header(stream, bytes)
    else this.watch.received(stream, now.monoMs, bytes)
  }

  closed(now: Moment, stream: WireId, reason: string): void {
    this.#turn(now)
    this.#unnamed.delete(stream)
    const client = this.#clients.get(stream)
    if (client !== undefined) return client.closed()
    const server = this.#servers.get(stream)
    if (server !== undefined) server.server.closed(now.monoMs)
    else {
      this.#watchMs = undefined
      this.watch.closed(stream, now.monoMs, reason)
    }
  }

  halfClosed(now: Moment, stream: WireId): void {
    const client = this.#clients.get(stream)
    this.#turn(now)
    if (client !== undefined) return client.leaves(now.monoMs)
    this.#port.close(stream)
    this.closed(now, stream, 'closed by the other side')
  }

  drained(now: Moment, stream: WireId): void {
    this.#turn(now)
    const session = this.#clients.get(stream) ?? this.#servers.get(stream)
    session?.drained(now.monoMs)
  }

  wake(now: Moment): void {
    this.#turn(now)
    this.#tickAtMs = undefined
    this.#watchMs = undefined
    this.#journal?.wake(this)
    this.watch.wake(now.monoMs)
    for (const session of [...this.#attended]) session.pump(now.monoMs)
    for (const [stream, { sinceMs }] of this.#unnamed) {
      if (now.monoMs - sinceMs < HEADER_MS) continue
      this.#unnamed.delete(stream)
      this.#port.close(stream, true)
    }
    this.#endDraining()
  }

  /** With other Sentinels or groups nothing is confirmed until they have answered: commands wait so long. */
  reconfigured(now: Moment, config: ProxyConfig): void {
    this.#turn(now)
    const isSame = JSON.stringify(watched(config)) === JSON.stringify(watched(this.#config))
    this.#config = config
    if (isSame) return
    this.#watchMs = undefined
    this.watch.end()
    this.watch = this.#watchFor(config)
    this.watch.wake(now.monoMs)
  }

  stopRequested(now: Moment): void {
    this.#turn(now)
    if (this.isStopping) return this.#exit()
    this.#stopAtMs = now.monoMs + this.#config.drainMs
    this.#journal?.stopping(this.#clients.size)
    this.#port.log('notice', `stopping: ${this.#clients.size} clients finish what they have begun`)
    for (const session of [...this.#clients.values()]) session.drain(now.monoMs)
    this.#endDraining()
  }

  nextWakeUpMs(): number | undefined {
    if (this.#hasExited) return undefined
    this.#watchMs ??= this.watch.nextMs(this.#nowMs)
    let nextMs = this.#watchMs
    if (this.#journal !== undefined) nextMs = Math.min(nextMs, this.#journal.nextLookMs)
    if (this.#attended.size > 0) {
      this.#tickAtMs ??= this.#nowMs + TICK_MS
      nextMs = Math.min(nextMs, this.#tickAtMs)
    }
    return this.#stopAtMs === undefined ? nextMs : Math.min(nextMs, this.#stopAtMs)
  }

  #turn(now: Moment): void {
    this.#nowMs = now.monoMs
    this.#journal?.turnBegins(now)
  }

  #watchFor(config: ProxyConfig): GroupWatch {
    return new GroupWatch({
      config,
      port: this.#port,
      nextId: () => --this.#lastId,
      nowMs: () => this.#nowMs,
      announce: (group) => this.#announce(group),
      changed: (group) => this.#changed(group),
    })
  }

  #open(stream: WireId, entrance: Entrance, ends: ClientEnds): void {
    this.#clients.set(stream, new Session(this.#home, stream, entrance, ends))
  }

  #header(stream: WireId, bytes: string): void {
    const unnamed = this.#unnamed.get(stream)
    if (unnamed === undefined) return
    unnamed.bytes += bytes
    const reading = readProxyHeader(unnamed.bytes)
    if (reading.kind === 'waiting') return
    this.#unnamed.delete(stream)
    if (reading.kind === 'wrong') {
      const from = hostAndPort(unnamed.ends.remoteHost, unnamed.ends.remotePort)
      this.#port.log('verbose', `${from} is turned away: ${reading.reason}`)
      return this.#port.close(stream, true)
    }
    this.#open(stream, unnamed.entrance, reading.ends ?? unnamed.ends)
    if (reading.rest !== '') this.#clients.get(stream)?.received(this.#nowMs, reading.rest)
  }

  #announce(group: ProxiedGroup): void {
    const master = group.masterAt(this.#nowMs)
    const name = master === undefined ? 'none' : hostAndPort(master.host, master.port)
    const level = master === undefined ? 'warning' : 'notice'
    this.#journal?.confirmed(group.name, master)
    this.#port.log(level, `confirmed master of ${group.name}: ${name}`)
  }

  #changed(group: ProxiedGroup): void {
    for (const session of [...this.#clients.values()]) {
      if (session.entrance.group === group.name) session.pump(this.#nowMs)
    }
  }

  #endDraining(): void {
    if (this.#stopAtMs === undefined) return
    if (this.#clients.size === 0 || this.#nowMs >= this.#stopAtMs) this.#exit()
  }

  #exit(): void {
    if (this.#hasExited) return
    this.#hasExited = true
    for (const session of [...this.#clients.values()]) session.end()
    this.watch.end()
    this.#journal?.ends()
    this.#port.exit(0)
  }

  #sessionHome(): SessionHome {
    return {
      ...{
        port: this.#port,
        kinds: this.#kinds,
        plain: this.#plain,
        shelf: this.#shelf,
        counts: this.counts,
      },
      limits: () => this.#config,
      route: (entrance, present, nowMs) => this.#route(entrance, present, nowMs),
      isSwitching: ({ group, kind }, nowMs) =>
        kind === 'write' && this.watch.groups.get(group)?.isSwitching(nowMs) === true,
      openServer: (client, { host, port }) => {
        const id = --this.#lastId
        const session = this.#clients.get(client)
        if (session !== undefined) this.#servers.set(id, session)
        this.#port.connect(id, host, port)
        return id
      },
      forgetServer: (stream) => this.#servers.delete(stream),
      doubt: ({ group, kind }, lost) => {
        const isMaster = lost !== undefined && kind === 'write'
        if (isMaster) this.watch.groups.get(group)?.lost(lost, this.#nowMs)
        this.#watchMs = undefined
        this.watch.ask(this.#nowMs)
      },
      isDoubtful: ({ group, kind }, server) =>
        kind === 'write' && this.watch.groups.get(group)?.isDoubtful(server, this.#nowMs) === true,
      attend: (client, isNeeded) => {
        const session = this.#clients.get(client)
        if (isNeeded && session !== undefined) this.#attended.add(session)
        else if (session !== undefined) this.#attended.delete(session)
      },
      ended: (client) => this.#clients.delete(client),
      proxyCommand: (argv) => this.#proxyCommand(argv),
      proxyHeader: (ends) => writeProxyHeader(this.#config.sendProxy, ends),
    }
  }

  #route(entrance: Entrance, present: Address | undefined, nowMs: number): Address | undefined {
    const group = this.watch.groups.get(entrance.group)
    return entrance.kind === 'read' ? group?.readerAt(nowMs, present) : group?.masterAt(nowMs)
  }

  #proxyCommand(argv: readonly string[]): string {
    switch (argv[1]?.toLowerCase()) {
      case 'info':
        return proxyInfo(this)
      case 'help':
        return proxyHelp()
      default:
        return unknownProxyCommand()
    }
  }
}

function isProxyHeader(bytes: string): boolean {
  return bytes.startsWith('PROXY ') && !/^PROXY (INFO|HELP)/i.test(bytes)
}

/** What the watch depends on. */
function watched({ sentinels, groups, user, password, leaseMs, maxLagMs }: ProxyConfig): unknown {
  return [sentinels, groups, user, password, leaseMs, maxLagMs]
}

function newCounts(): ProxyCounts {
  return { commands: 0, refused: 0, unanswered: 0, repeated: 0, moves: 0, heldBytes: 0 }
}
