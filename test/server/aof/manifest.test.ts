/** The manifest of the append-only file. What is refused here, Redis 7.0.15 refuses too. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatManifest, type Manifest, parseManifest } from '../../../src/server/aof/manifest.ts'

const BASE = { name: 'a.aof.1.base.rdb', seq: 1 }
const OLD = { name: 'a.aof.1.incr.aof', seq: 1 }
const NEXT = { name: 'a.aof.2.incr.aof', seq: 2 }

test('base, history and increments are read in any order', () => {
  const text =
    'file a.aof.1.incr.aof seq 1 type i\n# a note\nfile a.aof.1.base.rdb seq 1 type b\n' +
    'file gone seq 9 type h\nfile a.aof.2.incr.aof seq 2 type i\n'
  expect(parseManifest(text)).toEqual({
    base: BASE,
    history: [{ name: 'gone', seq: 9 }],
    increments: [OLD, NEXT],
  })
})

test('words it does not know, either case and a whole word for a type are accepted', () => {
  const text = 'FILE "a.aof.1.base.rdb" Seq 1 TYPE base extra 7\n'
  expect(parseManifest(text)).toEqual({ base: BASE, history: [], increments: [] })
})

test('the last line may be a note without an end', () => {
  expect(parseManifest('file a.aof.1.incr.aof seq 1 type i\n# note')).toEqual({
    base: undefined,
    history: [],
    increments: [OLD],
  })
})

describe('what would make us lose data is refused, with its line', () => {
  const good = 'file a.aof.1.incr.aof seq 1 type i\n'
  const cases: [string, string, number][] = [
    ['nothing', '', 1],
    ['a blank line', `${good}\n`, 2],
    ['a line of blanks', `${good}   \n`, 2],
    ['a line without an end', `${good}file b seq 2 type i`, 2],
    ['a line that is too long', `${good}file ${'b'.repeat(1024)} seq 2 type i\n`, 2],
    ['too few words', 'file a seq 1\n', 1],
    ['an odd number of words', 'file a seq 1 type b more\n', 1],
    ['no name', 'seq 1 type b other x\n', 1],
    ['no number', 'file a type b other x\n', 1],
    ['no type', 'file a seq 1 other x\n', 1],
    ['a number that is none', 'file a seq one type b\n', 1],
    ['number 0', 'file a seq 0 type b\n', 1],
    ['a type that is none', 'file a seq 1 type x\n', 1],
    ['a path', 'file ../a seq 1 type b\n', 1],
    ['a path of Windows', 'file "..\\\\a" seq 1 type b\n', 1],
    ['quotes that do not balance', 'file "a seq 1 type b\n', 1],
    ['a second base', 'file a seq 1 type b\nfile b seq 2 type b\n', 2],
    ['increments out of order', `${good}file b seq 1 type i\n`, 2],
  ]
  test.each(cases)('%s', (_name, text, line) => {
    expect(parseManifest(text)).toEqual({ line, reason: expect.any(String) })
  })
})

test('what is written is read again, whatever files are called', () => {
  const name = fc
    .string({ minLength: 1, maxLength: 20, unit: 'binary-ascii' })
    .filter((text) => !/[/\\]/.test(text))
  const file = fc.record({ name, seq: fc.integer({ min: 1 }) })
  const increments = fc
    .uniqueArray(file, { selector: ({ seq }) => seq, maxLength: 4 })
    .map((files) => [...files].sort((a, b) => a.seq - b.seq))
  const base = fc.option(file, { nil: undefined })
  const manifests: fc.Arbitrary<Manifest> = fc.record({
    base,
    history: fc.array(file, { maxLength: 3 }),
    increments,
  })
  fc.assert(
    fc.property(manifests, (manifest) => {
      const text = formatManifest(manifest)
      if (text !== '') expect(parseManifest(text)).toEqual(manifest)
    }),
  )
})

test('hostile text is an answer, never an exception', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary-ascii' }), (text) => void parseManifest(text)))
})

test('control characters in a name are written as Redis writes them, and read again', () => {
  const manifest = {
    base: { name: ' a\n\r\t\x07\b\x01"\xff', seq: 1 },
    history: [],
    increments: [],
  }
  const text = formatManifest(manifest)
  expect(text).toBe('file " a\\n\\r\\t\\a\\b\\x01\\"\\xff" seq 1 type b\n')
  expect(parseManifest(text)).toEqual(manifest)
})
