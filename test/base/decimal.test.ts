import { expect, test } from 'vitest'
import { parseInt64 } from '../../src/base/decimal.ts'

test.each([
  ['0', 0],
  ['-1', -1],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', 9007199254740993n],
  ['9223372036854775807', 9223372036854775807n],
  ['-9223372036854775808', -9223372036854775808n],
])('%s is an integer', (text, value) => {
  expect(parseInt64(text)).toBe(value)
})

test.each([
  '',
  '-',
  '-0',
  '+1',
  '01',
  ' 1',
  '1 ',
  '1.0',
  '0x1',
  '9223372036854775808',
  '-9223372036854775809',
  '1'.repeat(500),
])('%j is none', (text) => {
  expect(parseInt64(text)).toBeUndefined()
})
