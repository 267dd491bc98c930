/** Plays one seed and measures its history. */

import { createRng, type Rng } from '../base/rng.ts'
import { between, weighted } from '../fuzz/odds.ts'
import { type Played, playScenario } from '../scenario/run.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import {
  INCIDENT_KINDS,
  INCIDENTS,
  type Incident,
  type IncidentKind,
  type Lots,
} from './incident.ts'
import { type MeasuredHistory, measure } from './measure.ts'
import { scenarioOf } from './scenario-of.ts'
import { type Stage, type Staged, stageIncident } from './stage.ts'

export interface PlayedSeed {
  readonly staged: Staged
  readonly file: ScenarioFile
  readonly played: Played
}

/** The incident's seed is also the seed of the run: one number determines all of it. */
export async function playSeed(seed: string, stage: Stage): Promise<PlayedSeed> {
  const staged = stageIncident(drawIncident(seed), stage)
  const file = scenarioOf(staged, stage)
  return { staged, file, played: await playScenario(file, { seed }) }
}

export async function measureSeed(seed: string, stage: Stage): Promise<MeasuredHistory> {
  const { staged, played } = await playSeed(seed, stage)
  return measure(stage.cluster, staged, played)
}

// Draws the history that belongs to a seed.

/** By then all processes know each other, and the first INFO period is over. */
const FIRST_MS = 15_000
const SPREAD_MS = 5_000
const LOT_MAX = 1_000_000

/** The same seed gives the same incident for ever. */
export function drawIncident(seed: string): Incident {
  const rng = createRng(`simulate/${seed}`)
  const kind = weighted(
    rng.fork('kind'),
    INCIDENT_KINDS.map((each) => [INCIDENTS[each].weight, each] as const),
  )
  const times = rng.fork('times')
  const count = timesOf(kind, times)
  return {
    seed,
    kind,
    beforehand: weighted(rng.fork('beforehand'), [
      [14, 'nothing'],
      [4, 'sentinelDead'],
      [2, 'replicaDead'],
    ]),
    atMs: FIRST_MS + times.below(SPREAD_MS),
    forMs: Array.from({ length: count }, () => lengthOf(kind, times)),
    gapMs: Array.from({ length: count }, () => between(times, 300, 2_500)),
    lots: drawLots(rng.fork('lots')),
    shape: drawShape(rng.fork('shape')),
  }
}

function timesOf(kind: IncidentKind, rng: Rng): number {
  if (kind === 'stutter') return between(rng, 3, 8)
  if (kind === 'flapping') return between(rng, 4, 10)
  return INCIDENTS[kind].lastsMs === undefined ? 0 : 1
}

/** Short ones are as likely as long ones: every doubling of the length has the same chance. */
function lengthOf(kind: IncidentKind, rng: Rng): number {
  const [minMs, maxMs] = INCIDENTS[kind].lastsMs ?? [0, 0]
  const doublings: number[] = []
  for (let ms = minMs; ms < maxMs; ms *= 2) doublings.push(ms)
  const fromMs = rng.pick(doublings)
  return between(rng, fromMs, Math.min(2 * fromMs, maxMs))
}

function drawLots(rng: Rng): Lots {
  const lot = (): number => rng.below(LOT_MAX)
  return { group: lot(), replica: lot(), sentinel: lot(), client: lot(), beforehand: lot() }
}

function drawShape(rng: Rng): Incident['shape'] {
  const latencyMs = rng.pick([50, 100, 200, 400, 800])
  return { latencyMs, loss: rng.pick([0, 0.01, 0.05, 0.15]) }
}
