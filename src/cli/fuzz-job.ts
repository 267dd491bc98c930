/** What a worker does with one seed: plays it, and when it fails makes it small. */
import { isStill, type Origin } from '../fuzz/draw.ts'
import { createFailingFile, type FailingFile } from '../fuzz/failing-file.ts'
import { type FuzzVerdict, runPlan, runSeed } from '../fuzz/run.ts'
import { shrink } from '../fuzz/shrink.ts'

export interface FuzzTask {
  readonly origin: Origin
  readonly shrinks: boolean
}

export interface FuzzOutcome extends FuzzVerdict {
  /** Of a failure: the file that shows it. */
  readonly file: (FailingFile & { readonly runs: number }) | undefined
}

const SHRINK_RUNS_MAX = 600
const SHRINK_MS_MAX = 120_000

export async function job({ origin, shrinks }: FuzzTask): Promise<FuzzOutcome> {
  const { seed, profile } = origin
  const { plan, ...verdict } = await runSeed(seed, origin)
  if (verdict.failure === undefined) return { ...verdict, file: undefined }
  const endMs = performance.now() + SHRINK_MS_MAX
  const play = async (smaller: typeof plan) =>
    isStill(profile, smaller) ? (await runPlan(smaller, seed)).failure : undefined
  const small = await shrink(plan, verdict.failure, play, {
    maxRuns: shrinks ? SHRINK_RUNS_MAX : 0,
    isOver: () => performance.now() > endMs,
  })
  const file = await createFailingFile(small.plan, small.failure, seed)
  return { ...verdict, file: { ...file, runs: small.runs } }
}
