import { expect, test } from 'vitest'
import { drawRun } from '../../src/fuzz/draw/draw.ts'
import { runPlan } from '../../src/fuzz/run.ts'
import { differencesOf, type KeptRecord, recordingEngine } from './support.ts'

/** The short one has two lives of a Sentinel, and votes. */
const SEEDS = process.env.VEDETTE_LONG ? Array.from({ length: 100 }, (_, at) => at + 1) : [2]

test('decisions of recorded Sentinels are the same when their records are played', async () => {
  let steps = 0
  for (const seed of SEEDS) {
    const records: KeptRecord[] = []
    const plan = drawRun({ profile: 'faults', detection: undefined, seed: `box-${seed}` })
    const verdict = await runPlan(plan, `box-${seed}`, undefined, {
      engine: recordingEngine(records, 500),
    })
    expect(verdict.failure).toBeUndefined()
    expect(records.flatMap((record) => differencesOf(record))).toEqual([])
    steps += records.reduce((sum, record) => sum + record.steps, 0)
  }
  expect(steps).toBeGreaterThan(4_000)
})
