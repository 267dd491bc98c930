/** Why a session reads no further commands for now, and what ends that. */
import type { Reply } from '../../resp/reply.ts'
import type { CommandInfo } from '../catalogue/command-info.ts'
import type { Value } from '../values/value.ts'
import type { EffectContext } from './effect-context.ts'

export interface Blocked {
  /** Monotonic milliseconds; undefined: waits for ever. */
  readonly deadlineMs: number | undefined
  readonly onTimeout: () => Reply
  /** Set by the commands that wait for a key (BLPOP, XREAD), undefined for WAIT. */
  readonly wait: KeyWait | undefined
  /** What it is answered if the role of the node changes; undefined: that it waits no longer. */
  readonly atRoleChange?: Reply | undefined
}

/** A wait until one of some keys has something for the client. */
export interface KeyWait {
  /** Index of the database. */
  readonly db: number
  readonly keys: readonly string[]
  /** The type of value that the client can use. */
  readonly type: Value['type']
  /**
   * Called in the client's name when the key may have something. Replicas are told its changes as
   * if a command had made them. Undefined: there is nothing for this client, which waits on.
   */
  readonly serve: (scene: EffectContext, key: string) => Reply | undefined
}

/** The command that made a session wait: it is measured as a whole when it has been served. */
export interface BlockedRun {
  readonly command: CommandInfo
  readonly argv: readonly string[]
  /** How long it took until it waited. */
  readonly micros: number
}
