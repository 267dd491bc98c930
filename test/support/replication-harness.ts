/**
 * Data nodes and clients on a virtual network: enough to play replication. Between calls no time
 * passes; `run` and `until` let it pass.
 */
import { createRng } from '../../src/base/rng.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import type { Reply } from '../../src/resp/reply.ts'
import { ReplyDecoder } from '../../src/resp/reply-decoder.ts'
import { DataNode } from '../../src/server/node.ts'
import type {
  FileAnswer,
  FileFailure,
  FileRequest,
  FileRequestId,
} from '../../src/server/persistence/files.ts'
import {
  type ConnectionId,
  type Endpoints,
  type NodePort,
  type NodeProcessFacts,
  SIMULATED_PROCESS,
} from '../../src/server/port.ts'
import { Settings } from '../../src/server/settings/settings.ts'
import { DataFiles } from '../../src/sim/processes/data-files.ts'
import { type Party, VirtualNetwork } from './virtual-network.ts'

const WALL_START_MS = 1_700_000_000_000
/** More turns than this without time passing is a loop. */
const MAX_TURNS = 100_000
const PORT = 6379

export class ReplicationWorld {
  readonly network = new VirtualNetwork()
  readonly #nodes: TestNode[] = []
  #clients = 0

  get now() {
    return { monoMs: this.network.nowMs, wallMs: WALL_START_MS + this.network.nowMs }
  }

  node(directives: Record<string, string> = {}, network = '10.0.0.'): TestNode {
    const node = new TestNode(this, `${network}${this.#nodes.length + 1}`, directives)
    this.#nodes.push(node)
    this.network.add(node)
    return node
  }

  /** A new process in place of one that was killed, in the same role. */
  restart(old: TestNode, { keepsFiles }: { keepsFiles: boolean }): TestNode {
    const directives = { ...old.directives, replicaof: old.settings.text('replicaof') }
    const files = keepsFiles ? old.files : new DataFiles()
    const node = new TestNode(this, old.address, directives, files, `again ${this.network.nowMs}`)
    this.#nodes[this.#nodes.indexOf(old)] = node
    this.network.add(node)
    return node
  }

  /** A node that follows `master` from its start, with its link up. */
  replicaOf(master: TestNode, directives: Record<string, string> = {}): TestNode {
    const replica = this.node({ replicaof: `${master.address} ${PORT}`, ...directives })
    this.until(() => replica.info('master_link_status') === 'up')
    return replica
  }

  client(node: TestNode): TestClient {
    this.#clients++
    return new TestClient(this, node, `10.0.1.${this.#clients}`)
  }

  /** Lets this much time pass. */
  run(durationMs: number): void {
    const endMs = this.network.nowMs + durationMs
    for (let turns = 0; this.#nextMs() <= endMs; turns++) {
      if (this.#nextMs() > this.network.nowMs) turns = 0
      if (turns > MAX_TURNS) throw new Error(`no end of turns at ${this.network.nowMs} ms`)
      this.network.nowMs = this.#nextMs()
      this.network.deliver()
      for (const node of this.#nodes) node.wakeIfDue()
    }
    this.network.nowMs = endMs
  }

  /** Lets time pass until a condition holds; throws if it does not in time. */
  until(holds: () => boolean, limitMs = 120_000): void {
    const endMs = this.network.nowMs + limitMs
    while (!holds()) {
      if (this.network.nowMs >= endMs) throw new Error(`did not happen within ${limitMs} ms`)
      this.run(1)
    }
  }

  /** Lets time pass until both nodes are at the same offset of the same history. */
  untilInStep(master: TestNode, replica: TestNode): void {
    const place = (node: TestNode) => `${node.info('master_replid')} ${node.offset}`
    this.until(
      () => replica.info('master_link_status') === 'up' && place(master) === place(replica),
    )
  }

  #nextMs(): number {
    const wakes = this.#nodes.map((node) => node.nextWakeUpMs())
    return Math.max(this.network.nowMs, Math.min(this.network.nextArrivalMs(), ...wakes))
  }
}

export class TestNode implements Party, NodePort {
  readonly address: string
  readonly node: DataNode
  readonly settings = new Settings()
  readonly logs: string[] = []
  readonly files: DataFiles
  readonly directives: Record<string, string>
  isDown = false
  isFrozen = false
  /** The folder answers nothing until `answerFiles`. */
  hasSlowFiles = false
  #waitingFiles: [FileRequestId, FileRequest][] = []
  readonly #world: ReplicationWorld
  #incoming = 0
  #nextLocalId = 1_000_000
  readonly #replies = new Map<ConnectionId, string>()

