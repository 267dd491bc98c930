/**
 * The ways in which a plan can be made smaller or plainer, each a list of candidates. The shrinker
 * takes a candidate if the run still fails in the same way, so none of them has to be careful.
 */
import type { Failure } from './failure.ts'
import { endOf, type Fault, lasting, narrowed, restricted, shifted } from './faults/faults.ts'
import {
  hostsOf,
  type PlannedClient,
  type PlannedGroup,
  type PlannedNode,
  type PlannedTopology,
} from './members.ts'
import { majorityOf } from './odds.ts'
import { type CalmDemand, FIRST_FAULT_MS, type FuzzPlan, hasExpectation } from './plan.ts'

export type Reduction = (plan: FuzzPlan) => Iterable<FuzzPlan>

/**
 * Keeps only the demands that the failure is about; a violation needs none. A demand that is
 * checked at a fixed time says in plain words what is wrong; some failures show only soon after the
 * cluster came to rest.
 */
export function narrowDemands(
  plan: FuzzPlan,
  failure: Failure,
  restMs: number,
): readonly FuzzPlan[] {
  const anything = { kind: 'anything', group: plan.topology.groups[0]?.name ?? '' } as const
  if (failure.kind !== 'expectation') {
    return [{ ...plan, ending: 'limit', restMs, demands: [anything] }]
  }
  const isMeant = (kind: string): boolean => kind === failure.signature
  const only = plan.demands.filter(({ kind }) => isMeant(kind))
  const both = plan.demands.filter(({ kind }) => isMeant(kind) || kind === 'converges')
  return [
    { ...plan, ending: 'limit', demands: only },
    { ...plan, demands: hasExpectation({ ...plan, demands: both }) ? both : [...both, anything] },
  ]
}

/** In the order in which they save most. */
export const REDUCTIONS: readonly Reduction[] = [
  dropFaults,
  dropGroups,
  dropSentinels,
  dropNodes,
  dropClients,
  dropLiars,
  narrowFaults,
  dropDemands,
  simplifyTopology,
  simplifyGroups,
  simplifyNodes,
  simplifyClients,
  shortenRest,
  shortenFaults,
  closeGaps,
  roundTimes,
]

/**
 * Leaves out half of the faults, then a quarter, then one at a time: few runs if most of them do
 * not matter.
 */
function* dropFaults(plan: FuzzPlan): Iterable<FuzzPlan> {
  const { faults } = plan
  for (let size = Math.ceil(faults.length / 2); size >= 1; size = halfOf(size)) {
    // From the end: late faults depend on early ones, and not the other way round.
    for (let end = faults.length; end > 0; end -= size) {
      const from = Math.max(0, end - size)
      yield prune({ ...plan, faults: faults.filter((_, index) => index < from || index >= end) })
    }
  }
}

function halfOf(size: number): number {
  return size === 1 ? 0 : Math.ceil(size / 2)
}

function* dropGroups(plan: FuzzPlan): Iterable<FuzzPlan> {
  const { groups } = plan.topology
  if (groups.length === 1) return
  for (const group of groups) yield inTopology(plan, { groups: without(groups, group) })
}

function* dropSentinels(plan: FuzzPlan): Iterable<FuzzPlan> {
  const { sentinels } = plan.topology
  if (sentinels.length === 1) return
  for (const sentinel of sentinels.toReversed()) {
    yield inTopology(plan, { sentinels: without(sentinels, sentinel) })
  }
}

function* dropNodes(plan: FuzzPlan): Iterable<FuzzPlan> {
  const { nodes } = plan.topology
  for (const node of nodes.toReversed()) {
    if (node.replicaOf !== undefined) yield inTopology(plan, { nodes: without(nodes, node) })
  }
}

function* dropClients(plan: FuzzPlan): Iterable<FuzzPlan> {
  for (const client of plan.clients.toReversed()) {
    yield prune({ ...plan, clients: without(plan.clients, client) })
  }
}

function* dropLiars(plan: FuzzPlan): Iterable<FuzzPlan> {
  const { liars } = plan.topology
  for (const liar of liars.toReversed()) yield inTopology(plan, { liars: without(liars, liar) })
  if (plan.hasFinalDeath) yield { ...plan, hasFinalDeath: false }
}

/** Faults that hit several processes or hosts hit one less. */
function* narrowFaults(plan: FuzzPlan): Iterable<FuzzPlan> {
  for (const [index, fault] of plan.faults.entries()) {
    for (const narrower of narrowed(fault)) yield withFault(plan, index, narrower)
  }
}

