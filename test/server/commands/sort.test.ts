/** SORT, where a real server cannot be asked: once a number was out of range, it refuses all others too. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sorted } from '../../../src/server/commands/sort/sort-order.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const BY_NUMBER = {
  isDescending: false,
  isAlpha: false,
  by: undefined,
  isUnsorted: false,
  start: 0,
  count: -1,
  get: [],
  store: undefined,
}

/** Where a weight and a position just fit into one number, and where they do not. */
const BORDER = Math.floor(Number.MAX_SAFE_INTEGER / 6) - 1

test.each([BORDER, BORDER + 1, 2 ** 52])(
  'integers as large as %d are in order, equal ones by their bytes',
  (most) => {
    const elements = [`${most}`, '3', `-${most}`, `+${most}`, '03', '-0']
    expect(sorted(elements, BY_NUMBER, undefined)).toEqual([
      ...[`-${most}`, '-0', '03', '3', `+${most}`, `${most}`],
    ])
  },
)

describe('numbers', () => {
  for (const text of [
    '1e400',
    '-1e400',
    '1e-400',
    '1e-310',
    'nan',
    'x',
    '1 ',
    ' ',
    '0x',
    '1e',
    '--1',
  ]) {
    test(`${JSON.stringify(text)} is none that could be ordered`, () => {
      expect(sorted([text], BY_NUMBER, undefined)).toBeUndefined()
    })
  }

  for (const text of [
    '',
    '0e400',
    '-0',
    ' 1',
    '\t+1',
    '.5',
    '5.',
    '1e308',
    'inf',
    '-Infinity',
    '0x1p-3',
  ]) {
    test(`${JSON.stringify(text)} is one`, () => {
      expect(sorted([text], BY_NUMBER, undefined)).toEqual([text])
    })
  }

  test('are in ascending order, equal ones by their bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 })), (numbers) => {
        const texts = numbers.map((number, at) => (at % 2 === 0 ? `${number}` : `${number}.0`))
        const wanted = [...texts].sort((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1))
        expect(sorted(texts, BY_NUMBER, undefined)).toEqual(wanted)
        const down = { ...BY_NUMBER, isDescending: true }
        expect(sorted(texts, down, undefined)).toEqual(wanted.reverse())
      }),
    )
  })
})

describe('without sorting, only what is asked for is touched', () => {
  test.each([
    ['ZADD', (at: number) => [`${at}`, `element:${at}`]],
    ['RPUSH', (at: number) => [`element:${at}`]],
  ])('in what %s made', (filler, wordsOf) => {
    const client = new NodeHarness().client()
    for (let from = 0; from < 200_000; from += 10_000) {
      const words = Array.from({ length: 10_000 }, (_, at) => wordsOf(from + at)).flat()
      client.send(filler, 'k', ...words)
    }
    const fastest = (line: string) => {
      const times = Array.from({ length: 5 }, () => {
        const startedAt = performance.now()
        client.say(line)
        return performance.now() - startedAt
      })
      return Math.min(...times)
    }
    // As much is answered, after all elements were put into an array.
    const all = fastest('SORT k BY nosort LIMIT 0 200000 STORE d')
    expect(fastest('SORT k BY nosort LIMIT 100000 10')).toBeLessThan(all / 10)
    expect(client.say('SORT k BY nosort DESC LIMIT 1 1')).toContain('element:199998')
  })
})

test('what SORT stores wakes a client that waits for the list', () => {
  const harness = new NodeHarness()
  const [waiting, client] = [harness.client(), harness.client()]
  waiting.say('BLPOP d 0')
  client.say('SADD s 2 1')
  client.say('SORT s STORE d')
  expect(waiting.take()).toBe('*2\r\n$1\r\nd\r\n$1\r\n1\r\n')
})

test('LCS of strings whose table would be too large is refused', () => {
  const client = new NodeHarness({ 'proto-max-bulk-len': '1048576' }).client()
  client.send('MSET', 'a', 'x'.repeat(600), 'b', 'x'.repeat(600))
  expect(client.say('LCS a b')).toBe(
    '-ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len\r\n',
  )
})
