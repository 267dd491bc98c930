import { expect, test } from 'vitest'
import { type Smoothed, smoothed, upperBoundMs } from '../../src/base/smoothed.ts'

function after(...samplesMs: readonly number[]): Smoothed | undefined {
  let all: Smoothed | undefined
  for (const sampleMs of samplesMs) all = smoothed(all, sampleMs)
  return all
}

test('the first measurement counts as it is, and strays by half [RFC 6298, 2.2]', () => {
  expect(after(80)).toEqual({ averageMs: 80, deviationMs: 40 })
})

test('later ones count one eighth, what they stray one quarter [RFC 6298, 2.3]', () => {
  expect(after(80, 160)).toEqual({ averageMs: 90, deviationMs: 50 })
})

test('steady measurements are bounded closely', () => {
  const steady = after(...new Array<number>(60).fill(10))
  expect(steady && upperBoundMs(steady)).toBeCloseTo(10, 3)
})
