/**
 * Whoever reads a collection gets it as it was when the first change was announced; whoever uses it
 * meanwhile gets it as it is.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { ScanCursors } from '../../../src/server/keyspace/scan.ts'
import { CountedFields, CountedMembers } from '../../../src/server/values/counted.ts'
import { Deque } from '../../../src/server/values/deque.ts'
import { KeptElements } from '../../../src/server/values/kept-elements.ts'
import { enlarge, LARGE, TableFields, TableMembers } from '../../../src/server/values/large.ts'
import {
  FieldReading,
  type Hold,
  ItemReading,
  MemberReading,
  type Reading,
  ScoreReading,
} from '../../../src/server/values/reading.ts'
import { SortedSet } from '../../../src/server/values/sorted-set.ts'
import { streamId } from '../../../src/server/values/stream-id.ts'
import { IdMap } from '../../../src/server/values/stream-id-map.ts'
import type { HashValue, SetValue } from '../../../src/server/values/value.ts'
import { KEY_HASH } from '../../support/key-tables.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const SEED = { seed: 1 }

function rest<T>(reading: Reading<T>): T[] {
  const all: T[] = []
  for (let next = reading.next(); next !== undefined; next = reading.next()) all.push(next)
  return all
}

function releaseAll(reading: Hold): void {
  while (!reading.release());
}

const step = <Name extends string>(...names: Name[]) =>
  fc.tuple(fc.constantFrom(...names), fc.nat(399))
const places = <Name extends string>(...names: Name[]) =>
  fc.array(step(...names), { maxLength: 150 })

describe('a list', () => {
  const steps = places('pushLeft', 'pushRight', 'popLeft', 'popRight', 'set', 'insert', 'trim')

  function change(items: Deque, name: string, at: number): void {
    const place = at % Math.max(1, items.length)
    if (name === 'pushLeft') items.pushLeft(`new ${at}`)
    if (name === 'pushRight') items.pushRight(`new ${at}`)
    if (name === 'popLeft') items.popLeft()
    if (name === 'popRight') items.popRight()
    if (name === 'insert') items.insert(place, `new ${at}`)
    // A few places again and again.
    if (name === 'set' && items.length > 5) items.set(at % 5, `set ${at}`)
    if (name === 'trim' && items.length > 3) items.trim(at % 2, items.length - 1 - (at % 3))
  }

  test('is read as it was, wherever the reading was and whatever happens', () => {
    fc.assert(
      fc.property(fc.nat(70), fc.nat(70), steps, (length, read, changes) => {
        const expected = Array.from({ length }, (_, index) => `${index}`)
        const [items, twin] = [new Deque(expected), new Deque(expected)]
        const reading = new ItemReading(items)
        const first = Array.from({ length: Math.min(read, length) }, () => reading.next())
        reading.freeze()
        for (const [name, at] of changes) {
          change(items, name, at)
          change(twin, name, at)
        }
        expect([...first, ...rest(reading)]).toEqual(expected)
        expect([...items]).toEqual([...twin])
      }),
      { ...SEED, numRuns: 500 },
    )
  })

  test('trims to what an array would keep', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(), fc.nat(), (length, a, b) => {
        const all = Array.from({ length }, (_, index) => `${index}`)
        const [from, to] = [a % length, b % length].sort((x, y) => x - y) as [number, number]
        const items = new Deque(all)
        items.trim(from, to)
        expect([...items]).toEqual(all.slice(from, to + 1))
      }),
      SEED,
    )
  })

  test('notes nothing any more when nobody reads it', () => {
    const items = new Deque(['a', 'b', 'c'])
    const reading = new ItemReading(items)
    reading.freeze()
    items.set(0, 'x')
    releaseAll(reading)
    items.set(1, 'y')
    expect([rest(reading), [...items]]).toEqual([
      ['a', 'y', 'c'],
      ['x', 'y', 'c'],
    ])
  })
})

/** Half of the elements are there at the start. */
const START = Array.from({ length: 200 }, (_, number) => `${number}`)

