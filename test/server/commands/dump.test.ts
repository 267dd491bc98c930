/** DUMP payloads: that they carry every value, and that nothing crashes on what only looks like one. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  dumpPayload,
  isSoundPayload,
  valueOfPayload,
  withFooter,
} from '../../../src/server/rdb/dump-payload.ts'
import { rdbString } from '../../../src/server/rdb/rdb-encode.ts'
import { compressedString } from '../../../src/server/rdb/rdb-writer.ts'
import { CountedMembers } from '../../../src/server/values/counted.ts'
import { Deque } from '../../../src/server/values/deque.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { contentsOf } from '../../support/value-contents.ts'

const NO_LIMIT = 1e9
const words = fc.uint8Array({ maxLength: 40 }).map((bytes) => String.fromCharCode(...bytes))

/** What redis-server 7.0.15 dumped, in hexadecimal, and what it holds. */
const VECTORS: readonly (readonly [hex: string, contents: unknown])[] = [
  ['0001760a009108ceb219388ace', 'v'],
  ['00c139300a009d94ea2793fc08b9', '12345'],
  ['00c0f90a005e26d130d7a242ab', '-7'],
  ['00c3091e016161e011000161610a0045737cbb2b647bbb', 'a'.repeat(30)],
  ['000a393939393939393939390a00d26ac299df53efd2', '9999999999'],
  ['00000a005d9b5c400f7fa2da', ''],
  ['120102101000000003008161020101f178ec03ff0a00be747725a27199b2', ['a', '1', '-5000']],
  ['0b1404000000030000000100000002000000701101000a0085d5c1065b1dd055', ['1', '2', '70000']],
  ['0201036162630a00a3cbec4c8c2f31f0', ['abc']],
  [
    '1114140000000400816102010181620283322e3504ff0a00d44c6ea4f644d9d7',
    [
      ['a', 1],
      ['b', 2.5],
    ],
  ],
  [
    '0502016200000000000004400161000000000000f03f0a00f46eb73919767291',
    [
      ['a', 1],
      ['b', 2.5],
    ],
  ],
  [
    '1012120000000400816602817602816e026401ff0a005414caec75fc291a',
    [
      ['f', 'v'],
      ['n', '100'],
    ],
  ],
  ['0401016601760a00adf24356b1860efc', [['f', 'v']]],
  // Valkey 9.1: its own version for all types, and a type of its own for fields that expire.
  ['00017650005e220723876aed3a', 'v'],
  [
    '1602016601767b409452a303000001670177ffffffffffffffff500064738ee43715632b',
    [
      ['f', 'v', 4_000_000_000_123],
      ['g', 'w'],
    ],
  ],
]

function bytesOf(hex: string): string {
  return hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)))
}

describe('a payload of Redis', () => {
  for (const [hex, contents] of VECTORS) {
    test(`is read: ${JSON.stringify(contents).slice(0, 40)}`, () => {
      const payload = bytesOf(hex)
      expect(isSoundPayload(payload, false)).toBe(true)
      expect(contentsOf(valueOfPayload(payload)!)).toEqual(contents)
    })
  }
})

describe('a payload of ours', () => {
  for (const [title, form] of [
    ['plain', rdbString],
    ['compressed', compressedString],
  ] as const) {
    test(`carries any string, ${title}`, () => {
      fc.assert(
        fc.property(fc.array(words), (parts) => {
          const value = { type: 'string', bytes: parts.join('').repeat(3) } as const
          const payload = dumpPayload(value, form, NO_LIMIT)!
          expect(isSoundPayload(payload, false)).toBe(true)
          expect(valueOfPayload(payload)).toEqual(value)
        }),
      )
    })
  }

  test('says version 9, which every server since Redis 5 takes', () => {
    const payload = dumpPayload({ type: 'string', bytes: 'v' }, rdbString, NO_LIMIT)!
    expect(payload.slice(-10, -8)).toBe('\x09\0')
  })

  test('of many pieces has the checksum of all of them, and carries the value', () => {
    const items = Array.from({ length: 30_000 }, (_, at) => `element:${at}`)
    const payload = dumpPayload(
      { type: 'list', items: new Deque(items) },
      compressedString,
      NO_LIMIT,
    )
    expect(isSoundPayload(payload ?? '', false)).toBe(true)
    const value = valueOfPayload(payload ?? '')
    expect(value && contentsOf(value)).toEqual(items)
  })

  test('is not made when it would be too long', () => {
    const value = { type: 'set', members: new CountedMembers(['a'.repeat(100)]) } as const
    expect(dumpPayload(value, rdbString, 50)).toBeUndefined()
    expect(dumpPayload(value, rdbString, 200)).toBeDefined()
  })
})

