/**
 * Drives a data node over real sockets: it passes on every input with the moment at which it came, and
 * then sets the one timer to when the node wants to be woken. It decides nothing.
 */
import { Socket } from 'node:net'
import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { Moment } from '../base/clock.ts'
import type {
  FileAnswer,
  FileFailure,
  FileRequest,
  FileRequestId,
} from '../server/persistence/files.ts'
import type {
  ConnectionId,
  Endpoints,
  HeapMeter,
  LearntUsers,
  NodeInputs,
  NodeLogLevel,
  NodePort,
  NodeProcessFacts,
  SaveResult,
  StopSignal,
} from '../server/port.ts'
import { kernelSurroundings, type SourceAddress, type Surroundings } from './host-environment.ts'
import type { Logger } from './log/logger.ts'
import { plainHost } from './network/address.ts'
import { Connections } from './network/connections.ts'
import type { Gate } from './network/demo-partition.ts'
import { unixPathOf } from './network/unix-door.ts'
import { Alarm } from './process/alarm.ts'
import { operatingSystem, ownFile } from './process/process-facts.ts'
import type { Tls } from './tls/tls.ts'

/** The folder of a data node, see node-files.ts. */
export interface NodeFolder {
  /** Never rejects. */
  ask(request: FileRequest): Promise<FileAnswer>
  appendNow(path: string, bytes: string): FileFailure | undefined
}

export interface NodeHostOptions {
  /** Builds the node on its port. Called once; until it returns, only the port's files may be used. */
  readonly createNode: (port: NodePort) => NodeInputs
  readonly logger: Logger
  /** Undefined if saved; otherwise the text of an error reply. */
  readonly saveSettings: (
    settings: ReadonlyMap<string, string>,
    users: LearntUsers | undefined,
  ) => SaveResult
  /** Where the node keeps its data. */
  readonly files: NodeFolder
  /** The user's configuration file, as an absolute path; for INFO. */
  readonly configFile?: string
  /** Which service manager is told when the node is ready, `no` or `systemd`; for INFO. */
  readonly supervisedBy?: string
  /** What INFO calls `vedette_version`. */
  readonly version?: string
  /** Called when the data are loaded. */
  readonly onReady?: () => void
  /** Called when the node is about to end, before the first connection is closed: no more of them are taken. */
  readonly onEnding?: () => void
  /** Called when everything has been written and the process may end. */
  readonly onExit: (status: number, reason?: string) => void
  /** The memory the node has; undefined if it has no limit to observe. */
  readonly heap?: HeapMeter
  /** [bind-source-addr] The address that connections to a master are opened from. */
  readonly sourceAddress?: SourceAddress
  readonly gate?: Gate | undefined
  /** Undefined if connections to a master are plain. */
  readonly tls?: Tls | undefined
  /** Undefined for the kernel's own, with connections from `sourceAddress`. */
  readonly surroundings?: Surroundings | undefined
  /** Told by how many milliseconds each wake-up is late. */
  readonly noteLateness?: ((lateMs: number) => void) | undefined
  /** [black-box] Puts on record what the node says of itself. */
  readonly note?: NodePort['note']
}

/** Microseconds. Asked for each command, and this takes two thirds of the time that `performance.now` takes. */
function stopwatch(): number {
  const [seconds, nanos] = process.hrtime()
  return seconds * 1e6 + nanos / 1000
}

/** Computed once: they do not change while the process runs. */
const OS = operatingSystem()
const MACHINE_BYTES = totalmem()

/** After this a half-open connection is discovered, as with Redis' tcp-keepalive. */
const KEEPALIVE_MS = 300_000

export class NodeHost implements NodePort {
  readonly #options: NodeHostOptions
  readonly #surroundings: Surroundings
  readonly #node: NodeInputs
  readonly #connections: Connections
  readonly #alarm: Alarm
  readonly #memory = new MemoryFacts()
  readonly stopwatch = stopwatch
  readonly heap: HeapMeter | undefined
  readonly note: NodePort['note']
  /** Outgoing connections that wait for the gate to open. */
  readonly #departing = new Set<ConnectionId>()
  #lastIncomingId = 0
  #hasExited = false

