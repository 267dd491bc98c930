/**
 * The options of a group, each described once. From this table follow the type of GroupConfig, what
 * sentinel.yml and sentinel.conf may contain, SENTINEL SET, what is saved, restored and reloaded,
 * what SENTINEL MASTER, INFO vedette and `vedette status` show, and what `vedette export-conf`
 * writes, with its notes about options that redis-sentinel does not know. Tests compare
 * sentinel.yml.example and docs/options.md with it.
 *
 * The order of the rows is the order in all of these, except for the lines of an exported
 * sentinel.conf.
 */

import type { ClientAddress } from '../base/network-addresses.ts'
import type { GroupOption } from './group-option-kinds.ts'

export const GROUP_OPTIONS = {
  quorum: {
    ...{ name: 'quorum', yml: 'quorum', isInMonitor: true },
    ...{ kind: 'count', least: 1 },
    ...{ set: 'yes', shown: 'master', redisPlace: 0 },
    doc: 'How many Sentinels must agree that the master is down before one of them may ask for votes.',
  },
  downAfterMs: {
    ...{ name: 'down-after-milliseconds', yml: 'down-after' },
    ...{ kind: 'duration', least: 1, default: 30_000 },
    ...{ set: 'yes', shown: 'instances', redisPlace: 1 },
    doc: 'How long an instance must be silent before it counts as down.',
  },
  failoverTimeoutMs: {
    ...{ name: 'failover-timeout', yml: 'failover-timeout' },
    ...{ kind: 'duration', least: 1, default: 180_000 },
    ...{ set: 'yes', shown: 'master', redisPlace: 2 },
    doc: 'How long a failover may take; after an attempt, the same master is not failed over again for twice as long.',
  },
  parallelSyncs: {
    ...{ name: 'parallel-syncs', yml: 'parallel-syncs' },
    ...{ kind: 'count', least: 1, default: 1 },
    tooSmall: {
      message: 'no replica is reconfigured before the failover times out',
      hint: 'use 1 or more',
    },
    ...{ set: 'yes', shown: 'master', redisPlace: 3 },
    doc: 'How many replicas are reconfigured to the new master at the same time; they cannot serve reads meanwhile.',
  },
  authUser: {
    ...{ name: 'auth-user', yml: 'auth-user' },
    ...{ kind: 'text', default: '' },
    ...{ set: 'yes', shown: 'no', redisPlace: 7 },
    doc: 'User name for the data nodes; the user needs the permissions of a Sentinel; empty: the default user.',
  },
  authPass: {
    ...{ name: 'auth-pass', yml: 'auth-pass' },
    ...{ kind: 'text', default: '', isSecret: true },
    ...{ set: 'yes', shown: 'no', redisPlace: 6 },
    doc: 'Password for the data nodes; empty: none.',
  },
  authPassAlso: {
    ...{ name: 'auth-pass-also', yml: 'auth-pass-also' },
    ...{ kind: 'texts', default: [], isSecret: true },
    ...{ set: 'yes', shown: 'no' },
    redisLacks: {
      what: 'second password for the data nodes',
      instead: () => 'a node that refuses auth-pass is seen as down',
    },
    doc: 'More passwords for the data nodes, tried in turn if auth-pass is refused, to change the password without a gap.',
  },
  notificationScript: {
    ...{ name: 'notification-script', yml: 'notification-script' },
    ...{ kind: 'script', default: '', title: 'Notification' },
    ...{ set: 'if-allowed', shown: 'master', redisPlace: 4 },
    doc: 'Program that is run for every warning event, with the event and its details; empty: none.',
  },
  clientReconfigScript: {
    ...{ name: 'client-reconfig-script', yml: 'client-reconfig-script' },
    ...{ kind: 'script', default: '', title: 'Client reconfiguration' },
    ...{ set: 'if-allowed', shown: 'master', redisPlace: 5 },
    doc: 'Program that is run when the master changes, to tell clients; empty: none.',
  },
  renamedCommands: {
    ...{ name: 'rename-command', yml: 'rename-commands' },
    ...{ kind: 'renames', default: [] },
    ...{ set: 'yes', shown: 'no', redisPlace: 9 },
    doc: 'Renamed commands of the instances of this group, as in {CONFIG: "secret-config"}.',
  },
  rebootDownAfterMs: {
    ...{ name: 'master-reboot-down-after-period', yml: 'reboot-down-after' },
    // Valkey's name for it.
    aliases: ['primary-reboot-down-after-period'],
    ...{ kind: 'duration', least: 0, default: 0 },
    ...{ set: 'yes', shown: 'no', redisPlace: 8 },
    doc: 'How long a master that was restarted counts as down although it answers; 0: not at all.',
  },
  detection: {
    ...{ name: 'detection', yml: 'detection' },
    ...{ kind: 'word', words: ['ping', 'evidence'], default: 'evidence', asInRedis: 'ping' },
    ...{ set: 'yes', shown: 'master' },
    redisLacks: {
      what: 'detection by evidence',
      instead: ({ downAfterMs }) =>
        `a master that died is recognised after ${downAfterMs} ms of silence`,
    },
    doc: 'How a dead master is recognised. ping: it is silent for down-after, as in redis-sentinel. evidence: also if its machine refuses connections while a replica has lost it too.',
  },
  refusedAfterMs: {
    ...{ name: 'refused-after', yml: 'refused-after' },
    ...{ kind: 'duration', least: 1, default: 250 },
    ...{ set: 'yes', shown: 'master', onlyWith: { key: 'detection', value: 'evidence' } },
    doc: 'With evidence: how long connections must be refused. A faster restart causes no failover.',
  },
  grayAfterMs: {
    ...{ name: 'gray-after', yml: 'gray-after' },
    ...{ kind: 'duration', least: 0, default: 0 },
    ...{ set: 'yes', shown: 'master' },
    redisLacks: {
      what: 'gray-after',
      instead: () => 'a master that says PONG and refuses writes stays the master',
    },
    doc: 'A master that answers but refuses writes (disk or memory full) counts as down after this; 0: it is only reported.',
  },
  preFailoverHook: {
    ...{ name: 'pre-failover-hook', yml: 'pre-failover-hook' },
    ...{ kind: 'hook', default: '', title: 'Pre-failover hook' },
    ...{ set: 'if-allowed', shown: 'master' },
    redisLacks: {
      what: 'pre-failover-hook',
      instead: () => 'a failover begins without asking',
    },
    doc: 'Program, or http or https URL, that is asked before an automatic failover and may refuse it; empty: none.',
  },
  preFailoverHookTimeoutMs: {
    ...{ name: 'pre-failover-hook-timeout', yml: 'pre-failover-hook-timeout' },
    ...{ kind: 'duration', least: 1, default: 5_000 },
    ...{ set: 'yes', shown: 'no' },
    doc: 'How long the hook may take to answer.',
  },
  preFailoverHookOnError: {
    ...{ name: 'pre-failover-hook-on-error', yml: 'pre-failover-hook-on-error' },
    ...{ kind: 'word', words: ['proceed', 'refuse'], default: 'proceed', asInRedis: 'proceed' },
    ...{ set: 'yes', shown: 'no' },
    doc: 'What happens if the hook fails or does not answer in time. proceed: the failover begins. refuse: it does not begin.',
  },
  forgetAfterMs: {
    ...{ name: 'forget-after', yml: 'forget-after' },
    ...{ kind: 'duration', least: 0, default: 0 },
    ...{ set: 'yes', shown: 'master' },
    redisLacks: {
      what: 'forget-after',
      instead: () => 'replicas and Sentinels that are gone are known until SENTINEL RESET',
    },
    doc: 'Replicas and Sentinels that have been down for this time are forgotten, for addresses that change; Sentinels never below a majority or the quorum; 0: never.',
  },
  promotionRules: {
    ...{ name: 'promotion', yml: 'promotion' },
    ...{ kind: 'rules', default: [], ruleWords: ['prefer', 'neutral', 'prefer-not', 'must-not'] },
    example: '"10.0.0.3": must-not',
    ...{ set: 'yes', shown: 'master', isShownIfSet: true },
    redisLacks: {
      what: 'promotion rules',
      instead: () => 'it promotes by replica-priority alone; 0 forbids it',
    },
    doc: 'Which replicas to promote, by address: prefer, neutral, prefer-not or must-not, as in {"10.0.0.3": must-not}.',
  },
  zones: {
    ...{ name: 'zone', yml: 'zones' },
    ...{ kind: 'rules', default: [], example: '"10.1.*": frankfurt' },
    ...{ set: 'yes', shown: 'master', isShownIfSet: true },
    redisLacks: { what: 'zones', instead: () => 'it promotes replicas in any of them' },
    doc: 'Zones of the nodes, by address, as in {"10.1.*": frankfurt, "10.2.*": paris}; none: there are no zones.',
  },
  crossZonePromotion: {
    ...{ name: 'cross-zone-promotion', yml: 'cross-zone-promotion' },
    ...{ kind: 'word', words: ['no', 'yes'], default: 'no', asInRedis: 'no' },
    ...{ set: 'yes', shown: 'master', isShownIfSet: true },
    doc: "With zones: whether an automatic failover may promote a replica outside of the master's zone.",
  },
  failoverBlockMs: {
    ...{ name: 'failover-block', yml: 'failover-block' },
    ...{ kind: 'duration', least: 0, default: 0 },
    ...{ set: 'yes', shown: 'master', isShownIfSet: true },
    redisLacks: {
      what: 'failover-block',
      instead: () => 'a master that dies soon after a failover is replaced again at once',
    },
    doc: 'For this time after an automatic failover no other one begins, unless an operator orders it; 0: no block.',
  },
  clientAddresses: {
    ...{ name: 'client-addresses', yml: 'client-addresses' },
    ...{ kind: 'addresses', default: [] },
    example: '"203.0.113.0/24": {"10.0.0.1:6379": "198.51.100.7:7001"}',
    ...{ set: 'yes', shown: 'master', isShownIfSet: true },
    redisLacks: {
      what: 'client-addresses',
      instead: () => 'clients outside of a NAT are told the addresses inside',
    },
    doc: 'Addresses that clients from other networks are told, as in {"203.0.113.0/24": {"10.0.0.1:6379": "198.51.100.7:7001"}}; 0.0.0.0/0: all clients that are in none of the other networks.',
  },
  replication: {
    ...{ name: 'replication', yml: 'replication' },
    ...{ kind: 'word', words: ['async', 'strict'], default: 'async', asInRedis: 'async' },
    ...{ set: 'no', shown: 'master', isShownIfSet: true },
    redisLacks: {
      what: 'strict replication',
      instead: () => 'a failover may lose writes that were acknowledged',
    },
    doc: 'What an acknowledged write means. async: the master has it. strict: write-quorum voters have it, and no failover loses it (docs/strict.md).',
  },
  voters: {
    ...{ name: 'voter', yml: 'voters' },
    ...{ kind: 'texts', default: [] },
    ...{ set: 'no', shown: 'master', isShownIfSet: true },
    onlyWith: { key: 'replication', value: 'strict' },
    doc: 'With strict replication: the data nodes whose acknowledgements count, the master among them, as in ["10.0.0.1:6379", "10.0.0.2:6379", "10.0.0.3:6379"]. The same on every Sentinel.',
  },
  writeQuorum: {
    ...{ name: 'write-quorum', yml: 'write-quorum' },
    ...{ kind: 'count', least: 0, default: 0 },
    ...{ set: 'no', shown: 'master', isShownIfSet: true },
    onlyWith: { key: 'replication', value: 'strict' },
    doc: 'With strict replication: how many voters, the master included, must have a write before it is acknowledged; 0: a majority.',
  },
  reads: {
    ...{ name: 'reads', yml: 'reads' },
    ...{ kind: 'word', words: ['normal', 'linearizable'], default: 'normal', asInRedis: 'normal' },
    ...{ set: 'no', shown: 'master', isShownIfSet: true },
    onlyWith: { key: 'replication', value: 'strict' },
    doc: 'With strict replication: what a read may show. normal: only writes that no failover loses. linearizable: also every write that was acknowledged before the read arrived.',
  },
} as const satisfies Readonly<Record<string, GroupOption>>

