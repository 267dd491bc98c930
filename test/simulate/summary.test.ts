import { expect, test } from 'vitest'
import { distributionOf } from '../../src/simulate/distribution.ts'
import { onlyGroup, summarize } from '../../src/simulate/summary.ts'
import { measured, measuredGroup } from './support.ts'

test('percentiles are values that occurred, and the worst seed is the first that had it', () => {
  const samples = [50, 10, 40, 20, 30, 50].map((value, index) => ({ value, seed: `${index + 1}` }))
  expect(distributionOf(samples)).toEqual({
    n: 6,
    median: 30,
    p90: 50,
    p99: 50,
    max: 50,
    worstSeed: '1',
  })
  expect(distributionOf([])).toBeUndefined()
})

test('a history is as bad as the worst of its groups, and loses what all of them lose', () => {
  const lost = { asynchronous: 1, splitBrain: 2, emptyRestart: 0 }
  const groups = [
    measuredGroup({ outageMs: 100, lost }),
    measuredGroup({ group: 'b', outageMs: 900, lost }),
  ]
  const all = [{ ...measured('1'), groups }]
  expect(summarize(all)).toMatchObject({ outages: [900], lost: { max: 6 } })
  expect(summarize(onlyGroup(all, 0))).toMatchObject({ outages: [100], lost: { max: 3 } })
})

test('what cannot be known is counted, and not taken for nothing', () => {
  const all = [measured('1', { lost: undefined }), measured('2')]
  expect(summarize(all)).toMatchObject({ lostUnknown: 1, lost: undefined })
})

test('kinds nobody met are left out', () => {
  const { kinds } = summarize([measured('1', { failovers: 1, needless: 1 })])
  expect(kinds).toMatchObject([{ kind: 'crash', histories: 1, failedOver: 1, needless: 1 }])
})
