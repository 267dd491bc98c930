/**
 * Drives a data node over real sockets: every input is passed on with the moment it came at, and after
 * it the one timer is set to when the node wants to be woken. It decides nothing.
 */
import { Socket } from 'node:net'
import { totalmem } from 'node:os'
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
  LearntUsers,
  NodeInputs,
  NodeLogLevel,
  NodePort,
  ProcessFacts,
  SaveResult,
  StopSignal,
} from '../server/port.ts'
import { plainHost } from './address.ts'
import { Alarm } from './alarm.ts'
import { Connections } from './connections.ts'
import type { Gate } from './gate.ts'
import type { Logger } from './logger.ts'
import { MemoryFacts } from './memory-facts.ts'
import { operatingSystem, ownFile } from './process-facts.ts'
import { kernelSurroundings, type Surroundings } from './surroundings.ts'
import type { Tls } from './tls.ts'

/** The folder of a data node, see node-files.ts. */
export interface NodeFolder {
  /** Never rejects. */
  ask(request: FileRequest): Promise<FileAnswer>
  appendNow(path: string, bytes: string): FileFailure | undefined
}

export interface NodeHostOptions {
  /** Builds the node on its port. Called once; until it returns only files may be asked of the port. */
  readonly createNode: (port: NodePort) => NodeInputs
  readonly logger: Logger
  /** Undefined: kept. Otherwise the text of an error reply. */
  readonly saveSettings: (
    settings: ReadonlyMap<string, string>,
    users: LearntUsers | undefined,
  ) => SaveResult
  /** Where the node keeps its data. */
  readonly files: NodeFolder
  /** The user's configuration file, as an absolute path; for INFO. */
  readonly configFile?: string
  /** Who is told when the node is ready, `no` or `systemd`; for INFO. */
  readonly supervisedBy?: string
  /** Its data are loaded. */
  readonly onReady?: () => void
  /** Everything has been written; the process may end. */
  readonly onExit: (status: number, reason?: string) => void
  /** [bind-source-addr] The address connections to a master are opened from. */
  readonly localAddress?: string | undefined
  readonly gate?: Gate | undefined
  /** Undefined: connections to a master are plain. */
  readonly tls?: Tls | undefined
  /** Undefined: the kernel's own, with connections from `localAddress`. */
  readonly surroundings?: Surroundings | undefined
}

/** It does not change while the process runs. */
const OS = operatingSystem()

/** What a half-open connection is found out by, as Redis' tcp-keepalive. */
const KEEPALIVE_MS = 300_000

export class NodeHost implements NodePort {
  readonly #options: NodeHostOptions
  readonly #surroundings: Surroundings
  readonly #node: NodeInputs
  readonly #connections: Connections
  readonly #alarm: Alarm
  readonly #memory = new MemoryFacts()
  /** Outgoing connections that wait for the gate to open. */
  readonly #departing = new Set<ConnectionId>()
  #lastIncomingId = 0
  #hasExited = false

  constructor(options: NodeHostOptions) {
    this.#options = options
    this.#surroundings = options.surroundings ?? kernelSurroundings(options.localAddress)
    const wake = () => this.#input((now) => this.#node.wake(now))
    this.#alarm = new Alarm(wake, this.#surroundings.clock)
    this.#connections = new Connections(
      {
        received: (id, bytes) => this.#input((now) => this.#node.received(now, id, bytes)),
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

  /** What SIGKILL does: nothing more is written, decided or kept open. */
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

  close(connection: ConnectionId): void {
    this.#departing.delete(connection)
    this.#connections.close(connection)
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

  processFacts(): ProcessFacts {
    const { user, system } = process.cpuUsage()
    return {
      processId: process.pid,
      isRunning,
      ...this.#memory.read(),
      // The kernel counts this in KiB.
      peakBytes: process.resourceUsage().maxRSS * 1024,
      userCpuMicros: user,
      systemCpuMicros: system,
      os: OS,
      executable: ownFile(),
      configFile: this.#options.configFile ?? '',
      supervisedBy: this.#options.supervisedBy ?? 'no',
      machineBytes: totalmem(),
    }
  }

  log(level: NodeLogLevel, text: string): void {
    this.#options.logger.log(level, text)
  }

  exit(status: number, reason?: string): void {
    if (this.#hasExited) return
    this.#hasExited = true
    this.#alarm.stop()
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
        // The node may have given up on it a moment ago.
        if (this.#connections.has(id)) this.#node.connected(now, id, ends)
      })
    })
    return socket
  }

  #input(feed: (now: Moment) => void): void {
    this.#surroundings.admit(() => {
      if (this.#hasExited) return
      feed(this.#surroundings.clock.read())
      if (!this.#hasExited) this.#alarm.set(this.#node.nextWakeUpMs())
    })
  }
}

/** One that belongs to somebody else runs too. */
function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Undefined when the connection has broken already. */
function endpointsOf(socket: Socket): Endpoints | undefined {
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