  constructor(options: NodeHostOptions) {
    this.#options = options
    this.heap = options.heap
    this.note = options.note
    this.#surroundings =
      options.surroundings ?? kernelSurroundings(options.sourceAddress ?? (() => undefined))
    const wake = () => this.#input((now) => this.#node.wake(now))
    this.#alarm = new Alarm(wake, this.#surroundings.clock, options.noteLateness)
    this.#connections = new Connections(
      {
        received: (id, bytes) => this.#feed((now) => this.#node.received(now, id, bytes)),
        settled: () => this.#setAlarm(),
        awaitedBytes: (id) => this.#node.awaitedBytes(id),
        halfClosed: (id) => this.#input((now) => this.#node.halfClosed(now, id)),
        closed: (id, reason) => this.#input((now) => this.#node.closed(now, id, reason)),
      },
      { gate: options.gate },
    )
    this.#node = options.createNode(this)
    this.#alarm.set(this.#node.nextWakeUpMs())
  }

  /** Takes a connection from the listener. */
  accept(socket: Socket): void {
    const proceed = () => this.#accepted(socket)
    if (this.#options.gate === undefined) proceed()
    else this.#options.gate.admit(socket, proceed)
  }

  stop(signal?: StopSignal): void {
    this.#input((now) => this.#node.stopRequested(now, signal))
  }

  /** Looks at the node at this moment: a turn first, so that it has noticed what the clocks say. */
  look<Seen>(read: () => Seen): Seen {
    this.#input((now) => this.#node.wake(now))
    return read()
  }

  /** What SIGKILL does: from now on nothing is written, decided or kept open. */
  abandon(): void {
    this.#hasExited = true
    this.#alarm.stop()
    this.#connections.abandon()
  }

  write(connection: ConnectionId, bytes: string): void {
    this.#connections.write(connection, bytes)
  }

  queuedBytes(connection: ConnectionId): number {
    return this.#connections.queuedBytes(connection)
  }

  close(connection: ConnectionId, isAtOnce?: boolean): void {
    this.#departing.delete(connection)
    this.#connections.close(connection, isAtOnce)
  }

  connect(connection: ConnectionId, host: string, port: number): void {
    const { gate } = this.#options
    const open = () => this.#open(connection, host, port)
    if (gate === undefined) {
      open()
    } else {
      this.#departing.add(connection)
      gate.depart(() => (this.#departing.delete(connection) ? open() : undefined))
    }
  }

  saveSettings(settings: ReadonlyMap<string, string>, users: LearntUsers | undefined): SaveResult {
    return this.#options.saveSettings(settings, users)
  }

  askFile(id: FileRequestId, request: FileRequest): undefined {
    void this.#options.files.ask(request).then((answer) => {
      this.#input((now) => this.#node.fileAnswered(now, id, answer))
    })
  }

  appendNow(path: string, bytes: string): FileFailure | undefined {
    return this.#options.files.appendNow(path, bytes)
  }

  ready(): void {
    this.#options.onReady?.()
  }

  /** The system is asked for a fact when it is read: most INFOs want two of them, and each is a system call. */
  processFacts(): NodeProcessFacts {
    const memory = onceAsked(() => this.#memory.read())
    const cpu = onceAsked(() => process.cpuUsage())
    return {
      processId: process.pid,
      version: this.#options.version ?? '',
      isRunning,
      get usedBytes() {
        return memory().usedBytes
      },
      get reservedBytes() {
        return memory().reservedBytes
      },
      get residentBytes() {
        return memory().residentBytes
      },
      get userCpuMicros() {
        return cpu().user
      },
      get systemCpuMicros() {
        return cpu().system
      },
      os: OS,
      executable: ownFile(),
      configFile: this.#options.configFile ?? '',
      supervisedBy: this.#options.supervisedBy ?? 'no',
      machineBytes: MACHINE_BYTES,
    }
  }

  log(level: NodeLogLevel, text: string): void {
    this.#options.logger.log(level, text)
  }

  exit(status: number, reason?: string): void {
    if (this.#hasExited) return
    this.#hasExited = true
    this.#alarm.stop()
    this.#options.onEnding?.()
    void this.#connections.closeAll().then(() => this.#options.onExit(status, reason))
  }

  #accepted(socket: Socket): void {
    const ends = endpointsOf(socket)
    if (ends === undefined || this.#hasExited) {
      socket.destroy()
      return
    }
    const id = ++this.#lastIncomingId
    this.#connections.add(id, socket)
    this.#input((now) => this.#node.accepted(now, id, ends))
  }

  #open(id: ConnectionId, host: string, port: number): Socket {
    const { tls } = this.#options
    const raw = new Socket()
    this.#surroundings.dial(raw, host, port)
    const socket = tls?.over(raw, host, port) ?? raw
    this.#connections.add(id, socket)
    socket.once(socket === raw ? 'connect' : 'secureConnect', () => {
      const ends = endpointsOf(socket)
      if (ends === undefined) return
      this.#input((now) => {
        // The node may have given up on the connection a moment ago.
        if (this.#connections.has(id)) this.#node.connected(now, id, ends)
      })
    })
    return socket
  }

  #input(feed: (now: Moment) => void): void {
    this.#feed(feed)
    this.#setAlarm()
  }

  #feed(feed: (now: Moment) => void): void {
    this.#surroundings.admit(() => {
      if (!this.#hasExited) feed(this.#surroundings.clock.read())
    })
  }

  /** Follows every input: it may have changed when the node wants to be woken. */
  #setAlarm(): void {
    this.#surroundings.admit(() => {
      if (!this.#hasExited) this.#alarm.set(this.#node.nextWakeUpMs())
    })
  }
}

