import { expect, test } from 'vitest'
import { drawRun } from '../../src/fuzz/draw/draw.ts'
import { runPlan } from '../../src/fuzz/run.ts'
import { differencesOf, type KeptRecord, recordingEngine } from './support.ts'

/** The short one has two lives of a Sentinel, and votes. */
const SEEDS = process.env.VEDETTE_LONG ? Array.from({ length: 30 }, (_, at) => at + 1) : [2]

// strict: FENCE was taken for the name of a renamed command, and hidden in one of the two.
test.each([
  ['faults', SEEDS],
  ['strict', [1]],
] as const)(
  'decisions of recorded Sentinels are the same when their records are played: %s',
  async (profile, seeds) => {
    let steps = 0
    for (const seed of seeds) {
      const records: KeptRecord[] = []
      const plan = drawRun({ profile, detection: undefined, seed: `box-${seed}` })
      const verdict = await runPlan(plan, `box-${seed}`, undefined, {
        engine: recordingEngine(records, 500),
      })
      // Whether the run is as it should be is for other tests to say: a wrong one is played as well.
      expect(verdict.failure?.kind).not.toBe('crash')
      expect(records.flatMap((record) => differencesOf(record))).toEqual([])
      steps += records.reduce((sum, record) => sum + record.steps, 0)
    }
    expect(steps).toBeGreaterThan(3_000)
  },
)
