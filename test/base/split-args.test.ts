import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitArgs } from '../../src/base/split-args.ts'

test.each([
  ['', []],
  [' \t ', []],
  ['get key', ['get', 'key']],
  ['  get\tkey  ', ['get', 'key']],
  ['""', ['']],
  ['set "a b" c', ['set', 'a b', 'c']],
  ['pre"fix ed"', ['prefix ed']],
  ['"\\x41\\n\\r\\t\\b\\a\\\\\\"\\q"', ['A\n\r\t\b\x07\\"q']],
  ['"\\xg1"', ['xg1']],
  ["'it\\'s \\x41'", ["it's \\x41"]],
  ['a\\x41', ['a\\x41']],
  ['\vx\f', ['x\f']],
  ['a\0b', ['a\0b']],
])('%j is split into %j', (line, words) => {
  expect(splitArgs(line)).toEqual(words)
})

test.each(['"', "'", 'a "b', '"a"b', "'a'b", '"a\\', 'a"b"c', '"a""b"'])(
  'the quotes of %j do not balance',
  (line) => {
    expect(splitArgs(line)).toBeUndefined()
  },
)

test('any bytes survive being quoted', () => {
  const bytes = fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  })
  fc.assert(
    fc.property(fc.array(bytes), (words) => {
      expect(splitArgs(words.map(quoted).join(' '))).toEqual(words)
    }),
  )
})

function quoted(word: string): string {
  const escaped = (char: string) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
  return `"${word.replace(/[^a-z]/g, escaped)}"`
}
