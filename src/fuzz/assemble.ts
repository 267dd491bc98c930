/**
 * Writes a plan in the words of scenario files: a plain value, in the order in which people read.
 */
import { unreachable } from '../base/assert.ts'
import { moreOptionWords, optionWords, SPEC_OPTION_ROWS } from '../history/topology.ts'
import { repairBoundMs } from '../scenario/final-checks/availability.ts'
import { calmBudgetMs, stirringMs, yieldingMs } from './budget.ts'
import { stepsOf } from './faults/faults.ts'
import {
  isWriteOnly,
  type PlannedClient,
  type PlannedGroup,
  type PlannedLiar,
  type PlannedNode,
  type PlannedSentinel,
  type PlannedTopology,
} from './members.ts'
import type { CalmDemand, FuzzPlan } from './plan.ts'
import { durationWord, type StepWords } from './words.ts'

/** The moment from which on everything works again. */
const CALM = 'calm'
/** The moment at which the cluster has come to rest, and stayed so. */
const SETTLED = 'settled'
/** The moment of the last death. */
const DEATH = 'death'
/** How long the run goes on after a cluster should have come to rest. */
const WATCHED_MS = 5_000
/** Time for what is still on its way to the replicas when the clients have stopped. */
const SETTLE_MS = 20_000
/** Time at the end in which every client has to get a write through. */
const WRITES_WITHIN_MS = 3_000
/** A client that also reads gets the time for so many requests at least. Some half of them are writes. */
const MIXED_REQUESTS = 20

export type YamlWords = Readonly<Record<string, unknown>>

export interface Title {
  readonly name: string
  readonly story: string
}

/**
 * What each expectation of the scenario is about, whichever process it names: the kind of failure
 * it stands for.
 */
export function claimsOf({ demands, ending }: FuzzPlan): string[] {
  const kinds = demands.map(({ kind }) => kind)
  return ending === 'limit' ? kinds : ['converges', ...kinds.filter((kind) => kind !== 'converges')]
}

export interface ScenarioWords extends Title {
  readonly topology: YamlWords
  readonly workload?: YamlWords
  readonly duration?: string
  readonly timeline: readonly YamlWords[]
  readonly expect: readonly YamlWords[]
}

export function assemble(plan: FuzzPlan, title: Title): ScenarioWords {
  return {
    ...title,
    topology: topologyWords(plan.topology),
    ...(plan.clients.length === 0 ? {} : { workload: { clients: clientWords(plan.clients) } }),
    ...durationWords(plan),
    timeline: timelineWords(plan),
    expect: plan.demands.flatMap((demand) => demandWords(demand, plan)),
  }
}

function topologyWords(topology: PlannedTopology): YamlWords {
  return {
    latency: durationWord(topology.latencyMs),
    jitter: durationWord(topology.jitterMs),
    ...zoneWords(topology),
    ...unlessEmpty('settings', topology.settings),
    groups: byName(topology.groups, groupWords),
    nodes: byName(topology.nodes, nodeWords),
    sentinels: byName(topology.sentinels, sentinelWords),
    ...unlessEmpty('liars', byName(topology.liars, liarWords)),
    ...(topology.password === undefined ? {} : { password: topology.password }),
  }
}

function durationWords(plan: FuzzPlan): { duration?: string } {
  const { restMs, calmMs } = plan
  if (restMs === undefined) return {}
  const finaleMs = plan.hasFinalDeath ? failoverMs(plan) : 0
  return { duration: durationWord(calmMs + restMs + finaleMs) }
}

