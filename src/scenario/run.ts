/**
 * Runs a scenario: does what its timeline says at its times, lets the world go on until every
 * expectation can be judged, and then concludes (conclude.ts). How time passes is up to the engine.
 */
import { conclude, type Played } from './conclude.ts'
import { type PlayedTimeline, playTimeline } from './play/play-timeline.ts'
import type { ScenarioResult } from './result.ts'
import type { ScenarioFile } from './scenario-file.ts'
import { SIM_ENGINE } from './sim-engine.ts'
import { lastMomentOf } from './verdict/window.ts'
import type { Engine } from './world.ts'

export type { Played } from './conclude.ts'

/** Time to see that what came true stays true for a moment. */
const TAIL_MS = 1_000

export interface RunOptions {
  readonly seed: string
  /** Undefined: the simulated world. */
  readonly engine?: Engine
  /**
   * Every deadline is postponed by this much, for worlds in which things take real time. Default 0.
   */
  readonly graceMs?: number
}

export async function runScenario(
  file: ScenarioFile,
  options: RunOptions,
): Promise<ScenarioResult> {
  return (await playScenario(file, options)).result
}

/** Runs a scenario and also returns its history, for reports of how it went. */
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
    const { name, programs } = engine
    const run = { seed: options.seed, engine: name, programs, timeline, endMs, graceMs }
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
  const { programs } = engine
  const run = { seed, engine: engine.name, programs }
  const head = { file: file.file, name: file.name, story: file.story, ...run }
  const history = { happenings: [], writes: [], reads: [], questions: [] }
  return {
    result: { ...head, verdict: 'skipped', skipped: reason, ...nothing },
    history: {
      ...{ ...history, labels: new Map(), endMs: 0 },
      nameOf: ({ host, port }) => `${host}:${port}`,
      missing: new Map(),
    },
  }
}

/** When the last expectation can be judged. */
function endOf(file: ScenarioFile, timeline: PlayedTimeline, graceMs: number): number {
  const moments = file.expectations.map(
    (expectation) => lastMomentOf(expectation, timeline, graceMs) ?? 0,
  )
  return Math.max(file.durationMs ?? 0, timeline.overMs, ...moments) + TAIL_MS
}
