/** Keys that are read ahead: the requests and the look-ups are the same with them as without. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { RequestDecoder } from '../../../src/resp/request-decoder.ts'
import { nodeCommands } from '../../../src/server/commands/registry.ts'
import { ForeseenKeys, MOST_FORESEEN } from '../../../src/server/key-table/foreseen-keys.ts'
import type { KeyHash } from '../../../src/server/key-table/key-hash.ts'
import { KeyTable } from '../../../src/server/key-table/key-table.ts'
import { EntryTable } from '../../../src/server/keyspace/entry-table.ts'
import { LookAhead } from '../../../src/server/sessions/look-ahead.ts'
import {
  LARGE,
  membersOf,
  sortedSetOf,
  TableFields,
  tableIn,
} from '../../../src/server/values/large.ts'
import type { Value } from '../../../src/server/values/value.ts'
import { KEY_HASH } from '../../support/key-tables.ts'
import { propertySeed } from '../../support/property-seed.ts'

const COMMANDS = nodeCommands().all
/** As many as look-ups are worth being made ahead for. */
const KEYS = Array.from({ length: 5000 }, (_, n) => `a key of usual length ${n}`)

/** Counts the hashes that are computed of whole texts. */
function stage() {
  let computed = 0
  const foreseen = new ForeseenKeys((text, from, to) => {
    if (from === undefined) computed++
    return KEY_HASH(text, from, to)
  })
  const table = new KeyTable<number>(foreseen.hash)
  for (const [n, key] of KEYS.entries()) table.set(key, n)
  const lookAhead = new LookAhead(COMMANDS, foreseen)
  computed = 0
  // The values are numbers here, where the node has entries.
  const ahead = (text: string) =>
    lookAhead.at(
      {
        size: table.size,
        get: () => undefined,
        preload: (whole, spans, found) => {
          table.preload(whole, spans, [])
          found.fill(undefined)
        },
      },
      text,
    )
  return { foreseen, table, ahead, computed: () => computed }
}

function pipeline(requests: readonly (readonly string[])[]): string {
  return requests.map((words) => encodeCommand([...words])).join('')
}

function readAll(decoder: RequestDecoder, foreseen?: ForeseenKeys): (readonly string[])[] {
  const read: (readonly string[])[] = []
  for (let one = decoder.next(foreseen); one !== undefined; one = decoder.next(foreseen)) {
    if (one.kind === 'command') read.push(one.argv)
  }
  return read
}

test('looking up foreseen keys in their order computes no hash, also twice, and with several in a request', () => {
  const { foreseen, table, ahead, computed } = stage()
  const text = pipeline([
    ['GET', KEYS[7] as string],
    ['SET', KEYS[4999] as string, 'v'],
    ['MGET', KEYS[1] as string, KEYS[2] as string, KEYS[3] as string],
    ['SET', 'a key that does not exist', 'v'],
    ['GET', KEYS[7] as string],
  ])
  ahead(text)
  const decoder = new RequestDecoder()
  decoder.push(text)
  const found: (number | undefined)[] = []
  for (let one = decoder.next(foreseen); one !== undefined; one = decoder.next(foreseen)) {
    const keys = one.kind === 'command' ? one.argv.slice(1).filter((word) => word !== 'v') : []
    for (const key of keys) found.push(table.get(key), table.get(key))
  }
  expect(found).toEqual([7, 7, 4999, 4999, 1, 1, 2, 2, 3, 3, undefined, undefined, 7, 7])
  // The key that does not exist could not be foreseen.
  expect(computed()).toBe(2)
})

test('requests read with foreseen keys are the same as without, wherever the input is cut', () => {
  const { foreseen, ahead } = stage()
  const word = fc.oneof(
    fc.constantFrom(...KEYS.slice(0, 20)),
    fc.constantFrom('x', 'short', '$24\r\na key of usual length 3\r\n', 'not in the table at all'),
  )
  const request = fc
    .tuple(fc.constantFrom('GET', 'SET', 'MSET', 'del', 'PING'), fc.array(word, { maxLength: 5 }))
    .map(([name, words]) => [name, ...words])
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 1, maxLength: 30 }),
      fc.array(fc.nat(1000), { maxLength: 4 }),
      (requests, cuts) => {
        const text = pipeline(requests)
        const places = [0, ...cuts.map((cut) => cut % text.length).sort((a, b) => a - b)]
        const decoder = new RequestDecoder()
        const read = places.flatMap((from, at) => {
          const piece = text.slice(from, places[at + 1])
          decoder.push(piece)
          ahead(piece)
          return readAll(decoder, foreseen)
        })
        expect(read).toEqual(requests)
      },
    ),
    { seed: propertySeed(), numRuns: 300 },
  )
})