function* dropDemands(plan: FuzzPlan): Iterable<FuzzPlan> {
  if (plan.demands.length === 1) return
  for (const demand of plan.demands) {
    // Without these no step would wait for rest.
    if (plan.ending === 'rest' && demand.kind === 'converges') continue
    yield { ...plan, demands: without(plan.demands, demand) }
  }
}

function* simplifyTopology(plan: FuzzPlan): Iterable<FuzzPlan> {
  yield inTopology(plan, { zones: [] })
  yield inTopology(plan, { settings: {} })
  const liars = plan.topology.liars.map((liar) => ({ ...liar, knowsPassword: false }))
  yield inTopology(plan, { liars, password: undefined })
  yield inTopology(plan, { latencyMs: 1, jitterMs: 1 })
  for (const key of Object.keys(plan.topology.settings)) {
    const { [key]: _dropped, ...settings } = plan.topology.settings
    yield inTopology(plan, { settings })
  }
  const sentinels = plan.topology.sentinels
  for (const sentinel of sentinels) {
    yield inTopology(plan, { sentinels: swap(sentinels, sentinel, { joinsLater: false }) })
  }
}

function* simplifyGroups(plan: FuzzPlan): Iterable<FuzzPlan> {
  const { groups, sentinels } = plan.topology
  const plain: readonly Partial<PlannedGroup>[] = [
    { quorum: majorityOf(sentinels.length) },
    { downAfterMs: 1_000 },
    { failoverTimeoutMs: 5_000 },
    { parallelSyncs: 1 },
    { detection: 'ping' },
    { refusedAfterMs: 250 },
  ]
  for (const group of groups) {
    for (const change of plain) yield inTopology(plan, { groups: swap(groups, group, change) })
  }
}

function* simplifyNodes(plan: FuzzPlan): Iterable<FuzzPlan> {
  const { nodes, groups } = plan.topology
  for (const node of nodes) {
    const master = groups.find(({ name }) => name === node.group)?.master
    const replicaOf = node.replicaOf === undefined ? undefined : master
    const plain: readonly Partial<PlannedNode>[] = [
      { settings: {} },
      { joinsLater: false },
      { replicaOf },
    ]
    for (const change of plain) yield inTopology(plan, { nodes: swap(nodes, node, change) })
  }
}

function* simplifyClients(plan: FuzzPlan): Iterable<FuzzPlan> {
  const plain: readonly Partial<PlannedClient>[] = [
    { operation: 'keys' },
    { pace: { rate: 10 } },
    { pipeline: undefined },
    { manner: 'prompt' },
  ]
  for (const client of plan.clients) {
    const own: Partial<PlannedClient> = { host: client.name.replace('app', 'client') }
    for (const change of [...plain, own]) {
      yield prune({ ...plan, clients: swap(plan.clients, client, change) })
    }
  }
}

function* shortenRest(plan: FuzzPlan): Iterable<FuzzPlan> {
  const lastMs = Math.max(0, ...plan.faults.map(endOf))
  yield { ...plan, calmMs: lastMs + 1_000 }
  if (plan.restMs === undefined) return
  for (const restMs of [0, halfUp(plan.restMs, 1_000)]) yield { ...plan, restMs }
}

function* shortenFaults(plan: FuzzPlan): Iterable<FuzzPlan> {
  for (const [index, fault] of plan.faults.entries()) {
    const forMs = endOf(fault) - fault.fromMs
    if (forMs <= 100) continue
    for (const shorter of [halfUp(forMs, 100), forMs - 100]) {
      yield withFault(plan, index, lasting(fault, shorter))
    }
  }
}

/** All faults from one on come earlier. */
function* closeGaps(plan: FuzzPlan): Iterable<FuzzPlan> {
  let beforeMs = FIRST_FAULT_MS
  for (const [index, { fromMs }] of plan.faults.entries()) {
    const gapMs = fromMs - beforeMs
    for (const byMs of [gapMs, Math.floor(gapMs / 2)]) {
      if (byMs > 0) yield earlier(plan, index, byMs)
    }
    beforeMs = fromMs
  }
}

function earlier(plan: FuzzPlan, index: number, byMs: number): FuzzPlan {
  const faults = plan.faults.map((fault, at) => (at < index ? fault : shifted(fault, -byMs)))
  return { ...plan, faults, calmMs: plan.calmMs - byMs }
}

