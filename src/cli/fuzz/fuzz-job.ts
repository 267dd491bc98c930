/** What a worker does with one seed: plays it, and shrinks the scenario if it fails. */
import { drawRun, isStill, type Origin } from '../../fuzz/draw/draw.ts'
import { createFailingFile, createUntriedFile, type FailingFile } from '../../fuzz/failing-file.ts'
import type { Failure } from '../../fuzz/failure.ts'
import type { RunCoverage } from '../../fuzz/guided/coverage.ts'
import type { FuzzPlan } from '../../fuzz/plan.ts'
import { type FuzzVerdict, runPlan, scenarioOf } from '../../fuzz/run.ts'
import { shrink } from '../../fuzz/shrink.ts'
import { drawTranscripts, judgeTranscript } from '../../fuzz/transcripts/judge.ts'
import type { EngineName } from '../../scenario/world.ts'
import { loadEngine } from '../scenario/engines.ts'
import { drawForEngine } from './fuzz-engine.ts'
import { keptTranscripts } from './transcript-files.ts'

export interface FuzzTask {
  readonly origin: Origin
  readonly shrinks: boolean
  readonly engine: EngineName
  /** The plan to play in the place of the one that is drawn from the seed. */
  readonly plan: FuzzPlan | undefined
}

/** What a run that was measured has shown. */
export interface Measured {
  readonly plan: FuzzPlan
  readonly coverage: RunCoverage
  readonly features: readonly string[]
  /** With the first run of a worker: all functions there are, none of them called. */
  readonly all: RunCoverage | undefined
}

export interface FuzzOutcome extends FuzzVerdict {
  /** For a failure: the file that reproduces it. */
  readonly file: (FailingFile & { readonly runs: number }) | undefined
  /** What it missed the first time and not when it was played again; undefined: nothing. */
  readonly missedOnce: string | undefined
  /** Undefined if it was not asked for. */
  readonly measured: Measured | undefined
}

const SHRINK_RUNS_MAX = 600
const SHRINK_MS_MAX = 120_000
const NOTHING = { file: undefined, missedOnce: undefined, measured: undefined }
/** Several worlds share a core, with whatever else the machine does. */
const REAL_GRACE_MS = 1_500

interface PlayedPlan {
  readonly verdict: FuzzVerdict
  readonly measured: Measured | undefined
}

export async function job(task: FuzzTask): Promise<FuzzOutcome> {
  if (task.engine !== 'sim') return await playInRealTime(task)
  return await playAndShrink(task, async (plan, seed) => {
    return { verdict: await runPlan(plan, seed), measured: undefined }
  })
}

/** `play` plays the plan itself; the smaller ones after a failure are played without being measured. */
export async function playAndShrink(
  { origin, shrinks, plan: given }: FuzzTask,
  play: (plan: FuzzPlan, seed: string) => Promise<PlayedPlan>,
): Promise<FuzzOutcome> {
  const { seed, profile } = origin
  const plan = given ?? drawRun(origin)
  const { verdict, measured } = await play(plan, seed)
  if (verdict.failure === undefined) return { ...verdict, ...NOTHING, measured, ...asked(seed) }
  const endMs = performance.now() + SHRINK_MS_MAX
  const playSmaller = async (smaller: FuzzPlan) =>
    isStill(profile, smaller) ? (await runPlan(smaller, seed)).failure : undefined
  const small = await shrink(plan, verdict.failure, playSmaller, {
    maxRuns: shrinks ? SHRINK_RUNS_MAX : 0,
    isOver: () => performance.now() > endMs,
  })
  const file = await createFailingFile(small.plan, small.failure, seed)
  return { ...verdict, ...NOTHING, file: { ...file, runs: small.runs }, measured }
}

/** What else is asked of a node; a failure there has nothing to do with the plan, and no file. */
function asked(seed: string): { readonly failure?: Failure } {
  for (const transcript of drawTranscripts(seed, keptTranscripts())) {
    const failure = judgeTranscript(transcript)
    if (failure !== undefined) return { failure }
  }
  return {}
}

/**
 * In real time nothing is the same twice, so nothing is made small. An expectation that was missed once may
 * have been missed because the machine was busy; what a checker found is never blamed on that.
 */
async function playInRealTime({ origin, engine: name }: FuzzTask): Promise<FuzzOutcome> {
  const { seed } = origin
  const engine = await loadEngine(name, 'vedette')
  const plan = drawForEngine(origin, engine)
  const refusal = engine.refusal(scenarioOf(plan, seed))
  // A run that was skipped must not look like one in which everything held.
  if (refusal !== undefined) throw new Error(`it cannot be played here: ${refusal}`)
  const where = { engine, graceMs: REAL_GRACE_MS }
  const first = await runPlan(plan, seed, () => undefined, where)
  if (first.failure === undefined) return { ...first, ...NOTHING }
  const isPatient = first.failure.kind === 'expectation'
  const verdict = isPatient ? await runPlan(plan, seed, () => undefined, where) : first
  if (verdict.failure === undefined) {
    return { ...verdict, ...NOTHING, missedOnce: `${first.failure.checker}: ${first.failure.text}` }
  }
  const file = createUntriedFile(plan, verdict.failure, seed)
  return { ...verdict, ...NOTHING, file: { ...file, runs: isPatient ? 2 : 1 } }
}