const SETS = {
  'a set': (members: readonly string[]) => new CountedMembers(members),
  'a large set': (members: readonly string[]) => new TableMembers(KEY_HASH, members),
}

describe.each(Object.entries(SETS))('%s', (_, made) => {
  const steps = places('toggle', 'toggle', 'toggle', 'read', 'release', 'reread')

  test('is read as it was, and is what it is, before, while and after it is read', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const value: SetValue = { type: 'set', members: made(START) }
        const model = new Set(START)
        let reading = new MemberReading(value)
        let expected = [...model].sort()
        let read: string[] = []
        let isFrozen = false
        for (const [name, number] of all) {
          if (name === 'toggle') {
            if (!isFrozen) reading.freeze()
            isFrozen = true
            const member = `${number}`
            const wasThere = model.delete(member)
            if (!wasThere) model.add(member)
            expect(value.members.has(member)).toBe(wasThere)
            if (wasThere) expect(value.members.delete(member)).toBe(true)
            else value.members.add(member)
          } else if (name === 'read') {
            for (let left = number; left > 0; left--) read.push(...[reading.next() ?? []].flat())
          } else if (name === 'reread') {
            read.push(...rest(reading))
            expect(read.sort()).toEqual(expected)
            // The first of them may leave something to be put in order.
            reading.release()
            reading = new MemberReading(value)
            expected = [...model].sort()
            read = []
            isFrozen = false
          }
          expect(value.members.size).toBe(model.size)
        }
        expect([...value.members].sort()).toEqual([...model].sort())
        read.push(...rest(reading))
        expect(read.sort()).toEqual(expected)
        releaseAll(reading)
        expect(value.members).not.toBeInstanceOf(KeptElements)
        expect([...value.members].sort()).toEqual([...model].sort())
      }),
      { ...SEED, numRuns: 300 },
    )
  })

  test('meets in a scan everything that is there throughout, while and after it is read', () => {
    const hold = fc.constantFrom('none', 'freeze', 'release') as fc.Arbitrary<string>
    const turns = fc.array(fc.tuple(hold, fc.array(fc.nat(399), { maxLength: 12 })))
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 40 }), (all, count) => {
        const value: SetValue = { type: 'set', members: made(START) }
        const scans = new ScanCursors(createRng('scan'))
        const [stable, seen] = [new Set(START), new Set<string>()]
        const left = [...all]
        let cursor = '0'
        let reading: MemberReading | undefined
        do {
          const page = scans.next(value.members, cursor, count)
          for (const member of page.keys) {
            expect(value.members.has(member)).toBe(true)
            seen.add(member)
          }
          cursor = page.cursor
          const [name, toggles] = left.pop() ?? ['none', []]
          if (name === 'release') reading?.release()
          if (name === 'freeze' && !(value.members instanceof KeptElements)) {
            reading = new MemberReading(value)
            reading.freeze()
          }
          for (const number of toggles) {
            stable.delete(`${number}`)
            if (!value.members.delete(`${number}`)) value.members.add(`${number}`)
          }
        } while (cursor !== '0')
        expect([...stable].filter((member) => !seen.has(member))).toEqual([])
      }),
      { ...SEED, numRuns: 300 },
    )
  })

  test('is scanned from what came back on, so that what is added does not end the scan', () => {
    const value: SetValue = { type: 'set', members: made(START) }
    new MemberReading(value).freeze()
    value.members.delete('7')
    value.members.add('7')
    const scans = new ScanCursors(createRng('scan'))
    const first = scans.next(value.members, '0', 10)
    for (let number = 0; number < 300; number++) value.members.add(`new ${number}`)
    const second = scans.next(value.members, first.cursor, 1000)
    expect([...first.keys, ...second.keys].sort()).toEqual(START.toSorted())
  })

  test('is scanned to its end while it is read, although new members stand before old ones', () => {
    const value: SetValue = { type: 'set', members: made(START) }
    for (let number = 100; number < 150; number++) value.members.delete(`${number}`)
    new MemberReading(value).freeze()
    const scans = new ScanCursors(createRng('scan'))
    const first = scans.next(value.members, '0', 10)
    for (let number = 0; number < 50; number++) value.members.add(`new ${number}`)
    const second = scans.next(value.members, first.cursor, 1000)
    expect([...first.keys, ...second.keys]).toEqual(expect.arrayContaining(START.slice(150)))
  })

  test('goes on with a scan that began before it was read, and ends it in time', () => {
    const value: SetValue = { type: 'set', members: made(START) }
    const scans = new ScanCursors(createRng('scan'))
    const before = scans.next(value.members, '0', 100)
    const reading = new MemberReading(value)
    reading.freeze()
    value.members.delete('150')
    for (let number = 0; number < 300; number++) value.members.add(`new ${number}`)
    const after = scans.next(value.members, before.cursor, 100)
    expect([...before.keys, ...after.keys]).toEqual(START.filter((member) => member !== '150'))
    expect(after.cursor).toBe('0')
  })
})

