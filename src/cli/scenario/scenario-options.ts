/** The options of `vedette scenario run`, interpreted together. */

import type { EngineName } from '../../scenario/world.ts'
import type { SeedRange } from '../options.ts'
import { GRACE_MS, type ProgramSide } from './engines.ts'

/** As the command line gives them; each value has been checked by itself. */
export interface ScenarioOptions {
  readonly engine: EngineName
  readonly against: ProgramSide
  readonly seed?: string
  readonly seeds?: SeedRange
  /** Milliseconds. */
  readonly grace?: number
  /** How many runs at the same time. */
  readonly jobs?: number
  readonly report?: string
  /** The folder for the records of the Sentinels. */
  readonly records?: string
  readonly json?: true
  readonly brief?: true
}

export interface ScenarioRunPlan {
  readonly seeds: readonly string[]
  readonly graceMs: number
  readonly jobs: number
}

/** The run is the same every time, unless the user asks for another seed. */
const DEFAULT_SEED = '1'

export type Planned =
  | { readonly ok: true; readonly plan: ScenarioRunPlan }
  | { readonly ok: false; readonly message: string; readonly hint: string }

export function planRuns(options: ScenarioOptions): Planned {
  const { against, engine, seed, seeds, grace, jobs = 1, records } = options
  if (against !== 'vedette' && engine !== 'process') {
    const hint = `add --engine process: only real processes can be those of ${against === 'redis' ? 'Redis' : 'both'}`
    return { ok: false, message: `--against ${against} needs real processes`, hint }
  }
  if (records !== undefined && (engine !== 'process' || against === 'redis')) {
    const hint = 'add --engine process: only real Sentinels of ours keep them'
    return { ok: false, message: '--records needs real Sentinels of Vedette', hint }
  }
  if (seed !== undefined && seeds !== undefined) {
    return { ok: false, message: '--seed and --seeds exclude each other', hint: 'leave one out' }
  }
  if (jobs > 1 && engine === 'sim') {
    const hint = 'leave --jobs out, or use vedette fuzz, which takes every core'
    return { ok: false, message: 'the simulator runs one at a time', hint }
  }
  const chosen = seeds === undefined ? [seed ?? DEFAULT_SEED] : seedsIn(seeds)
  return { ok: true, plan: { seeds: chosen, graceMs: grace ?? GRACE_MS[engine], jobs } }
}

function seedsIn({ first, last }: SeedRange): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${first + index}`)
}
