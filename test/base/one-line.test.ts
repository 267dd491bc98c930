import { expect, test } from 'vitest'
import { oneLine } from '../../src/base/one-line.ts'

test('control characters are escaped, and nothing else is', () => {
  expect(oneLine('a\r\nb\0\x1b[2J\x7f\x9b')).toBe('a\\x0d\\x0ab\\x00\\x1b[2J\\x7f\\x9b')
  expect(oneLine("it's … \\ é ~ ")).toBe("it's … \\ é ~ ")
})