const HASHES = {
  'a hash': (fields: Fields) => new CountedFields(fields),
  'a large hash': (fields: Fields) => new TableFields(KEY_HASH, fields),
}
type Fields = readonly (readonly [string, string])[]

describe.each(Object.entries(HASHES))('%s', (_, made) => {
  const steps = places('set', 'set', 'delete', 'read', 'release')

  test('is read as it was, and is what it is, before, while and after it is read', () => {
    fc.assert(
      fc.property(fc.nat(250), steps, (readFirst, all) => {
        const value: HashValue = {
          type: 'hash',
          fields: made(START.map((at) => [at, at])),
        }
        const model = new Map(value.fields)
        const reading = new FieldReading(value)
        const read: (readonly [string, string])[] = []
        const take = (count: number) => {
          for (let left = count; left > 0; left--) {
            const pair = reading.next()
            if (pair !== undefined) read.push(pair)
          }
        }
        take(readFirst)
        reading.freeze()
        let isReleased = false
        for (const [name, number] of all) {
          const field = `${number}`
          if (name === 'set') {
            value.fields.set(field, `new ${read.length}`)
            model.set(field, `new ${read.length}`)
          }
          if (name === 'delete') expect(value.fields.delete(field)).toBe(model.delete(field))
          if (name === 'read' && !isReleased) take(number)
          if (name === 'release' && number < 40 && !isReleased) {
            take(START.length)
            isReleased = true
            reading.release()
          }
          expect([value.fields.get(field), value.fields.has(field), value.fields.size]).toEqual([
            model.get(field),
            model.has(field),
            model.size,
          ])
        }
        expect(new Map(value.fields)).toEqual(model)
        expect([...value.fields.values()].sort()).toEqual([...model.values()].sort())
        take(START.length)
        expect(read).toEqual(START.map((at) => [at, at]))
        releaseAll(reading)
        expect(value.fields).not.toBeInstanceOf(KeptElements)
        expect(new Map(value.fields)).toEqual(model)
      }),
      { ...SEED, numRuns: 300 },
    )
  })
})

