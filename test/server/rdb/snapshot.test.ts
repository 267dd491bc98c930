/**
 * The point of a snapshot is its moment: whatever happens while it is written, what it loads to is the
 * dataset as it was when it began.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Db } from '../../../src/server/keyspace/db.ts'
import { Keyspace } from '../../../src/server/keyspace/keyspace.ts'
import { RdbReader } from '../../../src/server/rdb/rdb-reader.ts'
import { Snapshot } from '../../../src/server/rdb/snapshot.ts'
import { CountedFields, CountedMembers } from '../../../src/server/values/counted.ts'
import { Deadlines } from '../../../src/server/values/deadlines.ts'
import { Deque } from '../../../src/server/values/deque.ts'
import { SortedSet } from '../../../src/server/values/sorted-set.ts'
import type { SetValue, Value } from '../../../src/server/values/value.ts'
import { emptyTables, KEY_HASH } from '../../support/key-tables.ts'
import { contentsOf } from '../../support/value-contents.ts'

const DATABASES = 3

type Action =
  | { kind: 'put'; db: number; key: string; value: () => Value; expireAtMs: number | undefined }
  | { kind: 'remove' | 'grow'; db: number; key: string }
  | { kind: 'expire'; db: number; key: string; expireAtMs: number | undefined }
  | { kind: 'rename'; db: number; key: string; to: string }
  | { kind: 'swap'; db: number; other: number }
  | { kind: 'flushAll' }
  | { kind: 'slice'; sliceBytes: number }

const key = fc.constantFrom('a', 'b', 'c', 'd', 'long-key-of-its-own')
const db = fc.nat(DATABASES - 1)
const text = fc.string({ maxLength: 20 })
const texts = fc.array(text, { minLength: 1, maxLength: 20 })
const expireAtMs = fc.option(fc.nat(10_000), { nil: undefined })

const value: fc.Arbitrary<() => Value> = fc.oneof(
  text.map((bytes) => (): Value => ({ type: 'string', bytes })),
  texts.map((items) => (): Value => ({ type: 'list', items: new Deque(items) })),
  texts.map((items) => (): Value => ({ type: 'set', members: new CountedMembers(items) })),
  texts.map(
    (items) => (): Value => ({
      type: 'hash',
      fields: new CountedFields(items.map((item) => [item, item])),
    }),
  ),
  texts.map(
    (items) => (): Value => ({
      type: 'zset',
      set: new SortedSet(items.map((item, index) => [item, index / 3])),
    }),
  ),
  fc.tuple(text, fc.constantFrom(1, 600)).map(([item, count]) => (): Value => {
    const fields = many(item).slice(0, count)
    const expiring = fields.filter((_, index) => index % 3 === 0)
    return {
      type: 'hash',
      fields: new CountedFields(fields.map((at) => [at, item])),
      expiries: deadlinesOf(expiring),
    }
  }),
  // Large enough to be written in slices, and to be put aside by reference.
  text.map((item) => (): Value => ({ type: 'list', items: new Deque(many(item)) })),
  text.map((item) => (): Value => ({ type: 'set', members: new CountedMembers(many(item)) })),
  text.map(
    (item) => (): Value => ({
      type: 'hash',
      fields: new CountedFields(many(item).map((at) => [at, item])),
    }),
  ),
  text.map(
    (item) => (): Value => ({
      type: 'zset',
      set: new SortedSet(many(item).map((at, index) => [at, index])),
    }),
  ),
)

function deadlinesOf(fields: readonly string[]): Deadlines {
  const deadlines = new Deadlines()
  for (const [index, field] of fields.entries()) deadlines.set(field, 4e12 + index)
  return deadlines
}

function many(text: string): string[] {
  return Array.from({ length: 600 }, (_, index) => `${text}-${index}`)
}

const change: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put'), db, key, value, expireAtMs }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'grow'), db, key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire'), db, key, expireAtMs }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rename'), db, key, to: key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('swap'), db, other: db }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flushAll') }) },
) as fc.Arbitrary<Action>

const slice: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('slice'),
  sliceBytes: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 9000 })),
})

function perform(keyspace: Keyspace, snapshot: Snapshot | undefined, action: Action): void {
  if (action.kind === 'slice') return snapshot?.advance(action.sliceBytes)
  if (action.kind === 'flushAll') return keyspace.replaceAll([])
  const target = keyspace.dbs[action.db]!
  if (action.kind === 'put') return target.put(action.key, action.value(), action.expireAtMs)
  if (action.kind === 'swap') return keyspace.swap(target, keyspace.dbs[action.other]!)
  const entry = target.entries.get(action.key)
  if (entry === undefined) return
  if (action.kind === 'remove') target.remove(action.key)
  if (action.kind === 'expire') target.setExpiry(action.key, entry, action.expireAtMs)
  if (action.kind === 'grow') {
    target.changing(action.key, entry)
    grow(entry.value)
  }
  if (action.kind === 'rename' && action.to !== action.key) {
    target.remove(action.key)
    target.put(action.to, entry.value, entry.expireAtMs)
  }
}

function grow(value: Value): void {
  if (value.type === 'string') value.bytes += '+'
  if (value.type === 'list') value.items.pushLeft('+')
  if (value.type === 'set') value.members.add('+')
  if (value.type === 'hash') value.fields.set('+', '+')
  if (value.type === 'zset') value.set.set('+', -1)
}

/** The dataset as plain data, independent of what happens to it later. */
function picture(
  dbs: readonly Iterable<[string, { value: Value; expireAtMs?: number | undefined }]>[],
) {
  return dbs.map((entries) =>
    Object.fromEntries(
      [...entries].map(([key, { value, expireAtMs }]) => [key, [contents(value), expireAtMs]]),
    ),
  )
}

