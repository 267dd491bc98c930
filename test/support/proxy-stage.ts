/**
 * The machine of the proxy on virtual time. Sentinels answer by themselves with the master that each is told to name;
 * data nodes answer what the test says, so that a test decides what has an answer when a master is lost.
 */
import { hostAndPort } from '../../src/base/ip.ts'
import type { JournalEvent } from '../../src/journal/event-table.ts'
import type { ClientEnds, Entrance, ProxyPort, WireId } from '../../src/proxy/port.ts'
import { ProxyMachine } from '../../src/proxy/proxy.ts'
import { DEFAULT_PROXY, DEFAULT_TIMING, type ProxyConfig } from '../../src/proxy/proxy-options.ts'
import { encodeCommand, encodeReply } from '../../src/resp/encode.ts'
import { array, bulk, bulkMap, error, type Reply, simple } from '../../src/resp/reply.ts'
import { RequestDecoder } from '../../src/resp/request-decoder.ts'

export const A = '10.0.0.1:6379'
export const B = '10.0.0.2:6379'
const SENTINELS = ['10.0.1.1:26379', '10.0.1.2:26379', '10.0.1.3:26379']
const ENDS: ClientEnds = {
  ...{ remoteHost: '10.0.9.9', remotePort: 40_000, localHost: '10.0.9.1', localPort: 6400 },
}
const SWITCH = '+switch-master'

export const DEFAULTS: ProxyConfig = {
  ...{ ...DEFAULT_TIMING, sentinels: SENTINELS.map(addressOf), user: '', password: '' },
  groups: [{ name: 'mymaster', hasReadPort: true }],
  maxClients: DEFAULT_PROXY.maxClients,
  usesTls: false,
  sendProxy: 0,
}

interface Wire {
  readonly address: string
  readonly decoder: RequestDecoder
  readonly commands: string[]
  raw: string
  isUp: boolean
  /** The error that a login was answered with. */
  login?: Reply | undefined
}

export class ProxyStage {
  readonly proxy: ProxyMachine
  /** What each Sentinel names; undefined: it does not answer. */
  readonly names = new Map<string, string | undefined>(SENTINELS.map((one) => [one, A]))
  /** What each Sentinel says of others. */
  readonly knows = new Map<string, readonly string[]>()
  readonly replicas: string[] = []
  /** What a Sentinel that translates addresses says of a replica beside its address: field and value by turns. */
  readonly translated = new Map<string, readonly string[]>()
  /** What nodes say to INFO replication, by address. */
  readonly infos = new Map<string, string>()
  /** The error with which replicas answer AUTH, and refuse everything then; undefined: they admit everyone. */
  nodeLogin: Reply | undefined
  readonly logged: string[] = []
  answersPings = true
  /** What Sentinels say instead of naming a master; undefined: they name it. */
  instead: Reply | undefined
  /** What Sentinels answer to AUTH, and then refuse everything; undefined: they admit everyone. */
  login: Reply | undefined
  /** Whether Sentinels close the connection at the first command. */
  hangsUp = false
  exited: number | undefined
  nowMs = 1_000
  readonly #wires = new Map<WireId, Wire>()
  readonly #clients = new Map<WireId, StageClient>()
  readonly refused = new Set<string>()
  readonly paused = new Set<WireId>()
  queued = new Map<WireId, number>()
  #due: (() => void)[] = []
  #lastClient = 0

  /** [black-box] What the proxy put on record of itself. */
  readonly notes: JournalEvent[] = []
  readonly #isJournalled: boolean

