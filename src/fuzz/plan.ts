/**
 * A run that was drawn from a seed, before it is written as a scenario. A scenario is a flat list of
 * steps; here a fault still knows its own end, so that one can be taken away, or shortened, without
 * leaving behind a process that nobody starts again.
 */
import type { Detection } from '../sim/topology.ts'
import type { Fault } from './fault.ts'

export interface Plan {
  readonly topology: PlannedTopology
  readonly clients: readonly PlannedClient[]
  readonly faults: readonly Fault[]
  /** When everything is healed: from then on the cluster has to come to rest. */
  readonly calmMs: number
  /** How long to look on after that at least; undefined: as long as the demands ask for. */
  readonly restMs: number | undefined
  /**
   * When the demands are looked at. `rest`: as soon as the cluster has come to rest, and stayed so for
   * a while; `limit`: when all the time it may take is over. The first takes less time to play, the
   * second also sees what comes back later.
   */
  readonly ending: 'rest' | 'limit'
  /** What is asked of the run beyond what holds in every run. */
  readonly demands: readonly Demand[]
}

/**
 * No fault comes before this. Sentinels ask for INFO every ten seconds: until then they may not know
 * a replica that came up after their first question, and if the master is replaced in that time nobody
 * ever tells it so. Redis Sentinel has the same gap; a run that falls into it says nothing else.
 */
export const FIRST_FAULT_MS = 12_000

/** What is drawn before the faults, and what they depend on. */
export type Setting = Pick<Plan, 'topology' | 'clients' | 'calmMs'>

export interface PlannedTopology {
  readonly latencyMs: number
  readonly jitterMs: number
  readonly zones: readonly Zone[]
  /** Directives of redis.conf for all nodes. */
  readonly settings: Readonly<Record<string, number | string>>
  readonly groups: readonly PlannedGroup[]
  readonly nodes: readonly PlannedNode[]
  readonly sentinels: readonly PlannedSentinel[]
}

/** Hosts that are near each other and `farMs` from everybody else. */
export interface Zone {
  readonly name: string
  readonly hosts: readonly string[]
  readonly farMs: number
}

export interface PlannedGroup {
  readonly name: string
  readonly master: string
  readonly quorum: number
  readonly downAfterMs: number
  readonly failoverTimeoutMs: number
  readonly parallelSyncs: number
  readonly detection: Detection
  readonly refusedAfterMs: number
}

export interface PlannedNode {
  readonly name: string
  readonly host: string
  readonly group: string
  readonly replicaOf: string | undefined
  readonly settings: Readonly<Record<string, number | string>>
  readonly joinsLater: boolean
}

export interface PlannedSentinel {
  readonly name: string
  readonly host: string
  readonly joinsLater: boolean
}

export interface PlannedClient {
  readonly name: string
  readonly host: string
  readonly group: string
  readonly operation: 'keys' | 'set' | 'counter' | 'register'
  readonly pace: { readonly rate: number } | { readonly thinkMs: number }
}

/** What the calm has to bring. Each is one line of the scenario's expectations. */
export type Demand =
  | { readonly kind: 'converges'; readonly group: string }
  | { readonly kind: 'staysConverged'; readonly group: string }
  | { readonly kind: 'writesWork'; readonly client: string }
  /** When the clients have stopped, every node holds what its master holds. */
  | { readonly kind: 'settles' }
  /** No Sentinel publishes this event, ever. */
  | { readonly kind: 'never'; readonly event: string }
  /** Next to nothing: for a file that is about what must hold in every run. */
  | { readonly kind: 'anything'; readonly group: string }

type Cast = Pick<Plan, 'topology' | 'clients'>

/** It has a line of expectations: that it comes to rest is a step that waits, and none. */
export function hasExpectation({ demands, ending }: Plan): boolean {
  return demands.some(({ kind }) => ending === 'limit' || kind !== 'converges')
}

/** Every host somebody lives on, in the order of the file. */
export function hostsOf(plan: Cast): readonly string[] {
  const { nodes, sentinels } = plan.topology
  return [...new Set([...nodes, ...sentinels, ...plan.clients].map(({ host }) => host))]
}

/** Who lives on these hosts: what a power loss takes. */
export function residentsOf(plan: Cast, hosts: readonly string[]): string[] {
  return [...plan.topology.nodes, ...plan.topology.sentinels, ...plan.clients]
    .filter(({ host }) => hosts.includes(host))
    .map(({ name }) => name)
}
