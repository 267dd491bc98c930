/**
 * Which processes a run has, on which hosts, with which options: what a scenario, a random history or a prediction
 * builds its world from.
 */
import { type Address, hostAndPort } from '../base/ip.ts'
import { DEFAULT_SENTINEL } from '../core/config.ts'
import type { PromotionWord } from '../core/failover/host-rules.ts'
import type { GroupOption } from '../core/group-option-kinds.ts'
import {
  GROUP_OPTIONS,
  type GroupOptionKey,
  type GroupOptionValues,
} from '../core/group-options.ts'

/** How long a segment travels between two hosts: the base plus 0..jitter, drawn per segment. */
export interface Latency {
  readonly baseMs: number
  readonly jitterMs: number
}

export { DETECTIONS, type Detection } from '../core/config.ts'
export type { PromotionWord } from '../core/failover/host-rules.ts'
export type { GlobalSettingKey } from '../core/global-settings.ts'
export type { GroupOption } from '../core/group-option-kinds.ts'
export { GROUP_OPTIONS, type GroupOptionKey } from '../core/group-options.ts'

/**
 * The options of a group that a topology sets, and so scenarios, random histories and predictions
 * too.
 */
const SPEC_OPTIONS = [
  ...(['quorum', 'downAfterMs', 'failoverTimeoutMs'] as const),
  ...(['parallelSyncs', 'detection', 'refusedAfterMs', 'preFailoverHook'] as const),
] satisfies readonly GroupOptionKey[]

export type SpecOptions = Pick<GroupOptionValues, (typeof SPEC_OPTIONS)[number]>

/**
 * The rows of these options, each with its key and its value where a topology sets none; a topology
 * must always set quorum.
 */
export const SPEC_OPTION_ROWS = SPEC_OPTIONS.map((key) => {
  const row: GroupOption = GROUP_OPTIONS[key]
  return { key, row, usual: row.default }
})

/** Options of a group about which a topology may say nothing. */
const MORE_OPTIONS = [
  ...(['crossZonePromotion', 'failoverBlockMs', 'rebootDownAfterMs', 'grayAfterMs'] as const),
  ...(['forgetAfterMs', 'preFailoverHookTimeoutMs', 'preFailoverHookOnError'] as const),
  ...(['notificationScript', 'clientReconfigScript'] as const),
  ...(['replication', 'writeQuorum', 'reads'] as const),
] satisfies readonly GroupOptionKey[]

export type MoreOptions = {
  readonly [Key in (typeof MORE_OPTIONS)[number]]?: GroupOptionValues[Key] | undefined
}

export const MORE_OPTION_ROWS = MORE_OPTIONS.map((key) => {
  const row: GroupOption = GROUP_OPTIONS[key]
  return { key, row }
})

/** The option that a topology says of single nodes. */
export const PROMOTION_ROW: GroupOption = GROUP_OPTIONS.promotionRules

export function specOptionsOf(group: SpecOptions): SpecOptions {
  return Object.fromEntries(SPEC_OPTIONS.map((key) => [key, group[key]])) as unknown as SpecOptions
}

/** What makes a group strict; nothing if it is not. */
export function strictOptionsOf(
  group: Pick<GroupOptionValues, 'replication' | 'writeQuorum' | 'reads'>,
): MoreOptions {
  const { replication, writeQuorum, reads } = group
  if (replication !== 'strict') return {}
  return { replication, reads, ...(writeQuorum === 0 ? {} : { writeQuorum }) }
}

/**
 * What a Sentinel's group has set of the options that a topology need not set. Scripts are left out: nothing is run in a
 * simulated world.
 */
export function moreOptionsSet(group: GroupOptionValues): MoreOptions {
  const { failoverBlockMs, crossZonePromotion, zones, rebootDownAfterMs, grayAfterMs } = group
  return {
    ...(failoverBlockMs === 0 ? {} : { failoverBlockMs }),
    ...(rebootDownAfterMs === 0 ? {} : { rebootDownAfterMs }),
    ...(grayAfterMs === 0 ? {} : { grayAfterMs }),
    ...(zones.length === 0 ? {} : { crossZonePromotion }),
    ...strictOptionsOf(group),
  }
}

