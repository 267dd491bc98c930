/**
 * The end of a run, and the verdict on it. The order matters: what was seen of the run is kept before anything is asked,
 * data and shared keys are read back once their clients have stopped, and all other clients go on until a claim that
 * everything settles stops them.
 */
import { unreachable } from '../base/assert.ts'
import type { ClientSpec } from '../history/topology.ts'
import type { Write } from '../history/writes.ts'
import { groupFacts } from './facts/facts.ts'
import { missingAt } from './facts/read-back.ts'
import { unreachableQuorum } from './facts/unreachable-quorum.ts'
import { awaitConvergence } from './final-checks/convergence.ts'
import { judgeData } from './final-checks/data-stories.ts'
import {
  lostStrictWrites,
  violationsAfter,
  violationsInRealTime,
} from './final-checks/final-checks.ts'
import type { FinishedRun } from './final-checks/finished-run.ts'
import { judgeShared } from './final-checks/shared-stories.ts'
import type { PlayedTimeline } from './play/play-timeline.ts'
import type { JudgedExpectation, ScenarioResult, Violation } from './result.ts'
import type { ScenarioFile } from './scenario-file.ts'
import { createTimeline } from './timeline.ts'
import { ClusterView, changesOf } from './verdict/cluster-view.ts'
import { judge } from './verdict/judge.ts'
import type { Totals } from './verdict/judge-totals.ts'
import type { EngineName, RunHistory, World } from './world.ts'

/** The outcome, and everything on which it was judged. */
export interface Played {
  readonly result: ScenarioResult
  readonly history: RunHistory
}

/** What was played: how, and up to when. */
interface Run {
  readonly seed: string
  readonly engine: EngineName
  readonly programs: string
  readonly timeline: PlayedTimeline
  readonly endMs: number
  readonly graceMs: number
}

export async function conclude(file: ScenarioFile, world: World, run: Run): Promise<Played> {
  const seen = historyOf(world, run)
  const masters = finalMasters(file, seen)
  await stopClients(world, file, ({ operation }) => operation === 'data' || operation === 'shared')
  // In real time a client writes until it is gone, and the last look at a master shows that too.
  const asked = { ...seen, questions: [...world.questions()] }
  const data = await judgeData(world, file.topology, asked, masters)
  const shared = await judgeShared(world, file.topology, asked, masters)
  const missing = joined(await missingWrites(masters, seen, world), data.missing)
  const history = { ...seen, missing }
  const facts = file.topology.groups.map((group) => ({
    ...groupFacts(group.name, history, masters.get(group.name)),
    shared: shared.facts.get(group.name),
    unreachableQuorum: unreachableQuorum(group, file.topology),
  }))
  const unsettled = await settle(file, world, run)
  const expectations = judgeRun(file, { history, facts, unsettled }, run)
  const finished = { topology: file.topology, history, masters }
  const late = [...lostStrictWrites(finished), ...violationsAtEnd(finished, world, run)]
  const violations = [...violationsIn(history), ...data.violations, ...shared.violations, ...late]
  const judged = { expectations, violations, facts: { groups: facts } }
  return { result: resultOf(file, run, world, { ...judged, history }), history }
}

function resultOf(
  { file, name, story }: ScenarioFile,
  { seed, engine, programs, endMs }: Run,
  world: World,
  found: Pick<ScenarioResult, 'expectations' | 'violations' | 'facts'> & { history: RunHistory },
): ScenarioResult {
  const { expectations, violations, facts, history } = found
  const isPassed = violations.length === 0 && expectations.every(({ passed }) => passed)
  return {
    ...{ file, name, story, seed, engine, programs },
    verdict: isPassed ? 'passed' : 'failed',
    ...{ expectations, violations, facts },
    timeline: createTimeline(history),
    endMs,
    ...latenessOf(world),
  }
}

function latenessOf(world: World): Pick<ScenarioResult, 'latestMs'> {
  const latestMs = world.latestMs()
  return latestMs === undefined ? {} : { latestMs }
}

