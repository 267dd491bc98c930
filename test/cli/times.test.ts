/** The times that options take. */
import { expect, test } from 'vitest'
import { duration } from '../../src/cli/options.ts'

test('a time has a unit, and is told in milliseconds', () => {
  expect(['500ms', '1s', '1.5s', '2m', '0.25s'].map(duration)).toEqual([
    500, 1000, 1500, 120_000, 250,
  ])
})

test('no time at all is refused for what it is, not for its unit', () => {
  for (const text of ['0s', '0ms', '0.1ms']) {
    expect(() => duration(text)).toThrow('expected a time of 1ms or more, such as 500ms or 30s')
  }
})

test('a time without a unit is refused, because 30 could be seconds', () => {
  for (const text of ['30', '-1s', '1h', 's', '', '1 s', '1e3ms']) {
    expect(() => duration(text)).toThrow('expected a time with its unit, such as 500ms or 30s')
  }
})
