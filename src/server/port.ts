/** The border of the data node: what it asks of the world, and what the world tells it. */
import type { Moment } from '../base/clock.ts'
import type { FileAnswer, FileFailure, FileRequest, FileRequestId } from './persistence/files.ts'

/** One TCP connection, incoming or outgoing. Chosen by whoever opens it, never reused. */
export type ConnectionId = number

export type NodeLogLevel = 'debug' | 'verbose' | 'notice' | 'warning'

/**
 * What a data node asks of the world. `io/` answers it with sockets and files, `sim/` with a
 * simulated network and disk. Nothing here returns anything but facts about the output queue:
 * results come back as inputs.
 */
export interface NodePort {
  /** Appends latin1 bytes to a connection's output. Ignored when the connection is gone. */
  write(connection: ConnectionId, bytes: string): void
  /** Bytes written but not yet taken by the kernel: what snapshots are paced by. */
  queuedBytes(connection: ConnectionId): number
  /** Closes once everything written has been flushed. No `closed` input follows. */
  close(connection: ConnectionId): void
  /** Opens an outgoing connection under an id the node took from its own counter. */
  connect(connection: ConnectionId, host: string, port: number): void
  /** What CONFIG REWRITE keeps: what differs from the user's file, never that file itself. */
  saveSettings(settings: ReadonlyMap<string, string>, users: LearntUsers | undefined): SaveResult
  /**
   * Asks something of the node's folder. Undefined: the answer will come as `fileAnswered`; one that is
   * known at once may be given at once. Requests on one path are carried out in their order.
   */
  askFile(id: FileRequestId, request: FileRequest): FileAnswer | undefined
  /**
   * Appends to a file before it returns, making it if it is not there: after that a killed process loses
   * none of it. Of a write that fails nothing stays. Undefined: done.
   */
  appendNow(path: string, bytes: string): FileFailure | undefined
  /** The data are loaded: the node is of use from now on. Called once. */
  ready(): void
  /** For INFO; asked only when a client asks. */
  processFacts(): ProcessFacts
  log(level: NodeLogLevel, text: string): void
  /** Ends the process, after everything written has been flushed. `reason`: for whoever started it. */
  exit(status: number, reason?: string): void
}

/** The users as ACL SETUSER and DELUSER have made them. They count for as long as the file says the same. */
export interface LearntUsers {
  /** Stands for what the file said of users when this was saved. */
  readonly basis: string
  /** Each the words of a `user` line, the name first. */
  readonly lines: readonly (readonly string[])[]
}

/** What only the operating system knows about the process. */
export interface ProcessFacts {
  readonly processId: number
  /** Whether there is a process of that id on this machine. */
  isRunning(processId: number): boolean
  /** Memory in use, as the runtime counts it. */
  readonly usedBytes: number
  readonly residentBytes: number
  /** The most that was resident at any time. */
  readonly peakBytes: number
  readonly userCpuMicros: number
  readonly systemCpuMicros: number
  /** Name, release and hardware of the operating system. */
  readonly os: string
  /** The program's own file. */
  readonly executable: string
  /** The user's configuration file, as an absolute path; empty when there is none. */
  readonly configFile: string
  /** Who is told when the node is ready: `no` or `systemd`. */
  readonly supervisedBy: string
  /** All memory of the machine. */
  readonly machineBytes: number
}

/** Of a process that is only simulated. Its id is one that nobody can kill by mistake. */
export const SIMULATED_PROCESS: ProcessFacts = {
  processId: 2 ** 30,
  isRunning: () => false,
  usedBytes: 0,
  residentBytes: 0,
  peakBytes: 0,
  userCpuMicros: 0,
  systemCpuMicros: 0,
  os: '',
  executable: '',
  configFile: '',
  supervisedBy: 'no',
  machineBytes: 0,
}

/** What a process is asked to end with: by its supervisor, and by a terminal. */
export type StopSignal = 'SIGTERM' | 'SIGINT'

/** Undefined: saved. Otherwise why not, as the text of an error reply without its dash. */
export type SaveResult = string | undefined

/** The two ends of a connection, as numeric addresses. */
export interface Endpoints {
  readonly remoteHost: string
  readonly remotePort: number
  readonly localHost: string
  readonly localPort: number
}

/**
 * What the world tells a data node. Every call carries the moment it happens at; moments never go
 * back on the monotonic clock. After any call, `nextWakeUpMs` says when `wake` wants to be called.
 */
export interface NodeInputs {
  /** A client or replica connected to us. Ids of incoming connections are positive. */
  accepted(now: Moment, connection: ConnectionId, ends: Endpoints): void
  /** A connection we opened is established. Ids of outgoing connections are negative. */
  connected(now: Moment, connection: ConnectionId, ends: Endpoints): void
  received(now: Moment, connection: ConnectionId, bytes: string): void
  /** The other side or the network closed it, or it could not be opened. */
  closed(now: Moment, connection: ConnectionId, reason: string): void
  /** What `askFile` asked for. */
  fileAnswered(now: Moment, id: FileRequestId, answer: FileAnswer): void
  wake(now: Moment): void
  /** Without a signal it is as with SIGTERM. */
  stopRequested(now: Moment, signal?: StopSignal): void
  /** Monotonic milliseconds; undefined when nothing is due. */
  nextWakeUpMs(): number | undefined
}
