/**
 * What is known about a command besides how it runs. COMMAND shows it, the gate refuses by it, and
 * INFO counts in it; none of them needs the handler, so a command can look up others in its
 * context.
 */

import type { LatencyHistogram } from '../watching/latency-histogram.ts'
import type { CommandTraits } from './command-traits.ts'
import type { KeySpec } from './key-spec.ts'

/** What a command asks of the state of the node: by its flags, or by what its script declares. */
export type Demands = Pick<CommandInfo, 'isWrite' | 'mayReplicate' | 'isStale' | 'needsMemory'>

export interface CommandInfo {
  /** `get`, `config|get`. */
  readonly fullName: string
  /** Number of words, the name(s) included; negative: at least so many. */
  readonly arity: number
  readonly group: string
  /** As COMMAND shows them. */
  readonly flags: readonly string[]
  /** ACL categories, each with its `@`. */
  readonly categories: readonly string[]
  readonly keySpecs: readonly KeySpec[]
  readonly firstKey: number
  readonly lastKey: number
  readonly keyStep: number
  readonly traits: CommandTraits
  readonly subcommands: ReadonlyMap<string, CommandInfo> | undefined

  readonly isRead: boolean
  readonly isWrite: boolean
  /** Looking up a key counts as using it. */
  readonly touchesKeys: boolean
  /** Subscribers are told of the keys it misses. */
  readonly tellsMisses: boolean
  /** The command uses its keys even after CLIENT NO-TOUCH. */
  readonly alwaysTouches: boolean
  /** Replicas are told one by one of the expired keys that the command meets. */
  readonly touchesArbitraryKeys: boolean
  /** Its effects may reach replicas although it writes no key: PUBLISH. */
  readonly mayReplicate: boolean
  /** Its effects reach replicas and are not kept: PUBLISH. */
  readonly isMessage: boolean
  /** Replication streams and files hold it around or between their writes: MULTI, SELECT. */
  readonly isFrame: boolean
  /** Keeps or forgets scripts for EVALSHA. Servers before 7.0 tell replicas and files of it. */
  readonly keepsScript: boolean
  readonly isStale: boolean
  /** Refused when there is no room: `denyoom`. */
  readonly needsMemory: boolean
  /** A few bytes of the command may make the data grow by much: SETBIT, COPY, SUNIONSTORE. */
  readonly growsMuch: boolean
  /** Refused while the disk takes no data, as writes are: PING. */
  readonly needsDisk: boolean
  /** May run while the data are being loaded. */
  readonly isForLoading: boolean
  readonly isNoAuth: boolean
  /** May run while a script takes long. */
  readonly isForBusy: boolean
  /** Scripts may not call it. */
  readonly isNoScript: boolean
  /** It runs a script: EVAL, FCALL. */
  readonly runsScript: boolean
  readonly isNoMulti: boolean
  /** Runs at once even inside MULTI. */
  readonly isNotQueued: boolean
  /** It runs the queue of a transaction: EXEC. */
  readonly runsQueue: boolean
  /** [enable-debug-command] says which clients may run it. */
  readonly isProtected: boolean
  /** MONITOR does not show it. */
  readonly isHidden: boolean
  readonly skipsSlowLog: boolean
  /** Takes the same time whatever the size of the data: `fast`. */
  readonly isFast: boolean
  /** Reads or writes keys. */
  readonly hasKeys: boolean
  /** Does nothing but read or write keys, so that what lets one such command pass lets all of them pass. */
  readonly isOnData: boolean
  /** May be sent by a RESP2 client that is subscribed. */
  readonly isForSubscribers: boolean

  calls: number
  rejectedCalls: number
  failedCalls: number
  /** How long all calls together took. */
  micros: number
  /** [latency-tracking] How long the single calls took; undefined: none was measured. */
  latency: LatencyHistogram | undefined
}