  constructor(config: Partial<ProxyConfig> = {}, isJournalled = false) {
    this.#isJournalled = isJournalled
    this.proxy = new ProxyMachine({ ...DEFAULTS, ...config }, this.#port(), this.now)
    this.settle()
  }

  get now() {
    return { monoMs: this.nowMs, wallMs: this.nowMs }
  }

  /** All Sentinels name another master, and say that it has changed. */
  switchTo(address: string): void {
    for (const sentinel of SENTINELS) this.names.set(sentinel, address)
    this.publish(SWITCH, 'mymaster 10.0.0.1 6379 10.0.0.2 6379')
  }

  /** Sentinels tell their subscribers. */
  publish(channel: string, payload: string): void {
    for (const [id, wire] of this.#wires) {
      const isSentinel = SENTINELS.includes(wire.address)
      const isEar = isSentinel && wire.commands.some((command) => command.startsWith('SUBSCRIBE'))
      if (isEar) this.#tell(id, array(['message', channel, payload].map(bulk)))
    }
    this.settle()
  }

  client(kind: Entrance['kind'] = 'write', readsHeader = false): StageClient {
    const id = ++this.#lastClient
    const client = new StageClient(this, id)
    this.#clients.set(id, client)
    this.proxy.accepted(this.now, id, { group: 'mymaster', kind, readsHeader }, ENDS)
    return client
  }

  /** The one connection of a client to this node. */
  server(address: string): StageServer {
    const found = [...this.#wires].filter(([, wire]) => wire.address === address)
    const ids = found.filter(([, { commands }]) => !isProbe(commands)).map(([id]) => id)
    if (ids.length !== 1) throw new Error(`${ids.length} connections to ${address}`)
    return new StageServer(this, ids[0] as WireId, this.#wires.get(ids[0] as WireId) as Wire)
  }

  /** The connection to a data node that was opened last, if it is still there. */
  newestConnection(): WireId | undefined {
    const ids = [...this.#wires].filter(([, { address }]) => !SENTINELS.includes(address))
    return ids.length < 2 ? undefined : ids.at(-1)?.[0]
  }

  connections(address: string): number {
    return [...this.#wires.values()].filter((wire) => wire.address === address).length
  }

  /** Time passes, and what is due happens. */
  pass(ms: number): void {
    const endMs = this.nowMs + ms
    for (;;) {
      const nextMs = this.proxy.nextWakeUpMs()
      if (nextMs === undefined || nextMs > endMs) break
      this.nowMs = Math.max(this.nowMs, nextMs)
      this.proxy.wake(this.now)
      this.settle()
    }
    this.nowMs = endMs
  }

  /** Connections that were opened are there, and Sentinels have answered. */
  settle(): void {
    while (this.#due.length > 0) {
      const due = this.#due
      this.#due = []
      for (const next of due) next()
    }
  }

  receive(id: WireId, bytes: string): void {
    this.proxy.received(this.now, id, bytes)
    this.settle()
  }

  halfClose(id: WireId): void {
    this.proxy.halfClosed(this.now, id)
    this.settle()
  }

  close(id: WireId): void {
    this.#wires.delete(id)
    this.proxy.closed(this.now, id, 'ECONNRESET')
    this.settle()
  }

  #port(): ProxyPort {
    return {
      note: this.#isJournalled ? (_now, event) => this.notes.push(event) : undefined,
      write: (id, bytes) => this.#written(id, bytes),
      queuedBytes: (id) => this.queued.get(id) ?? 0,
      pause: (id) => void this.paused.add(id),
      resume: (id) => void this.paused.delete(id),
      close: (id) => {
        this.#wires.delete(id)
        const client = this.#clients.get(id)
        if (client !== undefined) client.isClosed = true
      },
      connect: (id, host, port) => this.#connect(id, hostAndPort(host, port)),
      log: (_level, text) => void this.logged.push(text),
      exit: (status) => {
        this.exited = status
      },
    }
  }

  #connect(id: WireId, address: string): void {
    const decoder = new RequestDecoder()
    const isGone = SENTINELS.includes(address) && this.names.get(address) === undefined
    this.#wires.set(id, { address, decoder, commands: [], raw: '', isUp: false })
    this.#due.push(() => {
      const wire = this.#wires.get(id)
      if (wire === undefined) return
      if (isGone || this.refused.has(address)) return this.close(id)
      wire.isUp = true
      this.proxy.connected(this.now, id)
    })
  }

  #written(id: WireId, bytes: string): void {
    const client = this.#clients.get(id)
    if (client !== undefined) {
      client.got += bytes
      return
    }
    const wire = this.#wires.get(id)
    if (wire === undefined) return
    wire.raw += bytes
    wire.decoder.push(bytes)
    for (let next = wire.decoder.next(); next?.kind === 'command'; next = wire.decoder.next()) {
      wire.commands.push(next.argv.join(' '))
      const { argv } = next
      if (SENTINELS.includes(wire.address)) this.#due.push(() => this.#sentinel(id, wire, argv))
      const info = this.infos.get(wire.address)
      if (info === undefined) continue
      if (argv[0] === 'AUTH') wire.login = this.nodeLogin
      if (argv[0] === 'AUTH') this.#due.push(() => this.#tell(id, wire.login ?? simple('OK')))
      if (argv[0] !== 'INFO') continue
      const told = wire.login === undefined ? bulk(info) : error('NOAUTH Authentication required.')
      this.#due.push(() => this.#tell(id, told))
    }
  }