type OptionTable = typeof GROUP_OPTIONS
export type GroupOptionKey = keyof OptionTable

/** The values of the options of one group. */
export type GroupOptionValues = {
  readonly [Key in GroupOptionKey]: OptionValue<OptionTable[Key]>
}

type OptionValue<Row> = Row extends { readonly words: readonly (infer Word)[] }
  ? Word
  : Row extends { readonly kind: 'renames' | 'rules' }
    ? readonly (readonly [string, string])[]
    : Row extends { readonly kind: 'addresses' }
      ? readonly ClientAddress[]
      : Row extends { readonly kind: 'texts' }
        ? readonly string[]
        : Row extends { readonly kind: 'count' | 'duration' }
          ? number
          : string

/** The rows, with the key of each. */
export const GROUP_OPTION_ROWS = Object.entries(GROUP_OPTIONS) as readonly (readonly [
  GroupOptionKey,
  GroupOption,
])[]

export const GROUP_OPTION_KEYS = GROUP_OPTION_ROWS.map(([key]) => key)

/** The rows of the options that redis-sentinel does not know. */
export const OWN_OPTION_ROWS = GROUP_OPTION_ROWS.filter(([, row]) => isOwnOption(row))

/**
 * Those that are shown as the rules by which a master is judged and replaced; a hook is none of
 * them.
 */
