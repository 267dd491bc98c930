/** Collections of many elements stand in tables of keys: whoever uses them sees no difference. */
import { describe, expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { RdbReader } from '../../../src/server/rdb/rdb-reader.ts'
import { CountedFields, CountedMembers } from '../../../src/server/values/counted.ts'
import { LARGE, TableFields, TableMembers } from '../../../src/server/values/large.ts'
import { pickDistinctKeys, pickKey } from '../../../src/server/values/sampler.ts'
import { SortedSet } from '../../../src/server/values/sorted-set.ts'
import type { SetValue, Value } from '../../../src/server/values/value.ts'
import { emptyTables, KEY_HASH } from '../../support/key-tables.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { contentsOf } from '../../support/value-contents.ts'

const MANY = Array.from({ length: LARGE + 1 }, (_, at) => `m${at}`)

function filled(): { harness: NodeHarness; client: ReturnType<NodeHarness['client']> } {
  const harness = new NodeHarness()
  const client = harness.client()
  client.send('SADD', 'set', ...MANY)
  client.send('HSET', 'hash', ...MANY.flatMap((at) => [at, `value of ${at}`]))
  client.send('ZADD', 'zset', ...MANY.flatMap((at, score) => [`${score}`, at]))
  return { harness, client }
}

function kindOf(value: Value | undefined): string {
  if (value?.type === 'set') return value.members.constructor.name
  if (value?.type === 'hash') return value.fields.constructor.name
  return value?.type === 'zset' ? `${(value.set.origin as object).constructor.name}` : ''
}

function kindsIn(harness: NodeHarness): string[] {
  const [db] = harness.node.keyspace.dbs
  return ['set', 'hash', 'zset'].map((key) => kindOf(db?.entries.get(key)?.value))
}

const TABLES = ['TableMembers', 'TableFields', 'KeyTable']

test('a collection gets a table with its 8193rd element, and keeps it', () => {
  const harness = new NodeHarness()
  const client = harness.client()
  const [last, ...others] = MANY
  client.send('SADD', 'set', ...others)
  expect(kindsIn(harness)[0]).toBe('CountedMembers')
  client.send('SADD', 'set', last as string)
  expect(kindsIn(harness)[0]).toBe('TableMembers')
  client.send('SREM', 'set', ...others)
  expect(kindsIn(harness)[0]).toBe('TableMembers')
  expect(client.send('SMEMBERS', 'set')).toBe(`*1\r\n$2\r\n${last}\r\n`)
})

test('one that becomes large while a snapshot reads it gets its table afterwards', () => {
  const harness = new NodeHarness()
  const client = harness.client()
  client.send('SADD', 'set', ...MANY.slice(1))
  client.send('BGSAVE')
  client.send('SADD', 'set', 'm0')
  harness.advance(1_000)
  client.send('SADD', 'set', 'another')
  expect([kindsIn(harness)[0], client.send('SCARD', 'set')]).toEqual(['TableMembers', ':8194\r\n'])
})

test('what COPY, DUMP and RESTORE make of it is large, too', () => {
  const { harness, client } = filled()
  const [db] = harness.node.keyspace.dbs
  for (const [at, key] of ['set', 'hash', 'zset'].entries()) {
    expect(client.send('COPY', key, `${key} 2`)).toBe(':1\r\n')
    const dump = client.send('DUMP', key)
    const payload = dump.slice(dump.indexOf('\n') + 1, -2)
    expect(client.send('RESTORE', `${key} 3`, '0', payload)).toBe('+OK\r\n')
    const values = ['', ' 2', ' 3'].map((end) => db?.entries.get(`${key}${end}`)?.value as Value)
    expect(values.map(kindOf)).toEqual(Array.from(values, () => TABLES[at]))
    const [original, ...others] = values.map((value) => contentsOf(value))
    expect(others).toEqual([original, original])
  }
})

test.each([false, true])('zero stays as it was written first (large: %s)', (isLarge) => {
  const set = new SortedSet([
    ['plus', 0],
    ['minus', -0],
  ])
  if (isLarge) set.enlarge(KEY_HASH)
  set.set('plus', -0)
  set.set('minus', 0)
  const found = new Map([...set].map(([member, score]) => [member, [score, set.score(member)]]))
  expect([found.get('plus'), found.get('minus')]).toEqual([
    [0, 0],
    [-0, -0],
  ])
})

test('a payload that promises many elements is read into tables, and one that lies is refused', () => {
  const count = '\x80\x00\x00\x20\x01'
  const members = MANY.map((at) => String.fromCharCode(at.length) + at).join('')
  const read = (elements: string) => {
    const tables = emptyTables(1)
    const reader = new RdbReader(tables, 1)
    const payload = `REDIS0010\xfe\0\x02\x01k${count}${elements}\xff${'\0'.repeat(8)}`
    return [reader.push(payload).kind, kindOf(tables[0]?.get('k')?.value)]
  }
  expect(read(members)).toEqual(['done', 'TableMembers'])
  expect(read(members.replace('m8192', 'm8191'))[0]).toBe('damaged')
})

test('HSCAN ends although fields are only hidden, and of many fields', () => {
  const harness = new NodeHarness()
  const client = harness.client()
  for (const count of [1_000, MANY.length]) {
    client.send('HSET', 'h', ...MANY.slice(0, count).flatMap((at) => [at, 'v']))
    client.send('HPEXPIRE', 'h', '10', 'FIELDS', '1', 'm7')
    client.send('CLIENT', 'PAUSE', '100000', 'WRITE')
    harness.advance(100)
    const found = new Set<string>()
    let cursor = '0'
    let pages = 0
    do {
      const reply = client.send('HSCAN', 'h', cursor, 'COUNT', '100')
      cursor = /\$\d+\r\n(\d+)\r\n/.exec(reply)?.[1] ?? ''
      for (const field of reply.match(/\bm\d+/g) ?? []) found.add(field)
    } while (cursor !== '0' && ++pages < 200)
    expect([cursor, found.size, found.has('m7')]).toEqual(['0', count - 1, false])
    client.send('CLIENT', 'UNPAUSE')
  }
})

describe('a draw', () => {
  test('from a table with holes finds every member about as often, and needs no sampler', () => {
    const value: SetValue = { type: 'set', members: new TableMembers(KEY_HASH, MANY) }
    for (const at of MANY.slice(64)) value.members.delete(at)
    for (const at of MANY.slice(0, 1_000)) value.members.add(at)
    const rng = createRng('draws')
    const drawn = new Map<string, number>()
    for (let at = 0; at < 50_000; at++) {
      const member = pickKey(value, value.members, rng)
      drawn.set(member, (drawn.get(member) ?? 0) + 1)
    }
    expect([drawn.size, value.sampler]).toEqual([1_000, undefined])
    for (const count of drawn.values()) expect(Math.abs(count - 50)).toBeLessThan(40)
  })

  test('of several finds different ones, and from a table that is nearly empty makes a sampler', () => {
    const value: SetValue = { type: 'set', members: new TableMembers(KEY_HASH, MANY) }
    const rng = createRng('several')
    expect(new Set(pickDistinctKeys(value, value.members, 500, rng)).size).toBe(500)
    for (const at of MANY.slice(100, -1)) value.members.delete(at)
    expect(MANY).toContain(pickKey(value, value.members, rng))
    expect(value.sampler?.size).toBe(101)
  })
})

test('what is counted is what the elements and the table take', () => {
  const [fields, members] = [new TableFields(KEY_HASH), new TableMembers(KEY_HASH)]
  const [map, set] = [new CountedFields(), new CountedMembers()]
  const rng = createRng('counted')
  for (let step = 0; step < 20_000; step++) {
    const [key, value] = [`key ${rng.below(3_000)}`, 'x'.repeat(rng.below(40))]
    const isGoing = rng.below(3) === 0
    for (const each of [fields, map]) isGoing ? each.delete(key) : each.set(key, value)
    for (const each of [members, set]) isGoing ? each.delete(key) : each.add(key)
  }
  expect([fields.contentBytes, members.contentBytes]).toEqual([map.contentBytes, set.contentBytes])
  expect([new Map(fields), new Set(members)]).toEqual([new Map(map), new Set(set)])
})