/**
 * The directives of a node: in a strict group all nodes replicate synchronously, and vote, unless
 * the topology says otherwise.
 */
export function directivesOf({ groups }: Topology, node: NodeSpec): ReadonlyMap<string, string> {
  const group = groups.find(({ name }) => name === node.group)
  if (group?.replication !== 'strict') return node.directives
  return new Map([['sync-replication', 'yes'], ...node.directives])
}

/** The options as sentinel.yml and scenarios write them. */
export function optionWords(
  group: SpecOptions,
  durationText: (ms: number) => string,
  rows = SPEC_OPTION_ROWS,
): Readonly<Record<string, string | number>> {
  // An empty text means none, and needs no word.
  const said = rows.filter(({ key }) => group[key] !== '')
  const words = said.map(({ key, row }) => {
    const value = group[key]
    return [row.yml, row.kind === 'duration' ? durationText(Number(value)) : value]
  })
  return Object.fromEntries(words)
}

/** The options that a topology need not set, where it does, as scenarios write them. */
export function moreOptionWords(
  group: MoreOptions,
  durationText: (ms: number) => string,
): Readonly<Record<string, string | number>> {
  const words = MORE_OPTION_ROWS.flatMap(({ key, row }) => {
    const value = group[key]
    if (value === undefined) return []
    return [[row.yml, row.kind === 'duration' ? durationText(Number(value)) : value]]
  })
  return Object.fromEntries(words)
}

/** The values where a topology sets none: the defaults of the machines, and a small LAN. */
export const DEFAULT_SPEC = {
  nodePort: 6_379,
  sentinelPort: DEFAULT_SENTINEL.port,
  latencyMs: 1,
  jitterMs: 1,
  ratePerSecond: 100,
} as const

/**
 * The processes that exist when a run begins. Names are unique across all lists; hosts are known by
 * name only.
 */
export interface Topology {
  readonly groups: readonly GroupSpec[]
  readonly nodes: readonly NodeSpec[]
  readonly sentinels: readonly SentinelSpec[]
  readonly clients: readonly ClientSpec[]
  /** Programs that are no part of the cluster, and mean it harm. */
  readonly liars: readonly LiarSpec[]
  /** The password of every node and Sentinel; undefined: they require none. */
  readonly password: string | undefined
  /** Between any two hosts that no entry of `ways` names. */
  readonly latency: Latency
  /** Paths that are slower or faster than the others, in both directions. */
  readonly ways: readonly WaySpec[]
  /** The zone of each host that has one, for reports. */
  readonly zones: ReadonlyMap<string, string>
}

export interface WaySpec {
  readonly hosts: readonly [string, string]
  readonly latency: Latency
}

/** A monitored group, with the rules every Sentinel has for it. */
export interface GroupSpec extends SpecOptions, MoreOptions {
  readonly name: string
  /** Name of the node that is the master at first. */
  readonly master: string
}

/**
 * The options of a group that a topology need not set, and what it says of single nodes, with the addresses that
 * these have at first. Without cross-zone-promotion the Sentinels are told of no zones.
 */
export function moreOptionsOf(
  { nodes, zones }: Topology,
  group: GroupSpec,
  addressOf: (process: string) => Address,
): Partial<GroupOptionValues> {
  const members = nodes.filter((node) => node.group === group.name)
  const about = (word: (node: NodeSpec) => string | undefined) =>
    members.flatMap((node): [string, string][] => {
      const said = word(node)
      if (said === undefined) return []
      const { host, port } = addressOf(node.name)
      return [[hostAndPort(host, port), said]]
    })
  const voters = members
    .filter(({ directives }) => directives.get('sync-replication') !== 'no')
    .map(({ name }) => addressOf(name))
    .map((at) => hostAndPort(at.host, at.port))
  return {
    promotionRules: about(({ promotion }) => promotion),
    ...(group.replication === 'strict' ? { voters } : {}),
    ...(group.crossZonePromotion === undefined
      ? {}
      : { zones: about(({ host }) => zones.get(host)) }),
    ...Object.fromEntries(
      MORE_OPTIONS.flatMap((key) => (group[key] === undefined ? [] : [[key, group[key]]])),
    ),
  }
}