function zoneWords({ zones }: PlannedTopology): YamlWords {
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

/** Options with their default values are not written. */
function groupWords(group: PlannedGroup): YamlWords {
  const unusual = SPEC_OPTION_ROWS.filter(({ key, usual }) => group[key] !== usual)
  return {
    master: group.master,
    ...optionWords(group, durationWord, unusual),
    ...moreOptionWords(group, durationWord),
  }
}

function nodeWords(node: PlannedNode): YamlWords {
  return {
    host: node.host,
    ...(node.replicaOf === undefined ? {} : { 'replica-of': node.replicaOf }),
    ...(node.promotion === undefined ? {} : { promotion: node.promotion }),
    ...unlessEmpty('settings', node.settings),
    ...(node.joinsLater ? { 'joins-later': true } : {}),
  }
}

function sentinelWords(sentinel: PlannedSentinel): YamlWords {
  return { host: sentinel.host, ...(sentinel.joinsLater ? { 'joins-later': true } : {}) }
}

function liarWords({ knowsPassword }: PlannedLiar): YamlWords {
  return knowsPassword ? { 'knows-password': true } : {}
}

function clientWords(clients: readonly PlannedClient[]): YamlWords {
  return byName(clients, ({ host, group, operation, pace, manner, ...more }) => ({
    host,
    group,
    ...(operation === 'keys' ? {} : { operation }),
    ...('rate' in pace ? { rate: pace.rate } : { think: durationWord(pace.thinkMs) }),
    ...(more.pipeline === undefined ? {} : { pipeline: more.pipeline }),
    ...(manner === 'prompt' ? {} : { manner }),
    ...(more.hasProxy === true ? { proxy: true } : {}),
    ...(more.halfCloses === true ? { 'half-closes': true } : {}),
  }))
}

/**
 * All steps in order of time; at the same time, ends of faults go before the heal of everything.
 */
function timelineWords(plan: FuzzPlan): YamlWords[] {
  const { faults, calmMs, topology } = plan
  const heal: StepWords = { atMs: calmMs, words: { as: CALM, heal: true } }
  const silence = topology.liars.map(({ name }) => ({ atMs: calmMs, words: { kill: name } }))
  const steps = [...faults.flatMap(stepsOf), ...silence, ...restartWords(plan), heal]
  steps.sort((a, b) => a.atMs - b.atMs)
  const timed = steps.map(({ atMs, words }) => ({ at: durationWord(atMs), ...words }))
  return [...timed, ...(plan.ending === 'limit' ? [] : restWords(plan)), ...finalWords(plan)]
}

/** With `appendfsync always` a node ends itself when its disk fails; then a supervisor starts it again. */
function restartWords({ topology, calmMs }: FuzzPlan): StepWords[] {
  if (topology.settings.appendfsync !== 'always') return []
  const names = topology.nodes.map(({ name }) => name)
  return [{ atMs: calmMs, words: { start: names } }]
}

/** The master dies when no process has effects of earlier faults to recover from any more. */
function finalWords(plan: FuzzPlan): YamlWords[] {
  const { topology, ending, restMs, hasFinalDeath } = plan
  if (!hasFinalDeath) return []
  const restedMs = restMs ?? calmBudgetMs(plan) + WATCHED_MS
  const quietMs = ending === 'rest' ? yieldingMs(plan) : Math.max(restedMs, yieldingMs(plan))
  const at = `${ending === 'rest' ? SETTLED : CALM} + ${durationWord(quietMs)}`
  return [{ at, as: DEATH, group: topology.groups[0]?.name, kill: 'the-master' }]
}

/** How long an ordinary failover takes at most, according to the check of availability. */
function failoverMs({ topology }: FuzzPlan): number {
  const { groups, latencyMs, jitterMs } = topology
  return repairBoundMs(groups[0]?.downAfterMs ?? 0, latencyMs + jitterMs)
}

/**
 * All groups come to rest, one wait after the other; and once more, when nothing can disturb them
 * again.
 */
function restWords(plan: FuzzPlan): YamlWords[] {
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

/** An empty list: a step of the timeline waits for it. */
function demandWords(demand: CalmDemand, plan: FuzzPlan): YamlWords[] {
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
      const within = durationWord(writesWithinMs(plan, demand.client))
      return [{ 'writes-work': { client: demand.client }, after: rest, within }]
    }
    case 'settles':
      return [{ settled: { within: durationWord(SETTLE_MS) } }]
    case 'failsOver': {
      const within = durationWord(failoverMs(plan))
      return [{ group: demand.group, 'writes-work': true, after: DEATH, within }]
    }
    case 'never':
      return [{ never: true, event: { name: demand.event } }]
    case 'anything':
      return [{ group: demand.group, failovers: { 'at-most': 1_000 } }]
    default:
      return unreachable(demand)
  }
}

function writesWithinMs({ clients }: FuzzPlan, name: string): number {
  const client = clients.find((other) => other.name === name)
  if (client === undefined || isWriteOnly(client)) return WRITES_WITHIN_MS
  const { pace } = client
  const periodMs = 'rate' in pace ? 1_000 / pace.rate : pace.thinkMs
  return Math.max(WRITES_WITHIN_MS, Math.ceil(MIXED_REQUESTS * periodMs))
}

/** The moment from which on the cluster has to be at rest, plus `afterMs`. */
function restRef(plan: FuzzPlan, afterMs: number): string {
  if (plan.ending === 'limit') return `${CALM} + ${durationWord(calmBudgetMs(plan) + afterMs)}`
  return afterMs === 0 ? SETTLED : `${SETTLED} + ${durationWord(afterMs)}`
}

function byName<T extends { readonly name: string }>(
  items: readonly T[],
  words: (item: T) => YamlWords,
): YamlWords {
  return Object.fromEntries(items.map((item) => [item.name, words(item)]))
}

function unlessEmpty(key: string, words: YamlWords): YamlWords {
  return Object.keys(words).length === 0 ? {} : { [key]: words }
}
