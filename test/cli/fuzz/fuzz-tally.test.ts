import { expect, test } from 'vitest'
import type { FuzzOutcome } from '../../../src/cli/fuzz/fuzz-job.ts'
import { FuzzTallies } from '../../../src/cli/fuzz/fuzz-tally.ts'
import type { JobOutcome } from '../../../src/cli/pool/pool.ts'

function outcome(change: Partial<FuzzOutcome>): JobOutcome<FuzzOutcome> {
  const result: FuzzOutcome = {
    ...{ seed: '1', failure: undefined, traceHash: '', endMs: 60_000, failovers: 0 },
    ...{
      alarms: { sdown: 0, odown: 0, candidacies: 0 },
      faults: {},
      file: undefined,
      measured: undefined,
      missedOnce: undefined,
    },
    ...change,
  }
  return { kind: 'done', result }
}

test('what each mode of detection does is counted apart, and together', () => {
  const tallies = new FuzzTallies(['ping', 'evidence'])
  tallies.add('ping', outcome({ alarms: { sdown: 3, odown: 1, candidacies: 0 } }))
  tallies.add('evidence', outcome({ alarms: { sdown: 1, odown: 0, candidacies: 0 } }))
  tallies.add('evidence', outcome({ failovers: 2, endMs: 90_000 }))
  expect(tallies.modes).toBe(2)
  expect(tallies.byMode.get('ping')).toMatchObject({ runs: 1, sdown: 3, odown: 1, failovers: 0 })
  expect(tallies.byMode.get('evidence')).toMatchObject({ runs: 2, sdown: 1, failedOver: 1 })
  expect(tallies.all).toMatchObject({ runs: 3, sdown: 4, failovers: 2, virtualMs: 210_000 })
})

test('a run that crashed is a failure of its mode', () => {
  const tallies = new FuzzTallies(['ping', 'evidence'])
  tallies.add('ping', { kind: 'crashed', reason: 'broken invariant' })
  expect(tallies.byMode.get('ping')?.failures).toBe(1)
  expect(tallies.byMode.get('evidence')?.failures).toBe(0)
})
