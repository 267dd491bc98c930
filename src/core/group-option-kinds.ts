/**
 * What the table of group options (group-options.ts) says of each option: the columns of its rows, and the
 * kinds of values.
 */

import type { ClientAddress } from '../base/network-addresses.ts'

interface AnyOption {
  /** The name of the option in sentinel.conf, SENTINEL SET and SENTINEL MASTER, and in the log. */
  readonly name: string
  /** Other words for it in sentinel.conf and SENTINEL SET. */
  readonly aliases?: readonly string[]
  /** The name of the option in sentinel.yml. */
  readonly yml: string
  /** What the option is for, in the words of the example file and the docs. */
  readonly doc: string
  /** The option has no line of its own in sentinel.conf: it is a word of `sentinel monitor`. */
  readonly isInMonitor?: true
  /**
   * Whether SENTINEL SET may change it. `if-allowed`: only with deny-scripts-reconfig switched off.
   */
  readonly set: 'yes' | 'if-allowed' | 'no'
  /** Where the option is shown: for all instances, for the master only, or not at all. */
  readonly shown: 'instances' | 'master' | 'no'
  /**
   * The option's place among the lines redis-sentinel writes into its file. Undefined:
   * redis-sentinel does not know it.
   */
  readonly redisPlace?: number
  /**
   * For an option that redis-sentinel does not know: what redis-sentinel lacks, and what it does
   * instead.
   */
  readonly redisLacks?: {
    readonly what: string
    instead(group: { readonly downAfterMs: number }): string
  }
  /** The option has no effect unless that other option has this value. */
  readonly onlyWith?: { readonly key: 'detection' | 'replication'; readonly value: string }
  /** Neither events nor the log show the value. */
  readonly isSecret?: true
  /** The option is shown only where it is set to something else than its default. */
  readonly isShownIfSet?: true
}

/**
 * What a value is. `default` is missing if the user has to choose. Durations are milliseconds; 0 is
 * allowed if `least` is 0, and means none. An empty text means none, too.
 */
export type GroupOption = AnyOption &
  (
    | CountOption
    | { readonly kind: 'duration'; readonly least: 0 | 1; readonly default: number }
    | { readonly kind: 'text'; readonly default: string }
    /** The path of a program; error texts call it by `title`. `hook`: or an http or https URL. */
    | { readonly kind: 'script' | 'hook'; readonly default: string; readonly title: string }
    | { readonly kind: 'renames'; readonly default: readonly RenamedCommand[] }
    | HostRulesOption
    | ClientAddressesOption
    /** Texts in an order; a sentinel.conf and SENTINEL SET name one at a time. */
    | { readonly kind: 'texts'; readonly default: readonly string[] }
    | WordOption
  )

/**
 * What holds for the nodes at some hosts. The most specific pattern decides, so the order of the
 * rules has no meaning; see `hostRule`.
 */
export interface HostRulesOption {
  readonly kind: 'rules'
  readonly default: readonly HostRule[]
  /** What a rule may say; undefined: any word. */
  readonly ruleWords?: readonly string[]
  /** An example for those who wrote something else. */
  readonly example: string
}

/** A pattern of addresses, as in `10.0.0.*` or `10.0.0.3:6379`, and what holds for them. */
export type HostRule = readonly [pattern: string, word: string]

/** What clients from elsewhere are told of addresses; see base/network-addresses.ts. */
export interface ClientAddressesOption {
  readonly kind: 'addresses'
  readonly default: readonly ClientAddress[]
  /** An example for those who wrote something else. */
  readonly example: string
}

export interface CountOption {
  readonly kind: 'count'
  readonly least: number
  readonly default?: number
  /**
   * What to say about a smaller number in a sentinel.conf, which Redis accepts; undefined: we
   * refuse it.
   */
  readonly tooSmall?: { readonly message: string; readonly hint: string }
}

export interface WordOption {
  readonly kind: 'word'
  readonly words: readonly string[]
  readonly default: string
  /** What redis-sentinel does: a sentinel.conf that does not set the option means this. */
  readonly asInRedis: string
}

/** The command's own name in lower case, and the name under which it is sent. */
export type RenamedCommand = readonly [name: string, sentAs: string]
