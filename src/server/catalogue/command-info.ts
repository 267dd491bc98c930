/**
 * What is known of a command besides how it runs. COMMAND shows it, the gate refuses by it, and INFO
 * counts in it; none of them needs the handler, so commands can look each other up in their context.
 */
import type { KeySpec } from './key-spec.ts'

export interface CommandInfo {
  /** `get`, `config|get`. */
  readonly fullName: string
  /** Words including the name(s); negative: at least so many. */
  readonly arity: number
  readonly group: string
  readonly flags: readonly string[]
  /** ACL categories, each with its `@`. */
  readonly categories: readonly string[]
  readonly keySpecs: readonly KeySpec[]
  readonly firstKey: number
  readonly lastKey: number
  readonly keyStep: number
  readonly subcommands: ReadonlyMap<string, CommandInfo> | undefined

  readonly isRead: boolean
  readonly isWrite: boolean
  /** Looking up a key counts as using it. */
  readonly touchesKeys: boolean
  /** Its effects may reach replicas although it writes no key: PUBLISH. */
  readonly mayReplicate: boolean
  readonly isStale: boolean
  /** May run while the data are being loaded. */
  readonly isForLoading: boolean
  readonly isNoAuth: boolean
  readonly isNoMulti: boolean
  /** Reads or writes keys. */
  readonly hasKeys: boolean
  /** May be sent by a RESP2 client that is subscribed. */
  readonly isForSubscribers: boolean

  calls: number
  rejectedCalls: number
  failedCalls: number
}

/** `words` counts the name as well. */
export function acceptsArity({ arity }: CommandInfo, words: number): boolean {
  return arity >= 0 ? words === arity : words >= -arity
}
