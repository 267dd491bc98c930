/** Numbers in the arguments of commands. */
import { expect, test } from 'vitest'
import { isInt32 } from '../../../src/server/arguments/numbers.ts'

test.each([
  [2 ** 31 - 1, true],
  [2 ** 31, false],
  [-(2 ** 31), true],
  [-(2 ** 31) - 1, false],
])('%d fits into 32 bits: %s', (value, fits) => {
  expect(isInt32(value)).toBe(fits)
})
