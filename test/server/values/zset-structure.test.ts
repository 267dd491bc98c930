/** The structure sorted sets are kept in, beside an array that is sorted anew for every question. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDouble, parseStrtod } from '../../../src/server/arguments/float-argument.ts'
import { type Scored, SortedSet } from '../../../src/server/values/sorted-set.ts'
import { ChunkRanks } from '../../../src/server/values/zset-ranks.ts'

type Step = readonly [name: 'set' | 'delete' | 'range', member: number, score: number]

const steps = (members: number, scores: number, maxLength: number) =>
  fc.array(
    fc.tuple(
      fc.constantFrom(...new Array(40).fill('set'), ...new Array(20).fill('delete'), 'range'),
      fc.nat(members - 1),
      fc.nat(scores - 1),
    ) as fc.Arbitrary<Step>,
    { maxLength, size: 'max' },
  )

function apply(set: SortedSet, model: Map<string, number>, [name, member, score]: Step): void {
  if (name === 'set') {
    set.set(`m${member}`, score)
    model.set(`m${member}`, score)
  } else if (name === 'delete') {
    expect(set.delete(`m${member}`)).toBe(model.delete(`m${member}`))
  } else {
    const from = member % (set.size + 1)
    const to = Math.min(set.size, from + (member % 3 === 0 ? score : 3 * member))
    for (const [gone] of sorted(model).slice(from, to)) model.delete(gone)
    set.deleteRange({ from, to })
  }
}

function sorted(model: Map<string, number>): Scored[] {
  return [...model].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
}

describe('a sorted set', () => {
  test.each([
    ['small', 10, 5, 60],
    ['that grows past the size of a few, and below it again', 60, 20, 400],
    ['of many chunks', 2000, 100, 4000],
    ['of equal scores', 1500, 1, 3000],
  ])('%s behaves like a sorted array', (_, members, scores, maxLength) => {
    fc.assert(
      fc.property(steps(members, scores, maxLength), (history) => {
        const [set, model] = [new SortedSet(), new Map<string, number>()]
        for (const step of history) apply(set, model, step)
        const expected = sorted(model)
        expect([...set]).toEqual(expected)
        expect(set.size).toBe(expected.length)
        expect([...set.descending({ from: 0, to: set.size })]).toEqual(expected.toReversed())
        const [from, to] = [Math.floor(set.size / 3), Math.ceil((2 * set.size) / 3)]
        const members = expected.map(([member]) => member)
        expect(set.members({ from, to })).toEqual(members.slice(from, to))
        expect(set.members({ from: 0, to: set.size })).toEqual(members)
        for (let rank = 0; rank < expected.length; rank += 7) {
          const [member, score] = expected[rank]!
          expect([set.rank(member), set.score(member)]).toEqual([rank, score])
          expect(set.at(rank)).toEqual([member, score])
        }
      }),
      { numRuns: 30 },
    )
  })

  test('knows its ranks while it grows and shrinks', () => {
    const set = new SortedSet()
    const place = (n: number) => (n * 7919) % 5000
    for (let n = 0; n < 5000; n++) {
      set.set(`m${place(n)}`, place(n))
      expect(set.at(set.rank(`m${place(n)}`)!)).toEqual([`m${place(n)}`, place(n)])
    }
    for (let n = 0; n < 4990; n++) {
      expect(set.rank(`m${n}`)).toBe(0)
      set.delete(`m${n}`)
      expect(set.rank('m4999')).toBe(4998 - n)
    }
    expect([...set].length).toBe(10)
  })

  test('knows its ranks while ranges of it are removed, at the ends and within', () => {
    const left = Array.from({ length: 5000 }, (_, n) => n)
    const set = new SortedSet(left.map((n) => [`m${n}`, n] as const))
    for (let turn = 0; left.length > 10; turn++) {
      const count = 1 + (turn % 5) + (turn % 100 === 99 ? 300 : 0)
      const most = Math.max(0, left.length - count)
      const from = [0, most, Math.floor(most / 2), Math.floor(most / 3)][turn % 4] as number
      set.deleteRange({ from, to: Math.min(from + count, left.length) })
      left.splice(from, count)
      const rank = (turn * 7919) % left.length
      expect(set.rank(`m${left[rank]}`)).toBe(rank)
      expect(set.at(rank)).toEqual([`m${left[rank]}`, left[rank]])
    }
    expect(Array.from(set, ([, score]) => score)).toEqual(left)
  })

  test.each([
    ['upwards', (n: number) => n],
    ['downwards', (n: number) => -n],
    ['from both sides', (n: number) => (n % 2 === 0 ? n : -n)],
    ['into the middle', (n: number) => (n % 2 === 0 ? n - 10_000 : 10_000 - n)],
  ])('can be filled %s', (_, score) => {
    const model = new Map(Array.from({ length: 3000 }, (_each, n) => [`m${n}`, score(n)]))
    expect([...new SortedSet(model)]).toEqual(sorted(model))
  })

  test('orders equal scores by bytes, and knows no sign of zero there', () => {
    const set = new SortedSet([
      ['b', 0],
      ['', -0],
      ['\xff', 0],
      ['a', -0],
      ['aa', 0],
      ['Z', Number.NEGATIVE_INFINITY],
      ['A', Number.POSITIVE_INFINITY],
    ])
    expect(Array.from(set, ([member]) => member)).toEqual(['Z', '', 'a', 'aa', 'b', '\xff', 'A'])
  })

  test('takes no score that cannot be compared', () => {
    expect(() => new SortedSet([['a', Number.NaN]])).toThrow('a score can be compared')
  })

  test('gives ranges of ranks from either end', () => {
    const set = new SortedSet(Array.from({ length: 1000 }, (_, n) => [`m${n}`, n] as const))
    const members = (elements: Iterable<Scored>) => Array.from(elements, ([member]) => member)
    expect(members(set.ascending({ from: 254, to: 258 }))).toEqual(['m254', 'm255', 'm256', 'm257'])
    expect(members(set.descending({ from: 0, to: 2 }))).toEqual(['m1', 'm0'])
    expect(members(set.ascending({ from: 5, to: 5 }))).toEqual([])
    expect(set.rankWhere((_, score) => score > 500)).toBe(501)
    expect(set.rankWhere(() => false)).toBe(1000)
  })

  test('has copies that go their own way', () => {
    const set = new SortedSet(Array.from({ length: 600 }, (_, n) => [`m${n}`, n] as const))
    const copy = set.copy()
    copy.delete('m0')
    copy.set('m1', 999)
    set.set('new', -1)
    expect([set.size, set.rank('m1'), copy.size, copy.rank('m1')]).toEqual([601, 2, 599, 598])
  })

  test('is walked without being copied first', () => {
    const set = new SortedSet(Array.from({ length: 100_000 }, (_, n) => [`m${n}`, n] as const))
    let seen = 0
    for (const [member] of set) if (++seen === 3) expect(member).toBe('m2')
    expect(seen).toBe(100_000)
  })
})

test('ranks over chunks are the sums of their sizes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 70 }),
      fc.array(fc.nat(69), { maxLength: 20 }),
      (sizes, grown) => {
        const ranks = new ChunkRanks(sizes, sizes.length)
        for (const index of grown) {
          const chunk = index % sizes.length
          ranks.resized(chunk, 1)
          sizes[chunk] = sizes[chunk]! + 1
        }
        let rank = 0
        for (const [chunk, size] of sizes.entries()) {
          expect(ranks.before(chunk)).toBe(rank)
          for (let at = 0; at < size; at++) expect(ranks.find(rank++)).toEqual({ chunk, at })
        }
      },
    ),
  )
})

describe('a double in an argument', () => {
  test.each([
    ['1', 1],
    ['+1.5e3', 1500],
    ['.5', 0.5],
    ['5.', 5],
    ['-0', -0],
    ['inf', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['0x10', 16],
    ['-0x1.8p1', -3],
    ['0x.8', 0.5],
    ['1e-320', 1e-320],
    ['0e-999', 0],
  ])('%s is one', (text, value) => expect(parseDouble(text)).toBe(value))

  test.each(['', ' 1', '1 ', '.', 'e5', '1e', 'nan', '0x', '0xp1', '0x.p1', '1e400', '-1e400'])(
    '"%s" is none',
    (text) => expect(parseDouble(text)).toBeUndefined(),
  )

  test('is none when it is too near to zero to be told from it', () => {
    expect([parseDouble('1e-400'), parseDouble('0x1p-2000')]).toEqual([undefined, undefined])
  })

  test('is read more leniently as the end of a range', () => {
    expect(['', ' 2', '1e400', '1e-400', '2\0x'].map(parseStrtod)).toEqual([
      0,
      2,
      Number.POSITIVE_INFINITY,
      0,
      2,
    ])
    expect([' ', '2 ', 'nan', '(2'].map(parseStrtod)).toEqual(Array(4).fill(undefined))
  })

  test('of absurd length is none, or takes no time', () => {
    expect(parseDouble(`0x${'f'.repeat(1_000_000)}`)).toBeUndefined()
    expect(parseDouble(`0.${'0'.repeat(1_000_000)}1`)).toBeUndefined()
    expect(parseDouble(`${'1'.repeat(1_000_000)}x`)).toBeUndefined()
  })
})
