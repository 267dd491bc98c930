/**
 * What the spec of a command may declare besides its flags and its keys, and names for the
 * declarations that several commands share.
 */
import type { ChannelWords } from '../../acl/check.ts'

/**
 * For proxies and clients of clusters: to which nodes a request goes, and how the replies become
 * one.
 */
export type CommandTip =
  | 'nondeterministic_output'
  | 'nondeterministic_output_order'
  | `request_policy:${'all_nodes' | 'all_shards' | 'multi_shard' | 'special'}`
  | `response_policy:${'agg_logical_and' | 'agg_min' | 'agg_sum' | 'all_succeeded' | 'one_succeeded' | 'special'}`

export interface CommandTraits {
  /** ACL categories besides those that follow from its flags and its family. */
  readonly alsoIn?: readonly ('@admin' | '@dangerous')[]
  readonly tips?: readonly CommandTip[]
  /** Its group in COMMAND DOCS, if not that of its family. */
  readonly group?: 'cluster' | 'server'
  readonly channels?: ChannelWords
  /**
   * Whether these words read the keys that the key specification calls read; if absent, they always
   * do.
   */
  readonly readsKeys?: (argv: readonly string[]) => boolean
  /** Whether these words write the keys that it calls written; if absent, they always do. */
  readonly writesKeys?: (argv: readonly string[]) => boolean
  /** Which of these words are secret and must not be shown: passwords. */
  readonly secrets?: (argv: readonly string[]) => readonly number[]
  /** What its first argument is, if it runs a script: what the script declares counts in place of its flags. */
  readonly runs?: 'source' | 'digest' | 'function'
  /** The command may write far behind the end of a string, at an offset in these units. */
  readonly stretchesBy?: 'bits' | 'bytes'
}

/** Commands that can do much harm, though they are not flagged as administrative. */
export const DANGEROUS: CommandTraits = { alsoIn: ['@dangerous'] }
/** Commands whose reply depends on more than the data. */
export const VARYING: CommandTraits = { tips: ['nondeterministic_output'] }
export const UNORDERED: CommandTraits = { tips: ['nondeterministic_output_order'] }
/** Each shard gets the keys it holds, and the counts are added. */
export const SUM_OF_SHARDS: CommandTraits = {
  tips: ['request_policy:multi_shard', 'response_policy:agg_sum'],
}
export const ON_ALL_SHARDS: CommandTraits = {
  tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
}
export const ON_ALL_NODES: CommandTraits = {
  tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
}
/** Each shard reports for itself, and an operator has to read the reports. */
export const REPORT_OF_SHARD: CommandTraits = {
  tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
}
export const REPORT_OF_NODE: CommandTraits = {
  tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'],
}

/** For `secrets`: every word but the first ones. */
export function allBut(first: number): (argv: readonly string[]) => number[] {
  return (argv) => argv.flatMap((_, at) => (at < first ? [] : [at]))
}
