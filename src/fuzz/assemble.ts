/** Writes a plan in the words of scenario files: a plain value, in the order in which people read. */
import { unreachable } from '../base/assert.ts'
import { DEFAULT_SPEC } from '../sim/topology.ts'
import { calmBudgetMs, stirringMs } from './budget.ts'
import { stepsOf } from './fault.ts'
import type {
  Demand,
  Plan,
  PlannedClient,
  PlannedGroup,
  PlannedNode,
  PlannedSentinel,
  PlannedTopology,
} from './plan.ts'
import { durationWord, type StepWords } from './words.ts'

/** The moment from which on everything works again. */
const CALM = 'calm'
/** The moment at which the cluster has come to rest, and stayed so. */
const SETTLED = 'settled'
/** How long it is looked at then. */
const WATCHED_MS = 5_000
/** For what is still on its way to the replicas when the clients have stopped. */
const SETTLE_MS = 20_000
/** Time at the end in which every client has to get a write through. */
const WRITES_WITHIN_MS = 3_000

export type Words = Readonly<Record<string, unknown>>

export interface Title {
  readonly name: string
  readonly story: string
}

/** What each expectation of the scenario is about, whomever it names: the kind of failure it stands for. */
export function claimsOf({ demands, ending }: Plan): string[] {
  const kinds = demands.map(({ kind }) => kind)
  return ending === 'limit' ? kinds : ['converges', ...kinds.filter((kind) => kind !== 'converges')]
}

export interface ScenarioWords extends Title {
  readonly topology: Words
  readonly workload?: Words
  readonly duration?: string
  readonly timeline: readonly Words[]
  readonly expect: readonly Words[]
}

export function assemble(plan: Plan, title: Title): ScenarioWords {
  return {
    ...title,
    topology: topologyWords(plan.topology),
    ...(plan.clients.length === 0 ? {} : { workload: { clients: clientWords(plan.clients) } }),
    ...(plan.restMs === undefined ? {} : { duration: durationWord(plan.calmMs + plan.restMs) }),
    timeline: timelineWords(plan),
    expect: plan.demands.flatMap((demand) => demandWords(demand, plan)),
  }
}

function topologyWords(topology: PlannedTopology): Words {
  return {
    latency: durationWord(topology.latencyMs),
    jitter: durationWord(topology.jitterMs),
    ...zoneWords(topology),
    ...unlessEmpty('settings', topology.settings),
    groups: byName(topology.groups, groupWords),
    nodes: byName(topology.nodes, nodeWords),
    sentinels: byName(topology.sentinels, sentinelWords),
  }
}

function zoneWords({ zones }: PlannedTopology): Words {
  if (zones.length === 0) return {}
  const pairs = zones.flatMap((one, index) => zones.slice(index + 1).map((other) => [one, other]))
  return {
    zones: Object.fromEntries(zones.map(({ name, hosts }) => [name, hosts])),
    ways: pairs.map((pair) => ({
      between: pair.map((zone) => zone.name),
      latency: durationWord(Math.max(...pair.map((zone) => zone.farMs))),
    })),
  }
}

function groupWords(group: PlannedGroup): Words {
  return {
    master: group.master,
    quorum: group.quorum,
    'down-after': durationWord(group.downAfterMs),
    'failover-timeout': durationWord(group.failoverTimeoutMs),
    ...(group.parallelSyncs === 1 ? {} : { 'parallel-syncs': group.parallelSyncs }),
    ...detectionWords(group),
  }
}

/** What is as by default is not written. */
function detectionWords({ detection, refusedAfterMs }: PlannedGroup): Words {
  return {
    ...(detection === DEFAULT_SPEC.detection ? {} : { detection }),
    ...(refusedAfterMs === DEFAULT_SPEC.refusedAfterMs
      ? {}
      : { 'refused-after': durationWord(refusedAfterMs) }),
  }
}

function nodeWords(node: PlannedNode): Words {
  return {
    host: node.host,
    ...(node.replicaOf === undefined ? {} : { 'replica-of': node.replicaOf }),
    ...unlessEmpty('settings', node.settings),
    ...(node.joinsLater ? { 'joins-later': true } : {}),
  }
}

function sentinelWords(sentinel: PlannedSentinel): Words {
  return { host: sentinel.host, ...(sentinel.joinsLater ? { 'joins-later': true } : {}) }
}

function clientWords(clients: readonly PlannedClient[]): Words {
  return byName(clients, ({ host, group, operation, pace }) => ({
    host,
    group,
    ...(operation === 'keys' ? {} : { operation }),
    ...('rate' in pace ? { rate: pace.rate } : { think: durationWord(pace.thinkMs) }),
  }))
}

/** All steps in the order of their times; at the same time, ends go before the heal of everything. */
function timelineWords(plan: Plan): Words[] {
  const { faults, calmMs } = plan
  const heal: StepWords = { atMs: calmMs, words: { as: CALM, heal: true } }
  const steps = [...faults.flatMap(stepsOf), heal]
  steps.sort((a, b) => a.atMs - b.atMs)
  const timed = steps.map(({ atMs, words }) => ({ at: durationWord(atMs), ...words }))
  return plan.ending === 'limit' ? timed : [...timed, ...restWords(plan)]
}

/** All groups come to rest, one wait after the other; and once more, when nothing can stir them again. */
function restWords(plan: Plan): Words[] {
  const groups = plan.demands.filter((demand) => demand.kind === 'converges')
  const within = durationWord(calmBudgetMs(plan))
  const waits = groups.map(({ group }) => ({ after: { converged: true, group }, within }))
  const still = durationWord(stirringMs(plan))
  return [
    ...waits.map((wait, index) => ({
      ...wait,
      ...(index === waits.length - 1 ? { plus: still } : {}),
      as: `resting-${index + 1}`,
    })),
    ...waits.map((wait, index) => ({
      ...wait,
      as: index === waits.length - 1 ? SETTLED : `settled-${index + 1}`,
    })),
  ]
}

/** None: a step of the timeline waits for it. */
function demandWords(demand: Demand, plan: Plan): Words[] {
  const budget = durationWord(calmBudgetMs(plan))
  const rest = restRef(plan, 0)
  switch (demand.kind) {
    case 'converges':
      if (plan.ending === 'rest') return []
      return [{ group: demand.group, converged: true, after: CALM, within: budget }]
    case 'staysConverged': {
      const until = restRef(plan, WATCHED_MS)
      return [{ group: demand.group, converged: true, after: rest, until, always: true }]
    }
    case 'writesWork': {
      const within = durationWord(WRITES_WITHIN_MS)
      return [{ 'writes-work': { client: demand.client }, after: rest, within }]
    }
    case 'settles':
      return [{ settled: { within: durationWord(SETTLE_MS) } }]
    case 'never':
      return [{ never: true, event: { name: demand.event } }]
    case 'anything':
      return [{ group: demand.group, failovers: { 'at-most': 1_000 } }]
    default:
      return unreachable(demand)
  }
}

/** The moment from which on the cluster has to be at rest, and so long after it. */
function restRef(plan: Plan, afterMs: number): string {
  if (plan.ending === 'limit') return `${CALM} + ${durationWord(calmBudgetMs(plan) + afterMs)}`
  return afterMs === 0 ? SETTLED : `${SETTLED} + ${durationWord(afterMs)}`
}

function byName<T extends { readonly name: string }>(
  items: readonly T[],
  words: (item: T) => Words,
): Words {
  return Object.fromEntries(items.map((item) => [item.name, words(item)]))
}

function unlessEmpty(key: string, words: Words): Words {
  return Object.keys(words).length === 0 ? {} : { [key]: words }
}
