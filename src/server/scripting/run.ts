/** One run of a script or a function: what it may do, and for which client. */
import type { Moment } from '../../base/clock.ts'
import type { Reply } from '../../resp/reply.ts'
import type { EffectTargets } from '../effects.ts'
import type { NodeLogLevel } from '../port.ts'
import type { ClientSession } from '../sessions/session.ts'

/** What the first line of a script says of it. */
export interface ScriptFlags {
  /** `no-writes`: it only reads. */
  readonly noWrites: boolean
  /** It may write although there is no room. */
  readonly allowOom: boolean
  /** It may run on a replica that has lost its master. */
  readonly allowStale: boolean
  /** The script has no first line that says anything: each command is checked for itself. */
  readonly isOldStyle: boolean
}

export interface RunningScript {
  readonly kind: 'eval' | 'function'
  /** The digest of a script or the name of a function, as errors end with it. */
  readonly name: string
  /** The command with which it was called, for FUNCTION STATS. */
  readonly argv: readonly string[]
  /** In which its commands run. */
  readonly session: ClientSession
  readonly flags: ScriptFlags
  readonly isReadOnly: boolean
  /**
   * It comes from our master's stream or from a file, so nothing refuses it. It runs to its end at once, because the
   * commands behind it build upon what it does.
   */
  readonly isObeyed: boolean
  readonly startedAt: Moment
  /** It has run a command that writes, so it cannot be killed any more. */
  readonly hasWritten: boolean
  /** Runs a command, or refuses it. */
  call(argv: readonly string[]): Reply
  /** Whether the rights of the caller allow it; undefined: there is no such command. */
  mayRun(argv: readonly string[]): boolean | undefined
  setTargets(targets: EffectTargets): void
  log(level: NodeLogLevel, text: string): void
}