/** Too little is known of real processes: what happens to them is seen only later. */
function violationsAtEnd(
  finished: FinishedRun,
  world: World,
  { engine }: Run,
): readonly Violation[] {
  switch (engine) {
    case 'sim':
      return violationsAfter(finished)
    case 'tcp':
      return violationsInRealTime(finished, world.latestMs() ?? Number.POSITIVE_INFINITY)
    case 'process':
      return []
    default:
      return unreachable(engine)
  }
}

/** A timeline that was not done to its end comes first: later failures follow from that. */
function judgeRun(
  file: ScenarioFile,
  totals: Totals,
  { timeline, graceMs }: Run,
): readonly JudgedExpectation[] {
  const judged = judge(file.expectations, { ...totals, members: file.topology, graceMs })
  return timeline.broken === undefined ? judged : [timeline.broken, ...judged]
}

/**
 * If the file asks for it: what the processes do not agree on after the end, once no client writes
 * any more.
 */
async function settle(file: ScenarioFile, world: World, run: Run): Promise<readonly string[]> {
  const budgets = file.expectations.flatMap((expectation) =>
    expectation.kind === 'total' && expectation.claim.kind === 'settled'
      ? [expectation.claim.withinMs]
      : [],
  )
  if (budgets.length === 0) return []
  await stopClients(world, file, () => true)
  const budgetMs = Math.min(...budgets) + run.graceMs
  return await awaitConvergence(world, file, { fromMs: run.endMs, budgetMs, isLoadStopped: true })
}

/** Nothing is done if there are none: each action is one more line of the run's trace. */
async function stopClients(
  world: World,
  { topology }: ScenarioFile,
  isMeant: (client: ClientSpec) => boolean,
): Promise<void> {
  const processes = topology.clients.filter(isMeant).map(({ name }) => name)
  if (processes.length > 0) await world.apply({ kind: 'kill', processes })
}

function joined(all: RunHistory['missing'], more: RunHistory['missing']): RunHistory['missing'] {
  return new Map(
    [...all].map(([group, missing]) => [group, new Set([...missing, ...(more.get(group) ?? [])])]),
  )
}

/** Everything up to now: what the judge asks afterwards is no part of the run. */
function historyOf(world: World, { timeline, endMs }: Run): RunHistory {
  return {
    happenings: [...world.happenings()],
    writes: [...world.writes()],
    reads: [...world.reads()],
    questions: [...world.questions()],
    nameOf: (address) => world.nameOf(address),
    labels: timeline.labels,
    endMs,
    missing: new Map(),
  }
}

async function missingWrites(
  masters: ReadonlyMap<string, string>,
  history: RunHistory,
  world: World,
): Promise<RunHistory['missing']> {
  const found = new Map<string, ReadonlySet<Write>>()
  for (const [group, node] of masters) {
    const missing = await missingAt(world, node, acknowledgedWrites(group, history))
    if (missing !== undefined) found.set(group, missing)
  }
  return found
}

/**
 * The master that all running Sentinels name when the run is over, by group, if it is a node of
 * ours.
 */
function finalMasters(file: ScenarioFile, history: RunHistory): ReadonlyMap<string, string> {
  const view = new ClusterView(history.nameOf)
  for (const change of changesOf(history)) view.apply(change)
  const { groups, nodes, sentinels } = file.topology
  const names = sentinels.map(({ name }) => name)
  const masters = new Map<string, string>()
  for (const { name } of groups) {
    const master = view.agreedMaster(names, name)
    if (nodes.some((node) => node.name === master)) masters.set(name, master ?? '')
  }
  return masters
}

function acknowledgedWrites(group: string, history: RunHistory): readonly Write[] {
  return history.writes.filter(
    ({ group: own, operation, outcome }) =>
      own === group && operation.kind !== 'data' && outcome.kind === 'acknowledged',
  )
}

function violationsIn(history: RunHistory): readonly Violation[] {
  return history.happenings.flatMap((happening) => {
    if (happening.kind !== 'violation') return []
    const { atMs, checker, text } = happening
    return [{ atMs, checker, text }]
  })
}
