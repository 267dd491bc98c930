/** Values are taken at once where they are whole and waited for where they are not; nobody can tell. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry } from '../../../src/server/keyspace/keyspace.ts'
import { RdbReader } from '../../../src/server/rdb/rdb-reader.ts'
import { emptyTables } from '../../support/key-tables.ts'
import { sized } from '../../support/sized.ts'

const ZEROS = '\0'.repeat(8)

/** A type byte each, and what follows the key. */
const VALUES: readonly (readonly [string, string])[] = [
  ['\x00', '\x05hello'],
  ['\x00', '\xc2\x01\x02\x03\x04'],
  ['\x00', '\xc3\x09\x1e\x01aa\xe0\x11\x00\x01aa'],
  ['\x00', `\x41\x40${'long '.repeat(64)}`],
  ['\x01', '\x03\x01a\x00\xc0\x07'],
  ['\x02', '\x02\x01a\x03bcd'],
  ['\x04', '\x02\x01f\x01v\x01g\x03www'],
  ['\x05', '\x02\x01m\0\0\0\0\0\0\xf8?\x01n\0\0\0\0\0\0\xf0\xbf'],
  ['\x0b', '\x14\x04\0\0\0\x03\0\0\0\x01\0\0\0\x02\0\0\0p\x11\x01\0'],
  ['\x0d', '\x11\x11\0\0\0\x0d\0\0\0\x02\0\0\x01f\x03\x01v\xff'],
  ['\x10', '\x12\x12\0\0\0\x04\0\x81f\x02\x81v\x02\x81n\x02d\x01\xff'],
  ['\x11', '\x0c\x0c\0\0\0\x02\0\x81m\x02\x07\x01\xff'],
  ['\x12', '\x02\x02\x0a\x0a\0\0\0\x01\0\x81a\x02\xff\x02\x0a\x0a\0\0\0\x01\0\x81b\x02\xff'],
  ['\x12', '\x01\x01\x05large'],
  ['\x14', '\x0a\x0a\0\0\0\x01\0\x81a\x02\xff'],
  // Empty, and so no key; a member twice; a count of what is not there.
  ['\x02', '\x00'],
  ['\x02', '\x02\x01a\x01a'],
  ['\x05', '\x02\x01m\0\0\0\0\0\0\xf8?\x01m\0\0\0\0\0\0\xf0\xbf'],
  ['\x04', '\x80\0\xff\xff\xff\x01f\x01v'],
]

const ATTRIBUTES = ['', `\xfc\x01${'\0'.repeat(7)}`, '\xf8\x05', '\xf9\x07']

const record = fc
  .tuple(fc.constantFrom(...ATTRIBUTES), fc.constantFrom(...VALUES), fc.nat(20))
  .map(
    ([attribute, [type, value], key]) =>
      `${attribute}${type}\x02k${'abcdefghijklmnopqrstu'[key]}${value}`,
  )

const payload = fc
  .array(record, { maxLength: 6 })
  .map((records) => `REDIS0010\xfe\0${records.join('')}\xff${ZEROS}rest`)

/** Where a byte is another one. */
const damaged = fc.tuple(payload, fc.nat(), fc.nat(255)).map(([bytes, at, code]) => {
  const place = 9 + (at % (bytes.length - 9))
  return bytes.slice(0, place) + String.fromCharCode(code) + bytes.slice(place + 1)
})

function shown(dbs: readonly Iterable<[string, Entry]>[]): unknown {
  return dbs.map((db) =>
    [...db].map(([key, { value, ...rest }]) => {
      if (value.type === 'zset') return [key, rest, [...value.set]]
      return [key, rest, value.type === 'list' ? [...value.items] : value]
    }),
  )
}

/** What comes of a payload that arrives in pieces of these sizes, again and again. */
function outcome(bytes: string, sizes: readonly number[]): unknown {
  const reader = new RdbReader(emptyTables(2), 3, {
    restored: ({ idleSeconds = 0 }) => idleSeconds,
  })
  let at = 0
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number
    const step = reader.push(bytes.slice(at, at + size))
    at += size
    if (step.kind === 'damaged') return step
    if (step.kind !== 'done') continue
    const { dbs, expires } = step.contents
    return [shown(dbs), expires, step.rest + bytes.slice(at), reader.keysRead]
  }
  return reader.ended()
}

for (const [name, bytes] of [
  ['a payload', payload],
  ['a damaged payload', damaged],
] as const) {
  test(`what comes of ${name} does not depend on the pieces it arrives in`, () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(bytes, sizes, (whole, cuts) => {
        const expected = outcome(whole, [1])
        expect(outcome(whole, [whole.length])).toEqual(expected)
        expect(outcome(whole, cuts)).toEqual(expected)
      }),
      { numRuns: sized(700, 2000), seed: 11 },
    )
  })
}
