/**
 * `vedette incident --what-if`: the incident in the simulated world, over many seeds, with the settings as they were and as
 * they might be. With those that were it has to come out as it did, or the rest means nothing.
 */
import { playScenario } from '../../../scenario/run.ts'
import type { ScenarioFile } from '../../../scenario/scenario-file.ts'
import type { SeedRange } from '../../options.ts'
import { medianOf } from './median.ts'
import type { RealCourse } from './reconstruct.ts'
import { type ChangedSetting, START_MS, scenarioOf } from './scenario.ts'

/** What one seed came to. */
export interface PlayedOutcome {
  /** From the loss of the master to the first Sentinel that named another; undefined: none did. */
  readonly switchedMs: number | undefined
  /** The longest time without an acknowledged write. */
  readonly outageMs: number
  /** Undefined: there was no master to ask in the end. */
  readonly lost: number | undefined
  readonly failovers: number
}

export interface Variant {
  /** Empty: as it was. */
  readonly changes: readonly ChangedSetting[]
  readonly outcomes: readonly PlayedOutcome[]
  /** Late answers in the records that a Sentinel would have taken for a death. */
  readonly falseAlarms: number
}

export interface WhatIf {
  readonly real: RealCourse
  readonly seeds: SeedRange
  readonly variants: readonly Variant[]
  /** How far the median of the first variant is from what was, 0.2 for 20 %; undefined: not comparable. */
  readonly strayed: number | undefined
}

/** Of shorter outages the simulated network alone is a great part: they are measured by this. */
const SHORT_MS = 250
/** So far the played outage may be from the real one. */
export const NEAR_ENOUGH = 0.2

/** A text says what is wrong with a setting. */
export async function playWhatIf(
  real: RealCourse,
  changes: readonly ChangedSetting[],
  seeds: SeedRange,
): Promise<WhatIf | string> {
  const wanted = changes.length === 0 ? [[]] : [[], changes]
  const files = wanted.map((some) => scenarioOf(real.reconstruction, some))
  const variants: Variant[] = []
  for (const [at, file] of files.entries()) {
    if (typeof file === 'string') return file
    variants.push(await playVariant(real, wanted[at] ?? [], file, seeds))
  }
  return { real, seeds, variants, strayed: strayOf(real, variants[0]) }
}

async function playVariant(
  real: RealCourse,
  changes: readonly ChangedSetting[],
  file: ScenarioFile,
  { first, last }: SeedRange,
): Promise<Variant> {
  const outcomes: PlayedOutcome[] = []
  for (let seed = first; seed <= last; seed++)
    outcomes.push(await playOne(real, file, String(seed)))
  const [group] = file.topology.groups
  const downAfterMs = group?.downAfterMs ?? Number.POSITIVE_INFINITY
  const falseAlarms = real.lateMs.filter((lateMs) => lateMs >= downAfterMs).length
  return { changes, outcomes, falseAlarms }
}

async function playOne(
  { lostMs }: RealCourse,
  file: ScenarioFile,
  seed: string,
): Promise<PlayedOutcome> {
  const { result, history } = await playScenario(file, { seed })
  const lostAtMs = START_MS + lostMs
  const switched = history.happenings.find(
    (one) => one.kind === 'event' && one.name === '+switch-master' && one.atMs >= lostAtMs,
  )
  const [facts] = result.facts.groups
  const lost = facts?.lost
  return {
    switchedMs: switched === undefined ? undefined : switched.atMs - lostAtMs,
    outageMs: facts?.longestOutageMs ?? 0,
    lost: lost && lost.asynchronous + lost.splitBrain + lost.emptyRestart,
    failovers: facts?.failovers ?? 0,
  }
}

function strayOf({ switchedMs }: RealCourse, was: Variant | undefined): number | undefined {
  const played = medianOf((was?.outcomes ?? []).map((one) => one.switchedMs))
  // Where no replica took the place of the master, none may in the variant.
  if (switchedMs === undefined) return played === undefined ? 0 : undefined
  if (played === undefined) return undefined
  return Math.abs(played - switchedMs) / Math.max(SHORT_MS, switchedMs)
}

export function worstOf(values: readonly (number | undefined)[]): number | undefined {
  return values.includes(undefined) ? undefined : Math.max(...values.map((one) => one ?? 0))
}
