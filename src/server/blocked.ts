/** Why a session reads no further commands for now, and what ends that. */
import type { Reply } from '../resp/reply.ts'
import type { ListAction } from './list-actions.ts'

export interface Blocked {
  /** Monotonic milliseconds; undefined: waits for ever. */
  readonly deadlineMs: number | undefined
  readonly onTimeout: () => Reply
  /** Set by the blocking list commands, undefined for WAIT. */
  readonly wait: ListWait | undefined
}

/** A wait for the first of some lists to have an element. */
export interface ListWait {
  /** Index of the database. */
  readonly db: number
  readonly keys: readonly string[]
  readonly action: ListAction
}