describe('a collection that becomes large', () => {
  const many = Array.from({ length: LARGE + 1 }, (_, number) => `${number}`)

  test('while it is read is read as it was', () => {
    const hash: HashValue = { type: 'hash', fields: new CountedFields(many.map((at) => [at, at])) }
    const set: SetValue = { type: 'set', members: new CountedMembers(many) }
    const readings = [new FieldReading(hash), new MemberReading(set)] as const
    for (const value of [hash, set]) enlarge(value, KEY_HASH)
    for (const reading of readings) reading.freeze()
    hash.fields.set('1', 'changed')
    for (const at of ['2', '3']) hash.fields.delete(at)
    hash.fields.set('3', 'new')
    set.members.delete('2')
    set.members.add('new')
    expect(rest(readings[0])).toEqual(many.map((at) => [at, at]))
    expect(rest(readings[1])).toEqual(many)
    for (const reading of readings) releaseAll(reading)
    expect([hash.fields.get('1'), hash.fields.get('2'), hash.fields.get('3')]).toEqual([
      'changed',
      undefined,
      'new',
    ])
    expect(hash.fields).toBeInstanceOf(TableFields)
    expect(set.members).toBeInstanceOf(TableMembers)
  })

  test.each(['SADD', 'HSET', 'ZADD'])('by %s is scanned from its beginning again', (name) => {
    const client = new NodeHarness().client()
    const add = (from: number, to: number) => {
      for (let at = from; at < to; at++) {
        if (name === 'SADD') client.send(name, 'k', `m${at}`)
        else client.send(name, 'k', ...(name === 'HSET' ? [`m${at}`, 'v'] : [`${at}`, `m${at}`]))
      }
    }
    const scan = (cursor: string, count: number): [string, string[]] => {
      const reply = client.send(`${name[0]}SCAN`, 'k', cursor, 'COUNT', `${count}`)
      return [/\$\d+\r\n(\d+)\r\n/.exec(reply)?.[1] ?? '', reply.match(/\bm\d+/g) ?? []]
    }
    add(0, LARGE)
    const [first] = scan('0', 100)
    add(LARGE, LARGE + 1)
    client.send(`${name[0]}REM`.replace('HREM', 'HDEL'), 'k', 'm8000')
    const [last, members] = scan(first, 2 * LARGE)
    expect([last, new Set(members).size]).toEqual(['0', LARGE])
    expect(members).not.toContain('m8000')
  })
})

/** Many changes beside each other, so that chunks and blocks are emptied, joined and cut. */
const ranges = fc.array(fc.tuple(fc.boolean(), fc.nat(1999), fc.integer({ min: 1, max: 400 })), {
  maxLength: 30,
})

describe('a sorted set', () => {
  test('is read as it was, wherever the reading was and whatever happens', () => {
    fc.assert(
      fc.property(ranges, ranges, fc.nat(1200), (before, after, read) => {
        const set = new SortedSet(START.map((member) => [member, Number(member)]))
        const change = ([adds, from, count]: readonly [boolean, number, number]) => {
          for (let number = from; number < from + count; number++) {
            if (adds) set.set(`${number}`, number % 700)
            else set.delete(`${number}`)
          }
        }
        for (const each of before) change(each)
        const expected = [...set]
        const reading = new ScoreReading(set)
        const first = Array.from({ length: Math.min(read, expected.length) }, () => reading.next())
        reading.freeze()
        for (const each of after) change(each)
        expect([...first, ...rest(reading)]).toEqual(expected)
        const sorted = [...set.keys()].map((member) => [member, set.score(member) ?? 0] as const)
        sorted.sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
        expect([...set]).toEqual(sorted)
      }),
      { ...SEED, numRuns: 100 },
    )
  })
})

test('a chunk of a sorted set that takes in its neighbour is still read as it was', () => {
  const numbers = Array.from({ length: 300 }, (_, number) => number)
  const set = new SortedSet(numbers.map((number) => [`${number}`, number]))
  // A full chunk of 256 becomes one of 66, the last one has 44: with one less they are joined.
  for (let number = 0; number < 190; number++) set.delete(`${number}`)
  const expected = [...set]
  const reading = new ScoreReading(set)
  reading.freeze()
  set.delete('299')
  set.set('now', 200)
  expect(rest(reading)).toEqual(expected)
})

describe('a map of ids', () => {
  test('stays in its frozen copy as it was', () => {
    fc.assert(
      fc.property(ranges, ranges, (before, after) => {
        const map = new IdMap<number>()
        const change = ([adds, from, count]: readonly [boolean, number, number]) => {
          for (let number = from; number < from + count; number++) {
            if (adds) map.set(streamId(number, 0), number * count)
            else map.delete(streamId(number, 0))
          }
        }
        for (const each of before) change(each)
        const expected = [...map.entries()]
        const frozen = map.frozen()
        for (const each of after) change(each)
        expect([[...frozen.entries()], frozen.size]).toEqual([expected, expected.length])
        for (const each of before) change(each)
        expect([...frozen.entries()]).toEqual(expected)
      }),
      { ...SEED, numRuns: 100 },
    )
  })
})
