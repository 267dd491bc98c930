import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesGlob } from '../../src/base/glob.ts'

describe('matches', () => {
  test.each([
    ['*', ''],
    ['', ''],
    ['*', 'anything'],
    ['a*', 'a'],
    ['a**c', 'abc'],
    ['*b*', 'abc'],
    ['a*c*e', 'abcde'],
    ['h?llo', 'hello'],
    ['h[ae]llo', 'hallo'],
    ['h[^e]llo', 'hallo'],
    ['h[a-b]llo', 'hbllo'],
    ['h[b-a]llo', 'hallo'],
    ['[a-]', '^'],
    ['[\\]]', ']'],
    ['[abc', 'c'],
    ['[a-', '-'],
    ['\\*', '*'],
    ['a\\', 'a\\'],
    ['\\a', 'a'],
    ['*.\xff', 'x.\xff'],
    ['a\nb*', 'a\nbc'],
  ])('%j matches %j', (pattern, text) => {
    expect(matchesGlob(pattern, text)).toBe(true)
  })
})

describe('does not match', () => {
  test.each([
    ['', 'a'],
    ['?', ''],
    ['a', 'ab'],
    ['ab', 'a'],
    ['a*c', 'abcd'],
    ['h[^e]llo', 'hello'],
    ['h[ae]llo', 'hllo'],
    ['[]', 'a'],
    ['\\*', 'a'],
    ['A', 'a'],
  ])('%j does not match %j', (pattern, text) => {
    expect(matchesGlob(pattern, text)).toBe(false)
  })
})

test('nocase compares ASCII letters without their case, in sets as well', () => {
  expect(matchesGlob('HE[L-M]*\\O', 'hello', { nocase: true })).toBe(true)
  expect(matchesGlob('\xc4', '\xe4', { nocase: true })).toBe(false)
})

test('a hostile pattern costs no more than a harmless one', () => {
  const text = 'a'.repeat(20_000)
  expect(matchesGlob(`${'a*'.repeat(1_000)}b`, text)).toBe(false)
  expect(matchesGlob(`${'*'.repeat(10_000)}b`, text)).toBe(false)
})

/** The definition, written down without a thought for its cost. */
function matchesNaively(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  const [head, rest] = [pattern[0], pattern.slice(1)]
  if (head === '*') {
    return matchesNaively(rest, text) || (text !== '' && matchesNaively(pattern, text.slice(1)))
  }
  return text !== '' && (head === '?' || head === text[0]) && matchesNaively(rest, text.slice(1))
}

test('stars and question marks mean what the naive definition says', () => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
  fc.assert(
    fc.property(pattern, text, (glob, word) => {
      expect(matchesGlob(glob, word)).toBe(matchesNaively(glob, word))
    }),
  )
})
