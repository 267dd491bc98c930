import { expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { LatencyHistogram } from '../../../src/server/watching/latency-histogram.ts'

test('any percentile is known to within a hundredth', () => {
  const rng = createRng('histogram')
  const values = Array.from({ length: 5000 }, () => rng.below(10 ** (1 + rng.below(8))) + 1)
  const histogram = new LatencyHistogram()
  for (const value of values) histogram.add(value)
  values.sort((a, b) => a - b)
  for (const percent of [0, 1, 50, 90, 99, 99.9, 100]) {
    const at = Math.max(1, Math.round((percent / 100) * values.length)) - 1
    const exact = values[at] as number
    expect(histogram.percentile(percent)).toBeGreaterThanOrEqual(exact)
    expect(histogram.percentile(percent)).toBeLessThanOrEqual(Math.ceil(exact * 1.01))
  }
})

test('rows count all that took as long or less', () => {
  const histogram = new LatencyHistogram()
  for (const micros of [0.3, 1.5, 1.6, 3, 30, 30, 5000]) histogram.add(micros * 1000)
  expect(histogram.cumulative()).toEqual([
    [1, 1],
    [2, 3],
    [4, 4],
    [33, 6],
    [8454, 7],
  ])
})

test('what takes longer than a second counts as a second', () => {
  const histogram = new LatencyHistogram()
  histogram.add(5e9)
  expect(histogram.percentile(50)).toBeLessThan(1.01e9)
  expect(histogram.total).toBe(1)
})

test('nothing measured has no rows', () => {
  expect(new LatencyHistogram().cumulative()).toEqual([])
  expect(new LatencyHistogram().percentile(99)).toBe(0)
})
