import { DEFAULT_GROUP, DEFAULT_SENTINEL, type Detection } from '../core/config.ts'
import type { Latency } from './way.ts'

export { DETECTIONS, type Detection } from '../core/config.ts'

/** What stands where a topology says nothing: the defaults of the machines, and a small LAN. */
export const DEFAULT_SPEC = {
  nodePort: 6_379,
  sentinelPort: DEFAULT_SENTINEL.port,
  downAfterMs: DEFAULT_GROUP.downAfterMs,
  failoverTimeoutMs: DEFAULT_GROUP.failoverTimeoutMs,
  parallelSyncs: DEFAULT_GROUP.parallelSyncs,
  detection: DEFAULT_GROUP.detection,
  refusedAfterMs: DEFAULT_GROUP.refusedAfterMs,
  latencyMs: 1,
  jitterMs: 1,
  ratePerSecond: 100,
} as const

/** Who is there when a run begins. Names are unique across all lists; hosts are known by name only. */
export interface Topology {
  readonly groups: readonly GroupSpec[]
  readonly nodes: readonly NodeSpec[]
  readonly sentinels: readonly SentinelSpec[]
  readonly clients: readonly ClientSpec[]
  /** Between any two hosts that are in no way of their own. */
  readonly latency: Latency
  /** Ways that are longer or shorter than the others, in both directions. */
  readonly ways: readonly WaySpec[]
  /** The zone of each host that is in one: where it stands, for reports. */
  readonly zones: ReadonlyMap<string, string>
}

export interface WaySpec {
  readonly hosts: readonly [string, string]
  readonly latency: Latency
}

/** A monitored group, with the rules every Sentinel has for it. */
export interface GroupSpec {
  readonly name: string
  /** Name of the node that is the master at first. */
  readonly master: string
  readonly quorum: number
  readonly downAfterMs: number
  readonly failoverTimeoutMs: number
  readonly parallelSyncs: number
  /** By what a dead master is recognised. */
  readonly detection: Detection
  readonly refusedAfterMs: number
}

export interface NodeSpec {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly group: string
  /** Name of the node it follows at first; undefined: a master. */
  readonly replicaOf: string | undefined
  /** Directives of redis.conf by name. */
  readonly directives: ReadonlyMap<string, string>
  /** It is not there when the run begins: a `start` brings it up. */
  readonly joinsLater: boolean
}

export interface SentinelSpec {
  readonly name: string
  readonly host: string
  readonly port: number
  /** It is not there when the run begins: a `start` brings it up. */
  readonly joinsLater: boolean
}

export interface ClientSpec {
  readonly name: string
  readonly host: string
  readonly group: string
  readonly operation: OperationKind
  readonly pace: Pace
}

/**
 * What a client does. `keys`: SET of numbered keys, each once. `set`: SADD of unique members to one
 * set. `counter`: INCR. `register`: SET of one key to rising numbers, and GETs between them.
 */
export type OperationKind = 'keys' | 'set' | 'counter' | 'register'

export type Pace =
  /** At a steady rate, whether answers come or not. */
  | { readonly kind: 'rate'; readonly perSecond: number }
  /** One at a time: the next one so long after the answer. */
  | { readonly kind: 'think'; readonly ms: number }

/** How long it takes from one host to another, in either direction. */
export function latencyOf({ latency, ways }: Topology, a: string, b: string): Latency {
  const way = ways.find(({ hosts }) => hosts.includes(a) && hosts.includes(b) && a !== b)
  return way?.latency ?? latency
}