/** Asks at the first call, and repeats the answer. */
function onceAsked<Answer>(ask: () => Answer): () => Answer {
  let answer: Answer | undefined
  return () => {
    answer ??= ask()
    return answer
  }
}

/** A process of another user counts as running too. */
function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Undefined if the connection has already broken. */
function endpointsOf(socket: Socket): Endpoints | undefined {
  const path = unixPathOf(socket)
  if (path !== undefined) {
    return { remoteHost: path, remotePort: 0, localHost: path, localPort: 0 }
  }
  const { remoteAddress, remotePort, localAddress, localPort } = socket
  if (remoteAddress === undefined || remotePort === undefined) return undefined
  if (localAddress === undefined || localPort === undefined) return undefined
  socket.setKeepAlive(true, KEEPALIVE_MS)
  return {
    remoteHost: plainHost(remoteAddress),
    remotePort,
    localHost: plainHost(localAddress),
    localPort,
  }
}

/** Resident memory is not asked for more often: that opens a file of the system, and takes longer than the rest of INFO. */
const RESIDENT_FOR_MS = 100

/**
 * What the process knows of its memory. If no more files can be opened the engine throws instead of telling the resident
 * bytes: then the last answer is repeated, for INFO must never end a node that is full of clients.
 */
export class MemoryFacts {
  readonly #ask: () => number
  readonly #nowMs: () => number
  #residentBytes = 0
  #askedAtMs = Number.NEGATIVE_INFINITY

  constructor(
    ask: () => number = process.memoryUsage.rss,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#ask = ask
    this.#nowMs = nowMs
  }

  /** Bytes used and reserved of the runtime's heap and buffers, and resident bytes, which may be a tenth of a second old. */
  read(): Pick<NodeProcessFacts, 'usedBytes' | 'reservedBytes' | 'residentBytes'> {
    const { used_heap_size, total_heap_size, external_memory } = getHeapStatistics()
    return {
      usedBytes: used_heap_size + external_memory,
      reservedBytes: total_heap_size + external_memory,
      residentBytes: this.#resident(),
    }
  }

  #resident(): number {
    const nowMs = this.#nowMs()
    if (nowMs < this.#askedAtMs + RESIDENT_FOR_MS) return this.#residentBytes
    this.#askedAtMs = nowMs
    try {
      this.#residentBytes = this.#ask()
    } catch {
      // EMFILE: see above.
    }
    return this.#residentBytes
  }
}