export const JUDGING_OPTION_ROWS = OWN_OPTION_ROWS.filter(([, { shown, kind }]) => {
  return shown !== 'no' && kind !== 'hook'
})

export function isOwnOption({ redisPlace }: GroupOption): boolean {
  return redisPlace === undefined
}

export function isNumeric({ kind }: GroupOption): boolean {
  return kind === 'count' || kind === 'duration'
}

/** Whether the option has this value; lists are compared by what is in them. */
export function hasOptionValue(value: OptionValues, other: OptionValues): boolean {
  return value === other || JSON.stringify(value) === JSON.stringify(other)
}

type OptionValues = GroupOptionValues[GroupOptionKey] | undefined

/** Whether an option with this value is left out where options are shown. */
export function isHidden(row: GroupOption, value: OptionValues): boolean {
  return (
    row.isShownIfSet === true && row.default !== undefined && hasOptionValue(value, row.default)
  )
}

/** The value as people read it. Rules are sorted, because their order has no meaning. */
export function optionText(value: OptionValues): string {
  if (typeof value !== 'object') return String(value)
  return value
    .map((one) => (typeof one === 'string' ? one : one.join('=')))
    .sort()
    .join(' ')
}

/** What redis-sentinel does, as a value of an option that it does not know. */
export function valueInRedis(row: GroupOption) {
  return row.kind === 'word' ? row.asInRedis : row.default
}

/** Whether the value is the path of a program, which must exist on this machine. */
export function isPath({ kind }: GroupOption, value: unknown): boolean {
  if (kind !== 'script' && kind !== 'hook') return false
  return value !== '' && !(kind === 'hook' && isHookUrl(String(value)))
}

/** A hook that is asked over HTTP, and no program. */
export function isHookUrl(hook: string): boolean {
  return /^https?:\/\/[^\s/?#]/i.test(hook)
}
