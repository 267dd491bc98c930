/**
 * What a worker does with one seed when its coverage is asked for. The meter is there before the machines are
 * loaded: V8 tells of functions that were never called only if it has seen them come.
 */
import { featuresOf, type RunCoverage } from '../../fuzz/guided/coverage.ts'
import { transitionsOf } from '../../fuzz/guided/transitions.ts'
import { CoverageMeter } from './coverage-meter.ts'
import type { FuzzOutcome, FuzzTask } from './fuzz-job.ts'

const METER = new CoverageMeter()
const { playAndShrink } = await import('./fuzz-job.ts')
const { runPlan } = await import('../../fuzz/run.ts')
let unseen: RunCoverage | undefined = uncalled(METER.take())

export async function job(task: FuzzTask): Promise<FuzzOutcome> {
  return await playAndShrink(task, async (plan, seed) => {
    // What was executed until now was drawing this plan and shrinking the one before.
    METER.take()
    let transitions: readonly string[] = []
    const verdict = await runPlan(plan, seed, ({ happenings }) => {
      transitions = transitionsOf(happenings)
    })
    const coverage = METER.take()
    const features = [...transitions, ...featuresOf(coverage)]
    const all = unseen
    unseen = undefined
    return { verdict, measured: { plan, coverage, features, all } }
  })
}

function uncalled(coverage: RunCoverage): RunCoverage {
  const modules = [...coverage].map(([module, visits]) => {
    const none = visits.map((visit) => ({ ...visit, calls: 0, gaps: [], blocks: [] }))
    return [module, none] as const
  })
  return new Map(modules)
}