test('a hash is the same whether its key was foreseen or not, in whatever order keys are looked up', () => {
  const { foreseen, ahead } = stage()
  const text = pipeline(KEYS.slice(0, 50).map((key) => ['GET', key]))
  fc.assert(
    fc.property(fc.array(fc.nat(60)), fc.array(fc.nat(text.length)), (sought, places) => {
      ahead(text)
      for (const place of places) {
        foreseen.requestBegins(place)
        const known = foreseen.wordAt(place)
        if (known !== undefined) expect(text.startsWith(known, place)).toBe(true)
        for (const n of sought) {
          const key = KEYS[n] as string
          expect(foreseen.hash(key)).toBe(KEY_HASH(key))
        }
      }
    }),
    { seed: propertySeed(), numRuns: 100 },
  )
})

test('what an input names beyond the most that is kept is read all the same', () => {
  const { foreseen, ahead } = stage()
  const requests = KEYS.slice(0, MOST_FORESEEN + 100).map((key) => ['GET', key])
  const text = pipeline(requests)
  ahead(text)
  const decoder = new RequestDecoder()
  decoder.push(text)
  expect(readAll(decoder, foreseen)).toEqual(requests)
})

const ELEMENTS = Array.from({ length: LARGE + 1 }, (_, n) => `an element of some length ${n}`)
const SCORED = ELEMENTS.map((member, n): [string, number] => [member, n])

/** What each kind of large collection is asked for, and how the request for an element looks. */
const COLLECTIONS: readonly {
  readonly kind: string
  readonly made: (hash: KeyHash) => Value
  readonly request: (element: string) => string[]
}[] = [
  {
    kind: 'set',
    made: (hash) => ({ type: 'set', members: membersOf(ELEMENTS, hash) }),
    request: (element) => ['SISMEMBER', 'key', element],
  },
  {
    kind: 'hash',
    made: (hash) => ({ type: 'hash', fields: new TableFields(hash, textPairs()) }),
    request: (element) => ['HSET', 'key', element, 'value'],
  },
  {
    kind: 'sorted set',
    made: (hash) => ({ type: 'zset', set: sortedSetOf(SCORED, hash) }),
    request: (element) => ['ZADD', 'key', '1', element],
  },
  {
    kind: 'sorted set that is read',
    made: (hash) => ({ type: 'zset', set: sortedSetOf(SCORED, hash) }),
    request: (element) => ['ZSCORE', 'key', element],
  },
]

function textPairs(): [string, string][] {
  return ELEMENTS.map((field) => [field, 'value'])
}

describe('the elements that a pipeline names one after the other are foreseen in a large', () => {
  for (const { kind, made, request } of COLLECTIONS) {
    test(kind, () => {
      const computed: string[] = []
      const foreseen = new ForeseenKeys((text, from, to) => {
        if (from === undefined) computed.push(text)
        return KEY_HASH(text, from, to)
      })
      const value = made(foreseen.hash)
      const table = new EntryTable(foreseen.hash)
      table.add('key', { value, expireAtMs: undefined, serial: 0, usage: 0, bytes: 0 })
      const named = ELEMENTS.slice(100, 200)
      const text = pipeline([...named.map(request), ['GET', 'key'], ['PING']])
      computed.length = 0
      new LookAhead(COMMANDS, foreseen).at(table, text)
      const decoder = new RequestDecoder()
      decoder.push(text)
      for (
        let one = decoder.next(foreseen);
        one?.kind === 'command';
        one = decoder.next(foreseen)
      ) {
        const element = one.argv.find((word) => word.startsWith('an element'))
        if (element !== undefined) expect(tableIn(value)?.has(element)).toBe(true)
      }
      // To find the collection, and the element that the first request names.
      expect(computed).toEqual(['key', named[0]])
    })
  }
})

test('a pipeline for the elements of a small collection, or of none, is read as it is', () => {
  const { foreseen, table, ahead } = stage()
  const requests = KEYS.slice(0, 30).map((key) => ['SADD', 'no such key', key])
  const text = pipeline(requests)
  ahead(text)
  const decoder = new RequestDecoder()
  decoder.push(text)
  expect(readAll(decoder, foreseen)).toEqual(requests)
  expect(table.size).toBe(KEYS.length)
})
