/**
 * Runs a scenario: does what its timeline says at its times, lets the world go on until every
 * expectation can be judged, and judges. How time passes is the engine's business.
 */
import type { Write } from '../sim/write-log.ts'
import { violationsAfter } from './after/after-run.ts'
import { awaitConvergence } from './after/convergence.ts'
import { groupFacts } from './facts/facts.ts'
import { missingAt } from './facts/read-back.ts'
import { type PlayedTimeline, playTimeline } from './play/play-timeline.ts'
import type { JudgedExpectation, ScenarioResult, Violation } from './result.ts'
import type { ScenarioFile } from './scenario-file.ts'
import { SIM_ENGINE } from './sim-engine.ts'
import { createTimeline } from './timeline.ts'
import { ClusterView, changesOf } from './verdict/cluster-view.ts'
import { judge } from './verdict/judge.ts'
import type { Totals } from './verdict/judge-totals.ts'
import { lastMomentOf } from './verdict/window.ts'
import type { Engine, EngineName, History, World } from './world.ts'

/** Time to see that what came true does not fall again at once. */
const TAIL_MS = 1_000

export interface RunOptions {
  readonly seed: string
  /** Undefined: the simulated world. */
  readonly engine?: Engine
  /** Every deadline is put off by so much, for worlds in which things take real time. Default 0. */
  readonly graceMs?: number
}

/** The outcome, and everything it was judged by. */
export interface Played {
  readonly result: ScenarioResult
  readonly history: History
}

export async function runScenario(
  file: ScenarioFile,
  options: RunOptions,
): Promise<ScenarioResult> {
  return (await playScenario(file, options)).result
}

/** The same, for those who want to tell how it went. */
export async function playScenario(file: ScenarioFile, options: RunOptions): Promise<Played> {
  const engine = options.engine ?? SIM_ENGINE
  const skipped = engine.refusal(file)
  if (skipped !== undefined) return skip(file, engine, options, skipped)
  const world = await engine.create(file, options.seed)
  try {
    const graceMs = options.graceMs ?? 0
    const timeline = await playTimeline(file, world, graceMs)
    const endMs = endOf(file, timeline, graceMs)
    await world.runUntil(endMs)
    const run = { seed: options.seed, engine: engine.name, timeline, endMs, graceMs }
    return await conclude(file, world, run)
  } finally {
    await world.close()
  }
}

function skip(file: ScenarioFile, engine: Engine, { seed }: RunOptions, reason: string): Played {
  const nothing = {
    expectations: [],
    violations: [],
    facts: { groups: [] },
    timeline: [],
    endMs: 0,
  }
  const head = { file: file.file, name: file.name, story: file.story, seed, engine: engine.name }
  const history = { happenings: [], writes: [], reads: [], labels: new Map(), endMs: 0 }
  return {
    result: { ...head, verdict: 'skipped', skipped: reason, ...nothing },
    history: { ...history, nameOf: ({ host, port }) => `${host}:${port}`, missing: new Map() },
  }
}

/** When the last expectation can be judged. */
function endOf(file: ScenarioFile, { labels, lastMs }: PlayedTimeline, graceMs: number): number {
  const moments = file.expectations.map(
    (expectation) => lastMomentOf(expectation, labels, graceMs) ?? 0,
  )
  return Math.max(file.durationMs ?? 0, lastMs, ...moments) + TAIL_MS
}

interface Run {
  readonly seed: string
  readonly engine: EngineName
  readonly timeline: PlayedTimeline
  readonly endMs: number
  readonly graceMs: number
}

async function conclude(file: ScenarioFile, world: World, run: Run): Promise<Played> {
  const untold = historyOf(world, run)
  const masters = finalMasters(file, untold)
  const history = { ...untold, missing: await missingWrites(masters, untold, world) }
  const facts = file.topology.groups.map(({ name }) => groupFacts(name, history, masters.get(name)))
  const unsettled = await settle(file, world, run)
  const expectations = judgeRun(file, { history, facts, unsettled }, run)
  const late =
    run.engine === 'sim' ? violationsAfter({ topology: file.topology, history, masters }) : []
  const violations = [...violationsIn(history), ...late]
  const isPassed = violations.length === 0 && expectations.every(({ passed }) => passed)
  const result: ScenarioResult = {
    file: file.file,
    name: file.name,
    story: file.story,
    seed: run.seed,
    engine: run.engine,
    verdict: isPassed ? 'passed' : 'failed',
    expectations,
    violations,
    facts: { groups: facts },
    timeline: createTimeline(history),
    endMs: run.endMs,
  }
  return { result, history }
}

/** A timeline that was not done to its end comes first: what is missing after it follows from that. */
function judgeRun(
  file: ScenarioFile,
  totals: Totals,
  { timeline, graceMs }: Run,
): readonly JudgedExpectation[] {
  const judged = judge(file.expectations, { ...totals, members: file.topology, graceMs })
  return timeline.broken === undefined ? judged : [timeline.broken, ...judged]
}

/** If the file asks for it: what is not of one mind after the end, once nobody writes any more. */
async function settle(file: ScenarioFile, world: World, run: Run): Promise<readonly string[]> {
  const budgets = file.expectations.flatMap((expectation) =>
    expectation.kind === 'total' && expectation.claim.kind === 'settled'
      ? [expectation.claim.withinMs]
      : [],
  )
  if (budgets.length === 0) return []
  const clients = file.topology.clients.map(({ name }) => name)
  await world.apply({ kind: 'kill', processes: clients })
  const budgetMs = Math.min(...budgets) + run.graceMs
  return await awaitConvergence(world, file, { fromMs: run.endMs, budgetMs, isLoadStopped: true })
}

/** Everything up to now: what is asked for the verdict is no part of the run. */
function historyOf(world: World, { timeline, endMs }: Run): History {
  return {
    happenings: [...world.happenings()],
    writes: [...world.writes()],
    reads: [...world.reads()],
    nameOf: (address) => world.nameOf(address),
    labels: timeline.labels,
    endMs,
    missing: new Map(),
  }
}

async function missingWrites(
  masters: ReadonlyMap<string, string>,
  history: History,
  world: World,
): Promise<History['missing']> {
  const found = new Map<string, ReadonlySet<Write>>()
  for (const [group, node] of masters) {
    const missing = await missingAt(world, node, acknowledgedWrites(group, history))
    if (missing !== undefined) found.set(group, missing)
  }
  return found
}

/** Whom all running Sentinels name when the run is over, by group, if it is a node of ours. */
function finalMasters(file: ScenarioFile, history: History): ReadonlyMap<string, string> {
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

function acknowledgedWrites(group: string, history: History): readonly Write[] {
  return history.writes.filter(
    (write) => write.group === group && write.outcome.kind === 'acknowledged',
  )
}

function violationsIn(history: History): readonly Violation[] {
  return history.happenings.flatMap((happening) => {
    if (happening.kind !== 'violation') return []
    const { atMs, checker, text } = happening
    return [{ atMs, checker, text }]
  })
}