function* roundTimes(plan: FuzzPlan): Iterable<FuzzPlan> {
  yield { ...plan, calmMs: Math.ceil(plan.calmMs / 1_000) * 1_000 }
  for (const stepMs of [1_000, 500, 100]) {
    for (const [index, fault] of plan.faults.entries()) {
      const fromMs = Math.round(fault.fromMs / stepMs) * stepMs
      const forMs = Math.ceil((endOf(fault) - fault.fromMs) / stepMs) * stepMs
      // Times in whole seconds must not be rounded again to tenths.
      if (fault.fromMs % stepMs === 0 && endOf(fault) % stepMs === 0) continue
      yield withFault(plan, index, lasting(shifted(fault, fromMs - fault.fromMs), forMs))
    }
  }
}

function halfUp(ms: number, unitMs: number): number {
  return Math.ceil(ms / 2 / unitMs) * unitMs
}

function withFault(plan: FuzzPlan, index: number, fault: Fault): FuzzPlan {
  return prune({ ...plan, faults: plan.faults.with(index, fault) })
}

function inTopology(plan: FuzzPlan, change: Partial<FuzzPlan['topology']>): FuzzPlan {
  return prune({ ...plan, topology: { ...plan.topology, ...change } })
}

function without<T>(items: readonly T[], item: T): T[] {
  return items.filter((other) => other !== item)
}

function swap<T>(items: readonly T[], item: T, change: Partial<T>): T[] {
  return items.map((other) => (other === item ? { ...item, ...change } : other))
}

/**
 * Makes a plan whole again after something was taken out of it: nothing in it refers to what is
 * missing.
 */
export function prune(plan: FuzzPlan): FuzzPlan {
  const groups = plan.topology.groups
  const hasGroup = (one: { readonly group: string }): boolean =>
    groups.some(({ name }) => name === one.group)
  const nodes = plan.topology.nodes.filter(hasGroup)
  const clients = plan.clients.filter(hasGroup)
  const bare: PlannedTopology = {
    ...plan.topology,
    groups: groups.map((group) => clipQuorum(group, plan.topology.sentinels.length)),
    nodes: nodes.map((node) => ({ ...node, replicaOf: parentOf(node, nodes, groups) })),
  }
  const whole = { ...bare, settings: clipMinReplicas(bare) }
  const hosts = hostsOf({ topology: whole, clients })
  const topology = { ...whole, zones: pruneZones(whole, hosts) }
  const cast = { ...plan, topology, clients }
  const names = [...nodes, ...topology.sentinels].map(({ name }) => name)
  const left = { topology, clients, names, hosts }
  const faults = plan.faults.flatMap((fault) => restricted(fault, left) ?? [])
  return {
    ...cast,
    faults,
    // No fault may still go on when calm begins.
    calmMs: Math.max(plan.calmMs, ...faults.map(endOf)),
    demands: plan.demands.filter((demand) => isAboutSomebody(demand, cast)),
  }
}

function clipQuorum(group: PlannedGroup, sentinels: number): PlannedGroup {
  return { ...group, quorum: Math.max(1, Math.min(group.quorum, sentinels)) }
}

/** A master that asks for more replicas than it has refuses every write, whatever the failure was about. */
function clipMinReplicas({
  settings,
  groups,
  nodes,
}: PlannedTopology): PlannedTopology['settings'] {
  const { 'min-replicas-to-write': asked, ...rest } = settings
  if (asked === undefined) return settings
  const counts = groups.map(
    ({ master }) => nodes.filter(({ replicaOf }) => replicaOf === master).length,
  )
  const most = Math.min(Number(asked), ...counts)
  return most === 0 ? rest : { ...settings, 'min-replicas-to-write': most }
}

/** A replica whose master is gone follows the master of its group. */
function parentOf(
  node: PlannedNode,
  nodes: readonly PlannedNode[],
  groups: readonly PlannedGroup[],
): string | undefined {
  if (node.replicaOf === undefined || nodes.some(({ name }) => name === node.replicaOf)) {
    return node.replicaOf
  }
  return groups.find(({ name }) => name === node.group)?.master
}

function pruneZones(
  { zones }: PlannedTopology,
  hosts: readonly string[],
): PlannedTopology['zones'] {
  const left = zones.flatMap((zone) => {
    const members = zone.hosts.filter((host) => hosts.includes(host))
    return members.length === 0 ? [] : [{ ...zone, hosts: members }]
  })
  return left.length < 2 ? [] : left
}

function isAboutSomebody(demand: CalmDemand, { topology, clients }: FuzzPlan): boolean {
  if (demand.kind === 'settles' || demand.kind === 'never') return true
  if (demand.kind === 'writesWork') return clients.some(({ name }) => name === demand.client)
  return topology.groups.some(({ name }) => name === demand.group)
}