function contents(value: Value): unknown {
  const found = contentsOf(value)
  return value.type === 'set' || value.type === 'hash' ? (found as unknown[]).sort() : found
}

function load(payload: string) {
  const progress = new RdbReader(emptyTables(DATABASES), 0).push(payload)
  if (progress.kind !== 'done') throw new Error(JSON.stringify(progress))
  return picture(progress.contents.dbs)
}

test('a snapshot loads to the dataset as it was when it began, whatever happened meanwhile', () => {
  const histories = fc.record({
    before: fc.array(change, { minLength: 5, maxLength: 30 }),
    during: fc.array(fc.oneof(change, slice), { maxLength: 40 }),
    dialect: fc.constantFrom('redis' as const, 'valkey' as const),
  })
  fc.assert(
    fc.property(histories, ({ before, during, dialect }) => {
      const keyspace = new Keyspace(DATABASES, KEY_HASH)
      for (const action of before) perform(keyspace, undefined, action)
      const expected = picture(keyspace.dbs.map(({ entries }) => entries))
      let payload = ''
      const take = (bytes: string) => {
        payload += bytes
      }
      const snapshot = new Snapshot(keyspace, [], take, { dialect })
      for (const action of during) perform(keyspace, snapshot, action)
      while (!snapshot.isOver) snapshot.advance(3000)
      expect(snapshot.keysTaken).toBe(snapshot.keysTotal)
      expect(load(payload)).toEqual(expected)
      expect(keyspace.beforeChange).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})

test('a second snapshot takes everything again', () => {
  const keyspace = new Keyspace(DATABASES, KEY_HASH)
  keyspace.dbs[0]!.put('k', { type: 'string', bytes: 'v' })
  for (let round = 0; round < 2; round++) {
    let payload = ''
    const snapshot = new Snapshot(keyspace, [], (bytes) => {
      payload += bytes
    })
    while (!snapshot.isOver) snapshot.advance(1)
    expect(load(payload)).toEqual([{ k: ['v', undefined] }, {}, {}])
  }
})

test('a slice of a large collection is not the whole collection', () => {
  const keyspace = new Keyspace(DATABASES, KEY_HASH)
  const members = new CountedMembers(
    Array.from({ length: 10_000 }, (_, index) => `member-${index}`),
  )
  keyspace.dbs[0]!.put('large', { type: 'set', members })
  const slices: number[] = []
  const snapshot = new Snapshot(keyspace, [], (bytes) => slices.push(bytes.length))
  while (!snapshot.isOver) snapshot.advance(1000)
  expect(Math.max(...slices)).toBeLessThan(1100)
  expect(slices.length).toBeGreaterThan(100)
})

/** Counts how many of its members anybody has looked at one after the other. */
class CountingSet extends CountedMembers {
  looks = 0

  override *values(): SetIterator<string> {
    for (const member of super.values()) {
      this.looks++
      yield member
    }
  }
}

test('the first change of a large collection waits for no copy of it', () => {
  const keyspace = new Keyspace(DATABASES, KEY_HASH)
  const members = new CountingSet(Array.from({ length: 10_000 }, (_, index) => `member-${index}`))
  members.looks = 0
  keyspace.dbs[0]!.put('large', { type: 'set', members })
  const snapshot = new Snapshot(keyspace, [], () => undefined)
  keyspace.dbs[0]!.changing('large')
  // As many as it takes to find out that the record is a large one.
  expect(members.looks).toBeLessThan(400)
  snapshot.stop()
})

test('what was deleted from a large collection meanwhile is put in order slice by slice', () => {
  const keyspace = new Keyspace(DATABASES, KEY_HASH)
  const large = {
    type: 'set' as const,
    members: new CountedMembers(many('some member')) as SetValue['members'],
  }
  const before = large.members
  keyspace.dbs[0]!.put('large', large)
  const snapshot = new Snapshot(keyspace, [], () => undefined)
  keyspace.dbs[0]!.changing('large')
  for (const member of many('some member').slice(50)) large.members.delete(member)
  const sizes = new Set<number>()
  for (; !snapshot.isOver; sizes.add(before.size)) snapshot.advance(1000)
  expect([large.members === before, before.size, sizes.size > 5]).toEqual([true, 50, true])
})

test('a long string is cut into slices as well', () => {
  const keyspace = new Keyspace(DATABASES, KEY_HASH)
  keyspace.dbs[0]!.put('long', { type: 'string', bytes: 'x'.repeat(1_000_000) })
  keyspace.dbs[0]!.put('list', { type: 'list', items: new Deque(['y'.repeat(1_000_000), 'z']) })
  const slices: string[] = []
  const snapshot = new Snapshot(keyspace, [], (bytes) => slices.push(bytes))
  while (!snapshot.isOver) snapshot.advance(1000)
  expect(Math.max(...slices.map((bytes) => bytes.length))).toBeLessThan(1100)
  expect(load(slices.join(''))[0]).toEqual({
    long: ['x'.repeat(1_000_000), undefined],
    list: [['y'.repeat(1_000_000), 'z'], undefined],
  })
})

test('a snapshot that nobody drives writes nothing, whatever changes', () => {
  const keyspace = new Keyspace(DATABASES, KEY_HASH)
  for (let n = 0; n < 100; n++) keyspace.dbs[0]!.put(`k${n}`, { type: 'string', bytes: 'v' })
  const output: string[] = []
  const snapshot = new Snapshot(keyspace, [], (bytes) => output.push(bytes))
  for (let n = 0; n < 100; n++) keyspace.dbs[0]!.remove(`k${n}`)
  expect([output, snapshot.keysTaken, snapshot.keysTotal]).toEqual([[], 100, 100])
  while (!snapshot.isOver) snapshot.advance(100)
  expect(Math.max(...output.map((bytes) => bytes.length))).toBeLessThan(150)
  expect(Object.keys(load(output.join(''))[0] ?? {}).length).toBe(100)
})

test('a snapshot that passes over many new keys does not do so in one slice', () => {
  const keyspace = new Keyspace(DATABASES, KEY_HASH)
  const [first, second] = keyspace.dbs as [Db, Db]
  for (let n = 0; n < 10_000; n++) first.put(`k${n}`, { type: 'string', bytes: 'v' })
  first.put('old', { type: 'string', bytes: 'v' })
  second.put('old', { type: 'string', bytes: 'v' })
  // What is new stands where something was deleted, before what is old.
  for (let n = 0; n < 10_000; n++) first.remove(`k${n}`)
  const snapshot = new Snapshot(keyspace, [], () => undefined)
  for (let n = 0; n < 10_000; n++) first.put(`k${n}`, { type: 'string', bytes: 'v' })
  let slices = 0
  for (; !snapshot.isOver; slices++) snapshot.advance(1600)
  expect(slices).toBeGreaterThan(90)
})

test('the counts and the function libraries stand in front of the keys', () => {
  const keyspace = new Keyspace(DATABASES, KEY_HASH)
  keyspace.dbs[1]!.put('k', { type: 'string', bytes: 'v' })
  keyspace.dbs[1]!.put('l', { type: 'string', bytes: 'v' }, 1)
  let payload = ''
  const sink = (bytes: string) => {
    payload += bytes
  }
  const snapshot = new Snapshot(keyspace, [], sink, { functions: ['#!lua name=a', '#!lua name=b'] })
  while (!snapshot.isOver) snapshot.advance(1000)
  const start = 'REDIS0009\xf5\x0c#!lua name=a\xf5\x0c#!lua name=b\xfe\x01\xfb\x02\x01\0\x01kv'
  expect(payload.startsWith(start.slice(0, -1))).toBe(true)
})

test('with compression, what shrinks by it is compressed and loads to the same', () => {
  const keyspace = new Keyspace(DATABASES, KEY_HASH)
  const repeated = 'abc'.repeat(100)
  keyspace.dbs[0]!.put(repeated, { type: 'string', bytes: repeated })
  keyspace.dbs[0]!.put('set', { type: 'set', members: new CountedMembers([repeated, 'short']) })
  let payload = ''
  const sink = (bytes: string) => {
    payload += bytes
  }
  const snapshot = new Snapshot(keyspace, [], sink, { compresses: true })
  while (!snapshot.isOver) snapshot.advance(1000)
  expect(payload.length).toBeLessThan(repeated.length / 2)
  expect(load(payload)[0]).toEqual({
    [repeated]: [repeated, undefined],
    set: [[repeated, 'short'], undefined],
  })
})

test('a snapshot that is given up leaves the keyspace alone', () => {
  const keyspace = new Keyspace(DATABASES, KEY_HASH)
  keyspace.dbs[0]!.put('k', { type: 'string', bytes: 'v' })
  const output: string[] = []
  const snapshot = new Snapshot(keyspace, [], (bytes) => output.push(bytes))
  snapshot.stop()
  keyspace.dbs[0]!.remove('k')
  snapshot.advance(1000)
  expect([output, keyspace.beforeChange]).toEqual([[], undefined])
})

describe('databases that exchange their contents while a snapshot runs', () => {
  const value = (bytes: string) => ({ type: 'string' as const, bytes })

  function twoDatabases() {
    const keyspace = new Keyspace(DATABASES, KEY_HASH)
    const [first, second] = keyspace.dbs as [Db, Db]
    for (let n = 0; n < 10; n++) first.put(`a${n}`, value('first'))
    for (let n = 0; n < 10; n++) second.put(`b${n}`, value('second'))
    return { keyspace, first, second }
  }

  test('stand in it as they were, whatever is changed in either of them then', () => {
    const { keyspace, first, second } = twoDatabases()
    const before = shownDatabases(keyspace)
    let payload = ''
    const snapshot = new Snapshot(keyspace, [], (bytes) => {
      payload += bytes
    })
    keyspace.swap(first, second)
    first.put('b0', value('changed'))
    second.remove('a0')
    keyspace.swap(first, second)
    first.put('a1', value('changed'))
    keyspace.swap(first, second)
    snapshot.advance(60)
    first.remove('b9')
    second.put('a9', value('changed'))
    while (!snapshot.isOver) snapshot.advance(20)
    expect(load(payload).slice(0, 2)).toEqual(before)
  })

  test('cost it nothing, however many keys they have', () => {
    const { keyspace, first, second } = twoDatabases()
    const snapshot = new Snapshot(keyspace, [], () => undefined)
    keyspace.swap(first, second)
    expect(snapshot.keysTaken).toBe(0)
  })
})

function shownDatabases(keyspace: Keyspace) {
  let payload = ''
  const snapshot = new Snapshot(keyspace, [], (bytes) => {
    payload += bytes
  })
  while (!snapshot.isOver) snapshot.advance(1000)
  return load(payload).slice(0, 2)
}
