/**
 * A data node without a network: bytes in, bytes out, and time that passes only when a test says so.
 * Everything that the node asks of its port is recorded for inspection.
 */
import { createRng } from '../../src/base/rng.ts'
import type { JournalEvent } from '../../src/journal/event-table.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { RequestDecoder } from '../../src/resp/request-decoder.ts'
import { DataNode, type DataNodeOptions } from '../../src/server/node.ts'
import type {
  FileAnswer,
  FileFailure,
  FileRequest,
  FileRequestId,
} from '../../src/server/persistence/files.ts'
import {
  type ConnectionId,
  type HeapMeter,
  type LearntUsers,
  type NodePort,
  type NodeProcessFacts,
  type SaveResult,
  SIMULATED_PROCESS,
} from '../../src/server/port.ts'
import { Settings } from '../../src/server/settings/settings.ts'
import { DataFiles } from '../../src/sim/processes/data-files.ts'

const WALL_START_MS = 1_700_000_000_000

export class NodeHarness implements NodePort {
  readonly node: DataNode
  readonly settings: Settings
  readonly logs: string[] = []
  readonly saved: Map<string, string>[] = []
  readonly savedUsers: (LearntUsers | undefined)[] = []
  /** The answer to the next CONFIG REWRITE. */
  saveResult: SaveResult
  exitStatus: number | undefined
  isReady = false
  readonly files: DataFiles
  readonly heap: HeapMeter | undefined
  /** [black-box] What the node put on record of itself. */
  readonly notes: JournalEvent[] = []
  readonly note: NodePort['note']
  monoMs = 0
  /** By how much the wall clock was set. */
  wallMovedMs = 0
  readonly #clients = new Map<ConnectionId, TestClient>()
  #lastId = 0

  constructor(
    directives: Record<string, string> = {},
    hasConfigFile = false,
    access: Pick<DataNodeOptions, 'users' | 'learntUsers' | 'aclFile'> = {},
    files = new DataFiles(),
    heap?: HeapMeter,
    settings = new Settings(),
  ) {
    this.settings = settings
    this.files = files
    this.heap = heap
    if (directives['black-box'] === 'yes') this.note = (_now, event) => this.notes.push(event)
    const all = { 'enable-debug-command': 'yes', ...directives }
    for (const [name, value] of Object.entries(all)) this.settings.load(name, [value])
    this.settings.markFiled()
    this.node = new DataNode({
      settings: this.settings,
      port: this,
      rng: createRng('harness'),
      now: this.now,
      hasConfigFile,
      ...access,
    })
  }

  get now() {
    return { monoMs: this.monoMs, wallMs: WALL_START_MS + this.monoMs + this.wallMovedMs }
  }

  get wallMs(): number {
    return this.now.wallMs
  }

  client(remoteHost = '127.0.0.1'): TestClient {
    const id = ++this.#lastId
    const client = new TestClient(this, id)
    this.#clients.set(id, client)
    const local = { localHost: '127.0.0.1', localPort: 6379 }
    this.node.accepted(this.now, id, { remoteHost, remotePort: 50_000 + id, ...local })
    return client
  }

  /** Lets time pass, waking the node whenever it wants to be woken. */
  advance(durationMs: number): void {
    const endMs = this.monoMs + durationMs
    for (;;) {
      const wakeMs = this.node.nextWakeUpMs() ?? Number.POSITIVE_INFINITY
      if (wakeMs > endMs) break
      // At least a millisecond, so that a node that always wants to be woken does not stop time.
      this.monoMs = Math.max(wakeMs, this.monoMs + 1)
      this.node.wake(this.now)
    }
    this.monoMs = Math.max(this.monoMs, endMs)
  }

  /** Attaches a replica, and returns it to collect what it is sent from now on. */
  replica(): Replica {
    const client = this.client()
    client.bytes(encodeCommand(['PSYNC', '?', '-1']))
    let received = ''
    for (let ms = 0; ms < 5000 && !/\$\d+\r\n/.test(received); ms += 100) {
      this.advance(100)
      received += client.take()
    }
    this.advance(100)
    client.take()
    return new Replica(client)
  }

  /** A field of INFO. */
  info(field: string): string | undefined {
    const client = this.client()
    const text = client.say('INFO everything')
    client.drop()
    return new RegExp(`^${field}:(.*)\r$`, 'm').exec(text)?.[1]
  }

  write(connection: ConnectionId, bytes: string): void {
    this.#clients.get(connection)?.receive(bytes)
  }

  queuedBytes(connection: ConnectionId): number {
    return this.#clients.get(connection)?.queuedBytes ?? 0
  }

  close(connection: ConnectionId): void {
    const client = this.#clients.get(connection)
    if (client !== undefined) client.isClosed = true
  }

  /** Outgoing connections lead nowhere here. */
  connect(): void {}

  saveSettings(settings: ReadonlyMap<string, string>, users?: LearntUsers): SaveResult {
    this.savedUsers.push(users)
    this.saved.push(new Map(settings))
    return this.saveResult
  }

  askFile(_id: FileRequestId, request: FileRequest): FileAnswer | undefined {
    return this.files.ask(request)
  }

  appendNow(path: string, bytes: string): FileFailure | undefined {
    return this.files.appendNow(path, bytes)
  }

  ready(): void {
    this.isReady = true
  }

  processFacts(): NodeProcessFacts {
    return SIMULATED_PROCESS
  }

  log(_level: string, text: string): void {
    this.logs.push(text)
  }

  exit(status: number): void {
    this.exitStatus = status
  }
}

export class TestClient {
  readonly id: ConnectionId
  isClosed = false
  /** What `queuedBytes` tells the node: set it to imitate a client that does not read. */
  queuedBytes = 0
  /** How many writes the node made. */
  writes = 0
  readonly #harness: NodeHarness
  #received = ''

  constructor(harness: NodeHarness, id: ConnectionId) {
    this.#harness = harness
    this.id = id
  }

  /** Sends one command and returns what came back, on this connection, at once. */
  send(...argv: string[]): string {
    return this.bytes(encodeCommand(argv))
  }

  /** The same for a command line without quotes. */
  say(line: string): string {
    return this.send(...line.split(' '))
  }

  /** Sends bytes as they are. */
  bytes(bytes: string): string {
    this.#harness.node.received(this.#harness.now, this.id, bytes)
    return this.take()
  }

  /** What has come since the last call. */
  take(): string {
    const received = this.#received
    this.#received = ''
    return received
  }

  /** It sends no more, and still reads. */
  halfClose(): void {
    this.#harness.node.halfClosed(this.#harness.now, this.id)
  }

  /** The connection breaks on this side. */
  drop(): void {
    this.isClosed = true
    this.#harness.node.closed(this.#harness.now, this.id, 'gone')
  }

  receive(bytes: string): void {
    this.#received += bytes
    this.writes++
  }
}

/** The stream as words, without the master's own pings. */
export class Replica {
  readonly #client: TestClient
  readonly #decoder = new RequestDecoder()

  constructor(client: TestClient) {
    this.#client = client
  }

  /** The commands it was sent since the last call, one per line. */
  told(): string[] {
    this.#decoder.push(this.#client.take())
    const lines: string[] = []
    for (
      let request = this.#decoder.next();
      request?.kind === 'command';
      request = this.#decoder.next()
    ) {
      const line = request.argv.join(' ')
      if (!/^(ping|replconf)/i.test(line)) lines.push(line)
    }
    return lines
  }
}
