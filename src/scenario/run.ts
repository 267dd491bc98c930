/**
 * Runs a scenario: does what its timeline says at its times, lets the world go on until every
 * expectation can be judged, and judges. How time passes is the engine's business.
 */
import type { Write } from '../sim/write-log.ts'
import { ClusterView, changesOf } from './cluster-view.ts'
import { groupFacts } from './facts.ts'
import { judge, windowOf } from './judge.ts'
import { missingAt } from './read-back.ts'
import type { ScenarioResult, Violation } from './result.ts'
import type { ScenarioFile } from './scenario-file.ts'
import { SIM_ENGINE } from './sim-engine.ts'
import { createTimeline } from './timeline.ts'
import type { Engine, History, World } from './world.ts'

/** Time to see that what came true does not fall again at once. */
const TAIL_MS = 1_000

export interface RunOptions {
  readonly seed: string
  /** Undefined: the simulated world. */
  readonly engine?: Engine
}

export async function runScenario(
  file: ScenarioFile,
  options: RunOptions,
): Promise<ScenarioResult> {
  const world = await (options.engine ?? SIM_ENGINE).create(file, options.seed)
  try {
    const labels = await play(file, world)
    const endMs = endOf(file, labels)
    await world.runUntil(endMs)
    return await conclude(file, world, { seed: options.seed, labels, endMs })
  } finally {
    await world.close()
  }
}

/** Does the steps. Gives the times of those that have a name. */
async function play(file: ScenarioFile, world: World): Promise<ReadonlyMap<string, number>> {
  const labels = new Map<string, number>()
  for (const { atMs, label, action } of file.steps) {
    await world.runUntil(atMs)
    await world.apply(action)
    if (label !== undefined) labels.set(label, atMs)
  }
  return labels
}

/** When the last expectation can be judged. */
function endOf(file: ScenarioFile, labels: ReadonlyMap<string, number>): number {
  const windows = file.expectations.flatMap((expectation) =>
    expectation.kind === 'total' ? [] : [windowOf(expectation.timing, { labels, endMs: 0 })],
  )
  const deadlines = windows.map(({ fromMs, untilMs }) => Math.max(fromMs, untilMs))
  const lastStepMs = file.steps.at(-1)?.atMs ?? 0
  return Math.max(file.durationMs ?? 0, lastStepMs, ...deadlines) + TAIL_MS
}

interface Course {
  readonly seed: string
  readonly labels: ReadonlyMap<string, number>
  readonly endMs: number
}

async function conclude(file: ScenarioFile, world: World, course: Course): Promise<ScenarioResult> {
  const untold = historyOf(world, course)
  const masters = finalMasters(file, untold)
  const history = { ...untold, missing: await missingWrites(masters, untold, world) }
  const sentinels = file.topology.sentinels.map(({ name }) => name)
  const facts = file.topology.groups.map(({ name }) => groupFacts(name, history, masters.get(name)))
  const expectations = judge(file.expectations, { history, sentinels, facts })
  const violations = violationsIn(history)
  const isPassed = violations.length === 0 && expectations.every(({ passed }) => passed)
  return {
    file: file.file,
    name: file.name,
    story: file.story,
    seed: course.seed,
    verdict: isPassed ? 'passed' : 'failed',
    expectations,
    violations,
    facts: { groups: facts },
    timeline: createTimeline(history),
    endMs: course.endMs,
  }
}

/** Everything up to now: what is asked for the verdict is no part of the run. */
function historyOf(world: World, { labels, endMs }: Course): History {
  return {
    happenings: [...world.happenings()],
    writes: [...world.writes()],
    reads: [...world.reads()],
    nameOf: (address) => world.nameOf(address),
    labels,
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