  #sentinel(id: WireId, { address }: Wire, argv: readonly string[]): void {
    const named = this.names.get(address)
    if (named === undefined) return
    if (this.hangsUp) return this.#wires.has(id) ? this.close(id) : undefined
    const [word = ''] = argv
    if (this.login !== undefined) {
      this.#tell(id, word === 'AUTH' ? this.login : error('NOAUTH Authentication required.'))
    } else if (word === 'SUBSCRIBE') {
      for (const name of argv.slice(1)) this.#tell(id, array([bulk('subscribe'), bulk(name)]))
    } else if (word === 'PING' && !this.answersPings) return
    else if (word === 'PING') this.#tell(id, array(['pong', ''].map(bulk)))
    else if (argv[1] === 'MYID') this.#tell(id, bulk(runId(address)))
    else if (argv[1] === 'GET-MASTER-ADDR-BY-NAME') {
      const { host, port } = addressOf(named)
      this.#tell(id, this.instead ?? array([bulk(host), bulk(String(port))]))
    } else if (this.instead?.kind === 'nullArray' && /^(SENTINELS|REPLICAS)$/.test(argv[1] ?? '')) {
      this.#tell(id, error('ERR No such master with that name'))
    } else if (argv[1] === 'SENTINELS') {
      const others = this.knows.get(address) ?? SENTINELS.filter((one) => one !== address)
      this.#tell(id, array(others.map((one) => rowOf(one, runId(one)))))
    } else if (argv[1] === 'REPLICAS') {
      const rows = this.replicas.map((one) =>
        rowOf(one, '', this.translated.get(one) ?? ['name', one]),
      )
      this.#tell(id, array(rows))
    } else this.#tell(id, simple('OK'))
  }

  #tell(id: WireId, reply: Reply): void {
    if (this.#wires.has(id)) this.proxy.received(this.now, id, encodeReply(reply, 2))
  }
}

export class StageClient {
  got = ''
  isClosed = false
  readonly id: WireId
  readonly #stage: ProxyStage

  constructor(stage: ProxyStage, id: WireId) {
    this.#stage = stage
    this.id = id
  }

  /** Sends commands in one piece. */
  sends(...commands: readonly string[]): void {
    this.sendsBytes(commands.map((words) => encodeCommand(words.split(' '))).join(''))
  }

  sendsBytes(bytes: string): void {
    this.#stage.receive(this.id, bytes)
  }

  /** It sends nothing more, and reads on. */
  endsItsHalf(): void {
    this.#stage.halfClose(this.id)
  }

  leaves(): void {
    this.#stage.close(this.id)
  }

  get isPaused(): boolean {
    return this.#stage.paused.has(this.id)
  }

  /** What it was told since it was last looked at. */
  takes(): string {
    const { got } = this
    this.got = ''
    return got
  }
}

export class StageServer {
  readonly #stage: ProxyStage
  readonly #id: WireId
  readonly #wire: Wire

  constructor(stage: ProxyStage, id: WireId, wire: Wire) {
    this.#stage = stage
    this.#id = id
    this.#wire = wire
  }

  /** What it was told since it was last looked at. */
  takes(): readonly string[] {
    return this.#wire.commands.splice(0)
  }

  get raw(): string {
    return this.#wire.raw
  }

  says(...replies: readonly string[]): void {
    this.saysBytes(replies.map((reply) => `${reply}\r\n`).join(''))
  }

  saysBytes(bytes: string): void {
    this.#stage.receive(this.#id, bytes)
  }

  breaks(): void {
    this.#stage.close(this.#id)
  }
}

function isProbe(commands: readonly string[]): boolean {
  return commands.some((command) => command === 'INFO replication')
}

function addressOf(text: string): { host: string; port: number } {
  const [host = '', port] = text.split(':')
  return { host, port: Number(port) }
}

function runId(address: string): string {
  return `run-id-of-${address}`
}

function rowOf(address: string, id: string, more: readonly string[] = []): Reply {
  const { host, port } = addressOf(address)
  const pairs = more.flatMap((word, at) => {
    return at % 2 === 0 ? [[word, more[at + 1] ?? ''] as const] : []
  })
  return bulkMap([...pairs, ['ip', host], ['port', String(port)], ['runid', id]])
}
