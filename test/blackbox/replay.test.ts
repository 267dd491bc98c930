import { expect, test } from 'vitest'
import { drawRun } from '../../src/fuzz/draw/draw.ts'
import { runPlan } from '../../src/fuzz/run.ts'
import { differencesOf, type KeptRecord, recordingEngine } from './support.ts'

const SEEDS = Number(process.env.VEDETTE_LONG ? 100 : 1)

test('decisions of recorded Sentinels are the same when their records are played', async () => {
  let steps = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const records: KeptRecord[] = []
    const plan = drawRun({ profile: 'faults', detection: undefined, seed: `box-${seed}` })
    const verdict = await runPlan(plan, `box-${seed}`, undefined, {
      engine: recordingEngine(records, 500),
    })
    expect(verdict.failure).toBeUndefined()
    expect(records.flatMap((record) => differencesOf(record))).toEqual([])
    steps += records.reduce((sum, record) => sum + record.steps, 0)
  }
  expect(steps).toBeGreaterThan(5_000)
})
