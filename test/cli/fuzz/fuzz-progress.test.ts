import { expect, test } from 'vitest'
import { clockText, progressBar, progressText } from '../../../src/cli/fuzz/fuzz-progress.ts'

const HALF = { seeds: 50, failures: 0, elapsedMs: 25_000, ofSeeds: 100, limitMs: undefined }

test('what is left is reckoned from what was done', () => {
  expect(progressText(HALF)).toBe('50 of 100 seeds, 2.0 per second, no failure, about 25 s left')
})

test('whatever ends first counts: the seeds or the time', () => {
  expect(progressText({ ...HALF, limitMs: 30_000 })).toContain('about 5 s left')
  expect(progressText({ ...HALF, limitMs: 300_000 })).toContain('about 25 s left')
})

test('without a last seed the time alone tells how far it is', () => {
  const progress = { ...HALF, ofSeeds: undefined, limitMs: 100_000, failures: 2 }
  expect(progressText(progress)).toBe('50 seeds, 2.0 per second, 2 failures, about 1 min 15 s left')
  expect(progressBar(progress)).toMatch(/^█{6}░{18} {2}50 seeds/)
})

test('before the first seed is done nothing is guessed', () => {
  expect(progressText({ ...HALF, seeds: 0, elapsedMs: 0 })).toBe(
    '0 of 100 seeds, 0 per second, no failure',
  )
})

test('long times are told in minutes and hours', () => {
  expect([59_000, 61_000, 7_500_000].map(clockText)).toEqual(['59 s', '1 min 1 s', '2 h 5 min'])
})

test('slow runs have a pace by the minute, not one of 0.0', () => {
  expect(progressText({ ...HALF, seeds: 2, elapsedMs: 60_000 })).toContain('2.0 per minute')
})
