/**
 * What the programs of a run that are no part of the cluster (clients, the observer) see of the
 * process they run in. The same programs run in simulated processes and over real sockets: nothing
 * here tells which. Times are the process's own; what true time it is, such a program never knows.
 */
import type { Moment } from '../base/clock.ts'
import type { SocketEnds, SocketHandler } from './socket.ts'

/** One end of a connection that was opened by `Shell.connect`. */
export interface Connection {
  readonly ends: SocketEnds
  /** Latin1: one character is one byte. Ignored before `connected` and after the end. */
  write(bytes: string): void
  /** What was written still goes out; the handler hears nothing any more. */
  close(): void
}

export interface Shell {
  readonly name: string
  /** How often the process was started. */
  readonly life: number
  now(): Moment
  /**
   * Opens a connection. The handler hears `connected` or `closed` with the reason, never before this
   * call has returned. One that is not established after `timeoutMs` is closed.
   */
  connect(host: string, port: number, timeoutMs: number, handler: SocketHandler): Connection
  /** The process ends here and now. */
  exit(): void
}
