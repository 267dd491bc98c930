import { expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../src/scenario/duration.ts'

test.each([
  ['250ms', 250],
  ['3s', 3_000],
  ['1.5s', 1_500],
  ['2m', 120_000],
  ['1h', 3_600_000],
  ['-60s', -60_000],
  [' 5 s ', 5_000],
  ['0s', 0],
])('%s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(['', '5', 's', '5 seconds', '1e3ms', '--1s', '3s5', '9999999999999999999h'])(
  '"%s" is no duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)

test.each([
  [250, '250 ms'],
  [1_500, '1.5 s'],
  [60_000, '60 s'],
  [120_000, '2 min'],
  [-60_000, '-60 s'],
])('%d ms is written as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
