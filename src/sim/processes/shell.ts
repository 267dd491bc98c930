/**
 * What the programs of a run that are not part of the cluster (clients, the observer) see of the
 * process they run in. The same programs run in simulated processes and over real sockets: nothing
 * here reveals which. Times are the process's own; such a program never knows the true time.
 */
import type { Moment } from '../../base/clock.ts'
import type { SocketHandler } from '../network/socket.ts'

/** One end of a connection that was opened by `Shell.connect`. */
export interface ShellConnection {
  /** Latin1: one character is one byte. Ignored before `connected` and after the end. */
  write(bytes: string): void
  /** Closes our half: what was written still goes out, and the handler hears what comes until the other side closes. */
  closeSending(): void
  /** What was written still goes out; the handler hears nothing any more. */
  close(): void
}

export interface Shell {
  readonly name: string
  /** How many times the process was started. */
  readonly life: number
  now(): Moment
  /**
   * Opens a connection. The handler hears `connected`, or `closed` with the reason, but never
   * before this call has returned. A connection that is not established after `timeoutMs` is
   * closed.
   */
  connect(host: string, port: number, timeoutMs: number, handler: SocketHandler): ShellConnection
  /** The process ends here and now. */
  exit(): void
}
