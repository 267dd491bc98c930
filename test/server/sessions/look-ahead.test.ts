/** What a pipeline's keys are read for ahead of their turns, which no reply shows. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { nodeCommands } from '../../../src/server/commands/registry.ts'
import { ForeseenKeys } from '../../../src/server/key-table/foreseen-keys.ts'
import { LookAhead } from '../../../src/server/sessions/look-ahead.ts'
import { KEY_HASH } from '../../support/key-tables.ts'
import { propertySeed } from '../../support/property-seed.ts'
import { wireCommands } from '../../support/wire.ts'

const MANY = 10_000
const COMMANDS = nodeCommands().all

/** The keys that are read ahead, in groups. */
function readAhead(text: string, size = MANY): readonly (readonly string[])[] {
  const groups: string[][] = []
  new LookAhead(COMMANDS, new ForeseenKeys(KEY_HASH)).at(
    {
      size,
      get: () => undefined,
      preload(whole, { count, from, to }) {
        const at = Array.from({ length: count }, (_, n) => n)
        groups.push(at.map((n) => whole.slice(from[n], to[n])))
      },
    },
    text,
  )
  return groups
}

test('the first argument of each request of a pipeline is read ahead', () => {
  const text = wireCommands('GET a', 'SET longer value', 'PING', 'HSET hash field value', 'DEL x')
  expect(readAhead(text)).toEqual([['a', 'longer', 'hash', 'x']])
})

test('commands with many keys have all of them read ahead, up to sixty-four', () => {
  const text = wireCommands(
    'MSET a 1 b 2',
    'mget c d e',
    'EXISTS f g h',
    'SADD set 1 2 3',
    'EVAL s 1 i',
  )
  expect(readAhead(text)).toEqual([['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'set', 's']])
  const keys = Array.from({ length: 70 }, (_, n) => `key:${n}`)
  const long = readAhead(wireCommands(`MGET ${keys.join(' ')}`, 'GET a', 'GET b', 'GET c', 'GET d'))
  expect(long).toEqual([keys.slice(0, 64), ['a', 'b', 'c', 'd']])
})

test('the words of a request are skipped by their lengths, whatever they contain', () => {
  const text = ['one', 'two', 'three', 'four']
    .map((key) => encodeCommand(['SET', key, '*2\r\n$3\r\nGET\r\n$5\r\nwrong\r\n']))
    .join('')
  expect(readAhead(text)).toEqual([['one', 'two', 'three', 'four']])
})

test('sixty-four keys are read at once, and the others after them', () => {
  const keys = Array.from({ length: 200 }, (_, n) => `key:${n}`)
  const groups = readAhead(wireCommands(...keys.map((key) => `GET ${key}`)))
  expect(groups.map(({ length }) => length)).toEqual([64, 64, 64, 8])
  expect(groups.flat()).toEqual(keys)
})

test('few requests, and a table with few keys, are not worth it', () => {
  expect(readAhead(wireCommands('GET a', 'GET b', 'GET c'))).toEqual([])
  expect(readAhead(wireCommands('GET a', 'GET b', 'GET c', 'GET d'), 100)).toEqual([])
})

test('a request that ends beyond the text is left to its turn', () => {
  const text = wireCommands('GET a', 'GET b', 'GET c', 'GET d', 'GET last')
  for (let cut = 1; cut < 'last\r\n'.length; cut++) {
    expect(readAhead(text.slice(0, -cut)).flat().slice(0, 4)).toEqual(['a', 'b', 'c', 'd'])
  }
})

test('whatever a client sends, looking ahead ends, and names only parts of it', () => {
  const line = fc.constantFrom(
    '*',
    '$',
    '\r\n',
    '3',
    '-1',
    '99999999999999999999',
    'GET',
    'k',
    '0',
    'x',
  )
  const text = fc.array(line, { maxLength: 400 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, (noise) => {
      const requests = wireCommands('GET a', 'GET b', 'GET c', 'GET d')
      const found = readAhead(requests + noise).flat()
      expect(found.every((key) => (requests + noise).includes(key))).toBe(true)
    }),
    { seed: propertySeed(), numRuns: 500 },
  )
})