describe('RESTORE', () => {
  test('takes or refuses any record whose footer is right', () => {
    const client = new NodeHarness().client()
    const types = fc.integer({ min: 0, max: 26 }).map((type) => String.fromCharCode(type))
    const versions = fc.constantFrom(9, 80)
    fc.assert(
      fc.property(types, words, versions, (type, record, version) => {
        const payload = withFooter(type + record, version)
        expect(client.send('RESTORE', 'k', '0', payload, 'REPLACE')).toMatch(
          /^(\+OK|-ERR Bad data format)\r\n$/,
        )
      }),
      { numRuns: 2000 },
    )
    expect(client.say('PING')).toBe('+PONG\r\n')
  })

  test('takes or refuses what is damaged a little', () => {
    const client = new NodeHarness().client()
    const damage = fc.tuple(fc.constantFrom(...VECTORS), fc.nat(60), fc.nat(255))
    fc.assert(
      fc.property(damage, ([[hex], at, byte]) => {
        const record = bytesOf(hex).slice(0, -10)
        const place = at % record.length
        const changed = record.slice(0, place) + String.fromCharCode(byte) + record.slice(place + 1)
        expect(client.send('RESTORE', 'k', '0', withFooter(changed, 9), 'REPLACE')).toMatch(
          /^(\+OK|-ERR Bad data format)\r\n$/,
        )
      }),
      { numRuns: 2000 },
    )
  })

  test('counts the idle time from now', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.send('RESTORE', 'k', '0', bytesOf(VECTORS[0]![0]), 'IDLETIME', '500')
    harness.advance(7000)
    expect(client.say('OBJECT IDLETIME k')).toBe(':507\r\n')
  })

  test('wakes a client that waits for the list', () => {
    const harness = new NodeHarness()
    const [waiting, client] = [harness.client(), harness.client()]
    waiting.say('BLPOP l 0')
    client.send('RESTORE', 'l', '0', bytesOf(VECTORS[6]![0]))
    expect(waiting.take()).toBe('*2\r\n$1\r\nl\r\n$1\r\na\r\n')
  })

  test('of a master keeps a key whose time is over: the master will say what becomes of it', () => {
    const harness = new NodeHarness()
    harness.node.services.streamTarget.apply([
      'RESTORE',
      'k',
      '1',
      bytesOf(VECTORS[0]![0]),
      'ABSTTL',
    ])
    expect(harness.node.keyspace.dbs[0]!.entries.get('k')?.expireAtMs).toBe(1)
  })
})

describe('DEBUG', () => {
  test('OBJECT shows what tests for Redis look for', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.say('RPUSH l a b')
    harness.advance(3000)
    expect(client.say('DEBUG OBJECT l')).toMatch(
      /^\+Value at:\S+ refcount:1 encoding:quicklist serializedlength:6 lru:\d+ lru_seconds_idle:3\r\n$/,
    )
    expect(client.say('DEBUG OBJECT missing')).toBe('-ERR no such key\r\n')
  })

  test('DIGEST-VALUE does not depend on the key', () => {
    const client = new NodeHarness().client()
    client.say('MSET a v b v c w')
    const [first, second, third, fourth] = client
      .say('DEBUG DIGEST-VALUE a b c missing')
      .split('\r\n')
      .slice(1)
    expect(first).toBe(second)
    expect(first).not.toBe(third)
    expect(fourth).toBe(`+${'0'.repeat(40)}`)
  })
})
