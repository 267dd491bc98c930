/** What Redis' types are kept in: the deque, random draws, cursors, and numbers as strings. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assert } from '../../../src/base/assert.ts'
import { createRng } from '../../../src/base/rng.ts'
import { addLongDoubles, isLongDouble } from '../../../src/server/arguments/long-double.ts'
import { keysOf, parseKeySpec } from '../../../src/server/catalogue/key-spec.ts'
import { isCursor, ScanCursors } from '../../../src/server/keyspace/scan.ts'
import { Deque } from '../../../src/server/values/deque.ts'
import {
  pickDistinctKeys,
  pickKey,
  type Sampled,
  Sampler,
} from '../../../src/server/values/sampler.ts'
import { copyValue } from '../../../src/server/values/value.ts'

const STEPS = [
  ...['pushLeft', 'pushRight', 'popLeft', 'popRight', 'insert'],
  ...['takeLeft', 'takeRight', 'remove', 'trim', 'slice'],
] as const

type Step = readonly [name: (typeof STEPS)[number], at: number]

describe('a deque', () => {
  test('behaves like an array', () => {
    const step = fc.tuple(
      fc.constantFrom('pushLeft', 'pushRight', 'insert', ...STEPS),
      fc.nat(),
    ) as fc.Arbitrary<Step>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.nat(40), (steps, length) => {
        const array = Array.from({ length }, (_, at) => `first ${at}`)
        const deque = new Deque(array)
        for (const [name, at] of steps) apply(deque, array, name, at)
        expect([...deque]).toEqual(array)
        expect(array.map((_, index) => deque.at(index))).toEqual(array)
      }),
    )
  })

  test('shows a reader its elements as they were, whatever happens to it', () => {
    const step = fc.tuple(fc.constantFrom(...STEPS), fc.nat()) as fc.Arbitrary<Step>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.nat(60), (steps, length) => {
        const array = Array.from({ length }, (_, at) => `first ${at}`)
        const deque = new Deque(array)
        deque.popLeft()
        deque.pushRight(array.shift() ?? 'first')
        const then = [...deque]
        const kept = deque.keep()
        const now = then.slice()
        for (const [name, at] of steps) apply(deque, now, name, at)
        expect(then.map((_, index) => kept.at(index))).toEqual(then)
      }),
    )
  })

  test('has a copy that shares nothing with it, counts the same, and is made as a whole', () => {
    const step = fc.tuple(fc.constantFrom(...STEPS), fc.nat()) as fc.Arbitrary<Step>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.nat(60), (steps, length) => {
        const [array, other] = [0, 1].map(() => Array.from({ length }, (_, at) => `first ${at}`))
        const deque = new Deque(array)
        const copy = deque.copy()
        expect(copy.heapBytes).toBe(deque.heapBytes)
        for (const [name, at] of steps) apply(deque, array as string[], name, at)
        expect([...copy]).toEqual(other)
        for (const [name, at] of steps) apply(copy, other as string[], name, at)
        expect([[...deque], [...copy]]).toEqual([array, other])
      }),
    )
  })

  test('is copied as a whole, not element by element', () => {
    class Unread extends Deque {
      override [Symbol.iterator](): Generator<string> {
        throw new Error('was read element by element')
      }
    }
    const copy = copyValue({ type: 'list', items: new Unread(['a', 'b']) })
    assert(copy.type === 'list', 'a copy has the type of its original')
    expect([...copy.items]).toEqual(['a', 'b'])
  })

  function apply(deque: Deque, array: string[], name: Step[0], at: number): void {
    const item = String(at)
    const place = at % (array.length + 1)
    switch (name) {
      case 'pushLeft':
        deque.pushLeft(item)
        array.unshift(item)
        break
      case 'pushRight':
        deque.pushRight(item)
        array.push(item)
        break
      case 'popLeft':
        expect(deque.popLeft()).toBe(array.shift())
        break
      case 'popRight':
        expect(deque.popRight()).toBe(array.pop())
        break
      case 'insert':
        deque.insert(place, item)
        array.splice(place, 0, item)
        break
      case 'takeLeft':
        expect(deque.takeLeft(at % 20)).toEqual(array.splice(0, at % 20))
        break
      case 'takeRight':
        expect(deque.takeRight(at % 20)).toEqual(array.reverse().splice(0, at % 20))
        array.reverse()
        break
      case 'remove': {
        // Some from the whole list, and now and then one, nearer to this end or to that.
        const isGone = (index: number) => (at % 2 === 0 ? index % 5 === at % 7 : index === at % 31)
        const gone = [...array.keys()].filter(isGone)
        if (gone.length > 0) deque.remove(gone)
        array.splice(0, array.length, ...array.filter((_, index) => !isGone(index)))
        break
      }
      case 'trim':
        if (array.length === 0) break
        array.splice(0, array.length, ...array.slice(at % 3, array.length - (at % 2)))
        deque.trim(at % 3, deque.length - 1 - (at % 2))
        break
      case 'slice':
        expect(deque.slice(place, array.length - 1)).toEqual(array.slice(place))
        break
    }
  }
})

describe('a draw', () => {
  test('is fair, from a small set and from a large one', () => {
    for (const size of [10, 200]) {
      const members = new Set(Array.from({ length: size }, (_, n) => `m${n}`))
      const owner: Sampled = {}
      const rng = createRng('draws')
      const counts = new Map<string, number>()
      for (let draw = 0; draw < size * 100; draw++) {
        const key = pickKey(owner, members, rng)
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      expect(counts.size).toBe(size)
      expect(Math.max(...counts.values())).toBeLessThan(160)
    }
  })

  test('of several gives different ones', () => {
    const members = new Set(Array.from({ length: 300 }, (_, n) => `m${n}`))
    for (const count of [0, 5, 299, 300]) {
      const drawn = pickDistinctKeys({}, members, count, createRng('several'))
      expect(new Set(drawn).size).toBe(count)
    }
  })

  test('follows what is added and removed', () => {
    const sampler = new Sampler(['a', 'b', 'c'])
    sampler.delete('a')
    sampler.delete('a')
    sampler.add('d')
    sampler.add('d')
    const rng = createRng('follow')
    const drawn = new Set(Array.from({ length: 100 }, () => sampler.pick(rng)))
    expect([...drawn].sort()).toEqual(['b', 'c', 'd'])
  })
})

describe('a scan', () => {
  test('meets everything that is there throughout, whatever else comes and goes', () => {
    const start = Array.from({ length: 100 }, (_, n) => `k${n}`)
    fc.assert(
      fc.property(fc.array(fc.nat(199)), fc.integer({ min: 1, max: 20 }), (toggles, count) => {
        const source = new Map(start.map((key) => [key, '']))
        const scans = new ScanCursors(createRng('scan'))
        const stable = new Set(start)
        const seen = new Set<string>()
        let cursor = '0'
        do {
          const page = scans.next(source, cursor, count)
          for (const key of page.keys) seen.add(key)
          cursor = page.cursor
          const key = `k${toggles.pop() ?? 0}`
          stable.delete(key)
          if (!source.delete(key)) source.set(key, '')
        } while (cursor !== '0')
        expect([...stable].filter((key) => !seen.has(key))).toEqual([])
      }),
    )
  })

  test('ends although elements are added as fast as it goes', () => {
    const source = new Set(Array.from({ length: 50 }, (_, n) => `m${n}`))
    const scans = new ScanCursors(createRng('scan'))
    let cursor = '0'
    let pages = 0
    do {
      const page = scans.next(source, cursor, 10)
      cursor = page.cursor
      for (let n = 0; n < 20; n++) source.add(`new${pages}-${n}`)
      pages++
    } while (cursor !== '0')
    expect(pages).toBe(5)
  })

  test('begins anew with a cursor nobody knows', () => {
    const source = new Set(['a', 'b', 'c'])
    const page = new ScanCursors(createRng('scan')).next(source, '123456', 10)
    expect(page).toEqual({ cursor: '0', keys: ['a', 'b', 'c'] })
  })

  test('of one collection does not go on in another', () => {
    const scans = new ScanCursors(createRng('scan'))
    const { cursor } = scans.next(new Set(['a', 'b', 'c']), '0', 1)
    expect(scans.next(new Set(['x', 'y']), cursor, 10).keys).toEqual(['x', 'y'])
  })

  test('takes for a cursor what C reads as an unsigned 64-bit number, and nothing else', () => {
    expect(['0', '18446744073709551615', '', '-1', '+007'].every(isCursor)).toBe(true)
    expect([' 1', 'x', '18446744073709551616', '1.5'].some(isCursor)).toBe(false)
  })
})

describe('adding decimal fractions', () => {
  // The right-hand sides are what redis-server 7.0.15 answered on x86-64.
  const SUMS: readonly (readonly [a: string, b: string, sum: string | undefined])[] = [
    ['10.5', '0.1', '10.6'],
    ['10.6', '5.0e3', '5010.60000000000000009'],
    ['1e20', '0', '100000000000000000000'],
    ['0', '0', '0'],
    ['-0.5', '0.5', '0'],
    ['3', '1.1', '4.1'],
    ['1e-17', '0', '0.00000000000000001'],
    ['1e-30', '0', '0'],
    ['1', 'inf', undefined],
  ]
  for (const [a, b, sum] of SUMS) {
    test(`${a} and ${b}`, () => expect(addLongDoubles(a, b)).toBe(sum))
  }

  test('takes only numbers', () => {
    expect(['1', '-1.5', '.5', '5.', '1e3', 'inf'].every(isLongDouble)).toBe(true)
    expect(['', 'abc', ' 1', '1 ', 'nan', '1e', '.', '1'.repeat(6000)].some(isLongDouble)).toBe(
      false,
    )
  })
})

describe('the keys of a command', () => {
  const CASES: readonly (readonly [spec: string, line: string, keys: string | undefined])[] = [
    ['1 RO', 'get a', 'a'],
    ['1..-1/2 OW', 'mset a 1 b 2', 'a b'],
    ['1..-2 RW', 'blpop a b 0', 'a b'],
    ['2# RW', 'blmpop 0 2 a b left', 'a b'],
    ['2# RW', 'blmpop 0 9 a b left', undefined],
    ['1# RW', 'lmpop x a left', undefined],
    ['STORE@6 OW', 'georadius g 1 2 3 m store d', 'd'],
    ['STORE@6 OW', 'georadius STORE 1 2 3 m asc', ''],
    ['STORE@6 OW', 'georadius g 1 2 3 m store', ''],
  ]
  for (const [spec, line, keys] of CASES) {
    test(`'${line}' are ${keys ?? 'unknown'}`, () => {
      expect(keysOf([parseKeySpec(spec)], line.split(' '))?.join(' ')).toBe(keys)
    })
  }
})