  constructor(
    world: ReplicationWorld,
    address: string,
    directives: Record<string, string>,
    files = new DataFiles(),
    seed = '',
  ) {
    this.#world = world
    this.address = address
    this.directives = directives
    this.files = files
    for (const [name, value] of Object.entries({ 'protected-mode': 'no', ...directives })) {
      // What CONFIG REWRITE has kept may be empty, as no line of a file may.
      const isKept = value === ''
      const refused = isKept ? this.settings.set(name, value) : this.settings.load(name, [value])
      if (refused !== undefined) throw new Error(`${name} ${value}: ${refused}`)
    }
    this.node = new DataNode({
      settings: this.settings,
      port: this,
      rng: createRng(`${address}${seed}`),
      now: world.now,
      hasConfigFile: false,
    })
  }

  get offset(): number {
    return Number(this.info('master_repl_offset'))
  }

  /** One command on a connection of its own that needs no network and no time. */
  call(...argv: string[]): Reply {
    const id = this.#nextLocalId++
    this.#replies.set(id, '')
    this.node.accepted(this.#world.now, id, this.#ends('127.0.0.1'))
    this.node.received(this.#world.now, id, encodeCommand(argv))
    const bytes = this.#replies.get(id) ?? ''
    this.#replies.delete(id)
    this.node.closed(this.#world.now, id, 'closed by the other side')
    return decodeOne(bytes)
  }

  /** How many full and partial resynchronisations it has served. */
  served(): [full: number, partial: number] {
    const count = (text: string) => this.logs.filter((line) => line.includes(text)).length
    return [count('needs a full copy'), count('continues from')]
  }

  /** A field of INFO replication. */
  info(field: string): string | undefined {
    const reply = this.call('INFO', 'replication')
    const text = reply.kind === 'bulk' ? reply.bytes : ''
    const line = text.split('\r\n').find((candidate) => candidate.startsWith(`${field}:`))
    return line?.slice(field.length + 1)
  }

  /** What GET gives, or undefined. */
  get(key: string): string | undefined {
    const reply = this.call('GET', key)
    return reply.kind === 'bulk' ? reply.bytes : undefined
  }

  follow(master: TestNode): void {
    this.call('REPLICAOF', master.address, String(PORT))
  }

  promote(): void {
    this.call('REPLICAOF', 'NO', 'ONE')
  }

  kill(): void {
    this.isDown = true
    this.#world.network.dropAll(this)
  }

  askFile(id: FileRequestId, request: FileRequest): FileAnswer | undefined {
    if (!this.hasSlowFiles) return this.files.ask(request)
    this.#waitingFiles.push([id, request])
    return undefined
  }

  answerFiles(): void {
    for (const [id, request] of this.#waitingFiles.splice(0)) {
      this.node.fileAnswered(this.#world.now, id, this.files.ask(request))
    }
  }

  appendNow(path: string, bytes: string): FileFailure | undefined {
    return this.files.appendNow(path, bytes)
  }

  ready(): void {}

  nextIncomingId(): ConnectionId {
    return ++this.#incoming
  }

  accepted(id: ConnectionId, remoteHost: string): void {
    this.node.accepted(this.#world.now, id, this.#ends(remoteHost))
  }

  connected(id: ConnectionId, remoteHost: string): void {
    this.node.connected(this.#world.now, id, this.#ends(remoteHost))
  }

  received(id: ConnectionId, bytes: string): void {
    this.node.received(this.#world.now, id, bytes)
  }

  closed(id: ConnectionId, reason: string): void {
    this.node.closed(this.#world.now, id, reason)
  }

  nextWakeUpMs(): number {
    if (this.isDown || this.isFrozen) return Number.POSITIVE_INFINITY
    return this.node.nextWakeUpMs() ?? Number.POSITIVE_INFINITY
  }

  wakeIfDue(): void {
    if (this.nextWakeUpMs() <= this.#world.network.nowMs) this.node.wake(this.#world.now)
  }

  write(id: ConnectionId, bytes: string): void {
    const replies = this.#replies.get(id)
    if (replies === undefined) this.#world.network.write(this, id, bytes)
    else this.#replies.set(id, replies + bytes)
  }

  queuedBytes(id: ConnectionId): number {
    return this.#world.network.queuedBytes(this, id)
  }

  close(id: ConnectionId): void {
    this.#world.network.close(this, id)
  }

  connect(id: ConnectionId, host: string): void {
    this.#world.network.open(this, id, host)
  }

  saveSettings(): undefined {
    return undefined
  }

  processFacts(): NodeProcessFacts {
    return SIMULATED_PROCESS
  }

  log(level: string, text: string): void {
    this.logs.push(`${level}: ${text}`)
  }

  exit(): void {
    this.kill()
  }

  #ends(remoteHost: string): Endpoints {
    return { remoteHost, remotePort: 50_000, localHost: this.address, localPort: PORT }
  }
}

/** A connection over the network: for clients that wait, and for replicas that the test plays. */
export class TestClient implements Party {
  readonly address: string
  readonly isDown = false
  readonly isFrozen = false
  /** Everything that came, as it came. */
  input = ''
  isClosed = false
  readonly #world: ReplicationWorld

  constructor(world: ReplicationWorld, node: TestNode, address: string) {
    this.#world = world
    this.address = address
    world.network.open(this, -1, node.address)
    world.run(2)
  }

  send(...argv: string[]): void {
    this.sendRaw(encodeCommand(argv))
  }

  sendRaw(bytes: string): void {
    this.#world.network.write(this, -1, bytes)
  }

  /** Takes the first reply from what came; undefined if there is none. */
  takeReply(): Reply | undefined {
    const decoder = new ReplyDecoder()
    for (let end = 1; end <= this.input.length; end++) {
      decoder.push(this.input[end - 1] as string)
      const reply = decoder.next()
      if (reply === undefined) continue
      if (reply.kind === 'malformed') throw new Error(reply.text)
      this.input = this.input.slice(end)
      return reply
    }
    return undefined
  }

  /** Sends a command and lets time pass until it is answered. */
  call(...argv: string[]): Reply {
    this.send(...argv)
    let reply: Reply | undefined
    this.#world.until(() => {
      reply = this.takeReply()
      return reply !== undefined
    })
    return reply!
  }

  /** Takes what has come since the last call. */
  take(): string {
    const input = this.input
    this.input = ''
    return input
  }

  close(): void {
    this.#world.network.close(this, -1)
  }

  nextIncomingId(): ConnectionId {
    throw new Error('nobody connects to a client')
  }

  accepted(): void {}

  connected(): void {}

  received(_id: ConnectionId, bytes: string): void {
    this.input += bytes
  }

  closed(): void {
    this.isClosed = true
  }
}

function decodeOne(bytes: string): Reply {
  const decoder = new ReplyDecoder()
  decoder.push(bytes)
  const reply = decoder.next()
  if (reply === undefined || reply.kind === 'malformed') {
    throw new Error(`no reply in ${JSON.stringify(bytes)}`)
  }
  return reply
}
