/**
 * The ways in which a plan can be made smaller or plainer, each a list of candidates. A candidate is
 * taken when the run still fails in the same way, so none of them has to be careful.
 */
import type { Failure } from './failure.ts'
import { endOf, type Fault } from './fault.ts'
import {
  FIRST_FAULT_MS,
  hasExpectation,
  type Plan,
  type PlannedClient,
  type PlannedGroup,
  type PlannedNode,
} from './plan.ts'
import { prune } from './prune.ts'

export type Reduction = (plan: Plan) => Iterable<Plan>

/**
 * Keeps of the demands only what the failure is about; a violation needs none. Asked for at a fixed
 * time a demand says in plain words what is wrong; some show only soon after the cluster came to rest.
 */
export function narrowDemands(plan: Plan, failure: Failure, restMs: number): readonly Plan[] {
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

/** Half of them, then a quarter, then one at a time: few runs when most of them do not matter. */
function* dropFaults(plan: Plan): Iterable<Plan> {
  const { faults } = plan
  for (let size = Math.ceil(faults.length / 2); size >= 1; size = halfOf(size)) {
    // From the end: what comes late depends on what comes early, and not the other way round.
    for (let end = faults.length; end > 0; end -= size) {
      const from = Math.max(0, end - size)
      yield prune({ ...plan, faults: faults.filter((_, index) => index < from || index >= end) })
    }
  }
}

function halfOf(size: number): number {
  return size === 1 ? 0 : Math.ceil(size / 2)
}

function* dropGroups(plan: Plan): Iterable<Plan> {
  const { groups } = plan.topology
  if (groups.length === 1) return
  for (const group of groups) yield inTopology(plan, { groups: without(groups, group) })
}

function* dropSentinels(plan: Plan): Iterable<Plan> {
  const { sentinels } = plan.topology
  if (sentinels.length === 1) return
  for (const sentinel of sentinels.toReversed()) {
    yield inTopology(plan, { sentinels: without(sentinels, sentinel) })
  }
}

function* dropNodes(plan: Plan): Iterable<Plan> {
  const { nodes } = plan.topology
  for (const node of nodes.toReversed()) {
    if (node.replicaOf !== undefined) yield inTopology(plan, { nodes: without(nodes, node) })
  }
}

function* dropClients(plan: Plan): Iterable<Plan> {
  for (const client of plan.clients.toReversed()) {
    yield prune({ ...plan, clients: without(plan.clients, client) })
  }
}

/** Faults that hit several hit one less. */
function* narrowFaults(plan: Plan): Iterable<Plan> {
  for (const [index, fault] of plan.faults.entries()) {
    for (const narrower of narrowed(fault)) yield withFault(plan, index, narrower)
  }
}

function narrowed(fault: Fault): Fault[] {
  switch (fault.kind) {
    case 'death': {
      const plain = { ...fault, how: 'kill', disk: 'kept' } as const
      return [plain, { ...fault, disk: 'kept' }, ...fewerProcesses(fault)]
    }
    case 'pause':
    case 'stall':
      return fewerProcesses(fault)
    case 'powerLoss':
      if (fault.hosts.length < 2) return []
      return fault.hosts.map((host) => ({ ...fault, hosts: without(fault.hosts, host) }))
    case 'lull':
      if (fault.inside.length < 2) return []
      return fault.inside.map((one) => ({ ...fault, inside: without(fault.inside, one) }))
    case 'partition':
      return fault.groups.flatMap((side, at) =>
        side.map((host) => ({ ...fault, groups: fault.groups.with(at, without(side, host)) })),
      )
    default:
      return []
  }
}

function fewerProcesses(fault: Fault & { readonly processes: readonly string[] }): Fault[] {
  if (fault.processes.length < 2) return []
  return fault.processes.map((name) => ({ ...fault, processes: without(fault.processes, name) }))
}

function* dropDemands(plan: Plan): Iterable<Plan> {
  if (plan.demands.length === 1) return
  for (const demand of plan.demands) {
    // Without these nobody would wait for rest.
    if (plan.ending === 'rest' && demand.kind === 'converges') continue
    yield { ...plan, demands: without(plan.demands, demand) }
  }
}

function* simplifyTopology(plan: Plan): Iterable<Plan> {
  yield inTopology(plan, { zones: [] })
  yield inTopology(plan, { settings: {} })
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

function* simplifyGroups(plan: Plan): Iterable<Plan> {
  const { groups, sentinels } = plan.topology
  const plain: readonly Partial<PlannedGroup>[] = [
    { quorum: Math.floor(sentinels.length / 2) + 1 },
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

function* simplifyNodes(plan: Plan): Iterable<Plan> {
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

function* simplifyClients(plan: Plan): Iterable<Plan> {
  const plain: readonly Partial<PlannedClient>[] = [{ operation: 'keys' }, { pace: { rate: 10 } }]
  for (const client of plan.clients) {
    const own: Partial<PlannedClient> = { host: client.name.replace('app', 'client') }
    for (const change of [...plain, own]) {
      yield prune({ ...plan, clients: swap(plan.clients, client, change) })
    }
  }
}

function* shortenRest(plan: Plan): Iterable<Plan> {
  const lastMs = Math.max(0, ...plan.faults.map(endOf))
  yield { ...plan, calmMs: lastMs + 1_000 }
  if (plan.restMs === undefined) return
  for (const restMs of [0, halfUp(plan.restMs, 1_000)]) yield { ...plan, restMs }
}

function* shortenFaults(plan: Plan): Iterable<Plan> {
  for (const [index, fault] of plan.faults.entries()) {
    const forMs = endOf(fault) - fault.fromMs
    if (forMs <= 100) continue
    for (const shorter of [halfUp(forMs, 100), forMs - 100]) {
      yield withFault(plan, index, lasting(fault, shorter))
    }
  }
}

/** Everything from one fault on comes earlier. */
function* closeGaps(plan: Plan): Iterable<Plan> {
  let beforeMs = FIRST_FAULT_MS
  for (const [index, { fromMs }] of plan.faults.entries()) {
    const gapMs = fromMs - beforeMs
    for (const byMs of [gapMs, Math.floor(gapMs / 2)]) {
      if (byMs > 0) yield earlier(plan, index, byMs)
    }
    beforeMs = fromMs
  }
}

function earlier(plan: Plan, index: number, byMs: number): Plan {
  const faults = plan.faults.map((fault, at) => (at < index ? fault : shifted(fault, -byMs)))
  return { ...plan, faults, calmMs: plan.calmMs - byMs }
}

function* roundTimes(plan: Plan): Iterable<Plan> {
  yield { ...plan, calmMs: Math.ceil(plan.calmMs / 1_000) * 1_000 }
  for (const stepMs of [1_000, 500, 100]) {
    for (const [index, fault] of plan.faults.entries()) {
      const fromMs = Math.round(fault.fromMs / stepMs) * stepMs
      const forMs = Math.ceil((endOf(fault) - fault.fromMs) / stepMs) * stepMs
      // What is round in whole seconds must not become rounder in tenths of them again.
      if (fault.fromMs % stepMs === 0 && endOf(fault) % stepMs === 0) continue
      yield withFault(plan, index, lasting(shifted(fault, fromMs - fault.fromMs), forMs))
    }
  }
}

function halfUp(ms: number, unitMs: number): number {
  return Math.ceil(ms / 2 / unitMs) * unitMs
}

function lasting(fault: Fault, forMs: number): Fault {
  // What happens in it would stay where it is.
  if (fault.kind === 'lull') return fault
  if (fault.kind === 'stall') return { ...fault, forMs }
  return 'untilMs' in fault ? { ...fault, untilMs: fault.fromMs + forMs } : fault
}

function shifted(fault: Fault, byMs: number): Fault {
  const fromMs = fault.fromMs + byMs
  if (fault.kind === 'lull') {
    const inside = fault.inside.map((one) => shifted(one, byMs))
    return { ...fault, fromMs, untilMs: fault.untilMs + byMs, inside }
  }
  return 'untilMs' in fault
    ? { ...fault, fromMs, untilMs: fault.untilMs + byMs }
    : { ...fault, fromMs }
}

function withFault(plan: Plan, index: number, fault: Fault): Plan {
  return prune({ ...plan, faults: plan.faults.with(index, fault) })
}

function inTopology(plan: Plan, change: Partial<Plan['topology']>): Plan {
  return prune({ ...plan, topology: { ...plan.topology, ...change } })
}

function without<T>(items: readonly T[], item: T): T[] {
  return items.filter((other) => other !== item)
}

function swap<T>(items: readonly T[], item: T, change: Partial<T>): T[] {
  return items.map((other) => (other === item ? { ...item, ...change } : other))
}
