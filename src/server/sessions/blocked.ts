/** Why a session reads no further commands for now, and what ends that. */
import type { Reply } from '../../resp/reply.ts'
import type { Value } from '../values/value.ts'
import type { Scene } from './scene.ts'

export interface Blocked {
  /** Monotonic milliseconds; undefined: waits for ever. */
  readonly deadlineMs: number | undefined
  readonly onTimeout: () => Reply
  /** Set by the commands that wait for a key (BLPOP, XREAD), undefined for WAIT. */
  readonly wait: KeyWait | undefined
}

/** A wait for one of some keys to have something for the client. */
export interface KeyWait {
  /** Index of the database. */
  readonly db: number
  readonly keys: readonly string[]
  /** What the client can make use of. */
  readonly type: Value['type']
  /**
   * Called in the client's name when the key may have it. What it does is told to replicas as if a
   * command had done it. Undefined: there is nothing for this client, it waits on.
   */
  readonly serve: (scene: Scene, key: string) => Reply | undefined
}
