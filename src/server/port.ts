/** The border of the data node: what it asks of the world, and what the world tells it. */
import type { Moment } from '../base/clock.ts'
import type { JournalEvent } from '../journal/event-table.ts'
import type { FileAnswer, FileFailure, FileRequest, FileRequestId } from './persistence/files.ts'

/**
 * One TCP connection, incoming or outgoing. The side that opens it chooses the id and never reuses
 * it.
 */
export type ConnectionId = number

export type NodeLogLevel = 'debug' | 'verbose' | 'notice' | 'warning'

/**
 * What a data node asks of the world. `io/` answers with sockets and files, `sim/` with a simulated
 * network and disk. Calls return facts and immediate results only: everything that takes time comes
 * back as an input.
 */
export interface NodePort {
  /** Appends latin1 bytes to a connection's output. Ignored when the connection is gone. */
  write(connection: ConnectionId, bytes: string): void
  /** Bytes written but not yet taken by the kernel; snapshots are paced by this number. */
  queuedBytes(connection: ConnectionId): number
  /**
   * Closes the connection once everything written has been flushed; `isAtOnce`: bytes that have not
   * left yet are dropped. No `closed` input follows.
   */
  close(connection: ConnectionId, isAtOnce?: boolean): void
  /** Opens an outgoing connection under an id that the node took from its own counter. */
  connect(connection: ConnectionId, host: string, port: number): void
  /**
   * Keeps the changes for CONFIG REWRITE: the differences from the user's file, never that file
   * itself.
   */
  saveSettings(settings: ReadonlyMap<string, string>, users: LearntUsers | undefined): SaveResult
  /**
   * Sends a request to the node's folder. Undefined: the answer will come as `fileAnswered`; an
   * answer known at once may be returned at once. Requests on one path are carried out in order.
   */
  askFile(id: FileRequestId, request: FileRequest): FileAnswer | undefined
  /**
   * Appends to a file before it returns: after that, a killed process loses none of it. A write
   * that fails leaves nothing behind. A missing file is never created anew (ENOENT): it would lack
   * the contents of the one before. Undefined: the bytes are written.
   */
  appendNow(path: string, bytes: string): FileFailure | undefined
  /** Called once, when the data are loaded and the node can serve clients. */
  ready(): void
  /** Facts for INFO; read only when a client asks. */
  processFacts(): NodeProcessFacts
  /**
   * Microseconds since some moment, to measure how long things take; no decision depends on it.
   * Undefined: nothing is measured.
   */
  readonly stopwatch?: (() => number) | undefined
  /** Undefined: no limit of the memory is known. */
  readonly heap?: HeapMeter | undefined
  /** [black-box] Puts a fact on record. Undefined: there is no record. */
  readonly note?: ((now: Moment, event: JournalEvent) => void) | undefined
  log(level: NodeLogLevel, text: string): void
  /**
   * Ends the process after everything written has been flushed. `reason` is for the parent or
   * supervisor.
   */
  exit(status: number, reason?: string): void
}

/**
 * The users as ACL SETUSER and DELUSER left them. They hold while the file's own users stay the
 * same.
 */
export interface LearntUsers {
  /** Identifies what the file said about users when this was saved. */
  readonly basis: string
  /** One `user` line each, split into words, the name first. */
  readonly lines: readonly (readonly string[])[]
}

/** Facts about the process that only the operating system knows. */
export interface NodeProcessFacts {
  readonly processId: number
  /** Of Vedette: `0.1.0`. */
  readonly version: string
  /** Whether a process with that id runs on this machine. */
  isRunning(processId: number): boolean
  /** Memory in use, as the runtime counts it, and what it has taken from the system for that. */
  readonly usedBytes: number
  readonly reservedBytes: number
  readonly residentBytes: number
  readonly userCpuMicros: number
  readonly systemCpuMicros: number
  /** Name, release and hardware of the operating system. */
  readonly os: string
  /** The program's own file. */
  readonly executable: string
  /** The user's configuration file, as an absolute path; empty when there is none. */
  readonly configFile: string
  /** Which supervisor is told when the node is ready: `no` or `systemd`. */
  readonly supervisedBy: string
  /** All memory of the machine. */
  readonly machineBytes: number
}

/** The memory in which data and connections live. */
export interface HeapMeter {
  /** Takes about a microsecond. */
  read(): HeapReading
  /**
   * Collects all garbage before it returns, while no client is served. Returns how many ms it took.
   */
  collect(): number
}

export interface HeapReading {
  /** Garbage included. */
  readonly usedBytes: number
  /** The size at which the runtime ends the process. 0: there is no limit. */
  readonly limitBytes: number
  /** What was in use after the last full garbage collection. */
  readonly collectedBytes: number
  /** How many full garbage collections there have been. */
  readonly collections: number
}

/** Facts of a simulated process. No real process has this id, so it cannot be killed by mistake. */
export const SIMULATED_PROCESS: NodeProcessFacts = {
  processId: 2 ** 30,
  version: 'simulated',
  isRunning: () => false,
  usedBytes: 0,
  reservedBytes: 0,
  residentBytes: 0,
  userCpuMicros: 0,
  systemCpuMicros: 0,
  os: '',
  executable: '',
  configFile: '',
  supervisedBy: 'no',
  machineBytes: 0,
}

/** The signals that ask a process to end: from its supervisor, and from a terminal. */
export type StopSignal = 'SIGTERM' | 'SIGINT'

/**
 * Undefined: saved. Otherwise the reason why not, as the text of an error reply without its dash.
 */
export type SaveResult = string | undefined

/** The two ends of a connection, as numeric addresses. */
export interface Endpoints {
  readonly remoteHost: string
  readonly remotePort: number
  readonly localHost: string
  readonly localPort: number
}

/**
 * What the world tells a data node. Every call carries the moment at which it happens; moments
 * never go back on the monotonic clock. After any call, `nextWakeUpMs` says when to call `wake`.
 */
export interface NodeInputs {
  /** A client or replica connected to us. Ids of incoming connections are positive. */
  accepted(now: Moment, connection: ConnectionId, ends: Endpoints): void
  /** A connection we opened is established. Ids of outgoing connections are negative. */
  connected(now: Moment, connection: ConnectionId, ends: Endpoints): void
  received(now: Moment, connection: ConnectionId, bytes: string): void
  /** How much of a long value that is being received is still missing: as much may be read at once. */
  awaitedBytes(connection: ConnectionId): number
  /** The peer or the network closed the connection, or it could not be opened. */
  closed(now: Moment, connection: ConnectionId, reason: string): void
  /**
   * The peer sends no more, and may still read (`printf … | nc`). The node answers what it has carried out, and closes.
   */
  halfClosed(now: Moment, connection: ConnectionId): void
  /** The answer to an `askFile`. */
  fileAnswered(now: Moment, id: FileRequestId, answer: FileAnswer): void
  wake(now: Moment): void
  /** Without a signal, the node acts as with SIGTERM. */
  stopRequested(now: Moment, signal?: StopSignal): void
  /** Monotonic milliseconds; undefined when nothing is due. */
  nextWakeUpMs(): number | undefined
}