export interface NodeSpec {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly group: string
  /** Name of the node that it follows at first; undefined: it is a master. */
  readonly replicaOf: string | undefined
  /** What the Sentinels are told about promoting it: a word of promotion rules; undefined: nothing. */
  readonly promotion?: PromotionWord | undefined
  /** Directives of redis.conf by name. */
  readonly directives: ReadonlyMap<string, string>
  /** The node does not run when the run begins: a `start` brings it up. */
  readonly joinsLater: boolean
}

export interface SentinelSpec {
  readonly name: string
  readonly host: string
  readonly port: number
  /** The Sentinel does not run when the run begins: a `start` brings it up. */
  readonly joinsLater: boolean
}

export interface ClientSpec {
  readonly name: string
  readonly host: string
  readonly group: string
  readonly operation: OperationKind
  readonly pace: Pace
  readonly manner: Manner
  /** A write counts as acknowledged only if WAIT says that so many replicas have it. */
  readonly wait?: number | undefined
  /** A proxy in its own process stands between it and the cluster. */
  readonly hasProxy?: boolean | undefined
  /** Now and then it closes its half of another connection, and reads what it is told. */
  readonly halfCloses?: boolean | undefined
}

/**
 * A stranger on the network, see liar-program.ts. It runs from the start and says nothing by
 * itself.
 */
export interface LiarSpec {
  readonly name: string
  readonly host: string
  /** The port on which the liar listens, if it is told to. */
  readonly port: number
  readonly knowsPassword: boolean
}

/**
 * How a client treats a master that does not answer. `prompt`: the client hears of a switch, gives
 * up a silent master after a second, and writes without an answer stay unknown. `ioredis`: that
 * library's defaults. The client stays with a connection until it ends, and no answer is too late;
 * on the next connection it sends unanswered writes again, and those it meant to send meanwhile.
 */
export type Manner = 'prompt' | 'ioredis'

/**
 * What a client does. `keys`: SET of numbered keys, each once. `set`: SADD of unique members to one
 * set. `counter`: INCR. `register`: SET of one key to rising numbers, and GETs between them. `data`:
 * commands of every family, drawn by chance, on two databases of the client's own. `shared`: registers,
 * counters, lists and locks that all such clients of the group fight for.
 */
export const OPERATION_KINDS = ['keys', 'set', 'counter', 'register', 'data', 'shared'] as const
export type OperationKind = (typeof OPERATION_KINDS)[number]

/** How many clients of a group can have databases of their own: a node has 16, and the first is for all. */
export const DATA_CLIENTS_MAX = 7

/** The two databases that belong to a client alone: the first is its home. */
export function databasesOf({ clients }: Topology, name: string): readonly [number, number] {
  const group = clients.find((client) => client.name === name)?.group
  const rivals = clients.filter((client) => client.group === group && client.operation === 'data')
  const home =
    2 *
      Math.max(
        0,
        rivals.findIndex((client) => client.name === name),
      ) +
    1
  return [home, home + 1]
}

export type Pace =
  /** At a steady rate, whether answers come or not; so many requests leave together, one after the other. */
  | { readonly kind: 'rate'; readonly perSecond: number; readonly pipeline: number }
  /** One request at a time: the next one this long after the answer. */
  | { readonly kind: 'think'; readonly ms: number }

/** How long a segment takes from one host to another, in either direction. */
export function latencyOf({ latency, ways }: Topology, a: string, b: string): Latency {
  const way = ways.find(({ hosts }) => hosts.includes(a) && hosts.includes(b) && a !== b)
  return way?.latency ?? latency
}
