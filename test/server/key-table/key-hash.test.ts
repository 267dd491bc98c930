/** What the table of keys relies on: hashes that nobody foresees and that differ where keys do. */
import { describe, expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { createKeyHash, secretKeyHash } from '../../../src/server/key-table/key-hash.ts'
import { KEY_HASH } from '../../support/key-tables.ts'

describe('the hash of a key', () => {
  test('depends on the secret', () => {
    const [one, same, other] = ['a', 'a', 'b'].map((secret) => secretKeyHash(secret)('key'))
    expect([one === same, one === other]).toEqual([true, false])
  })

  test('of a part of a text is that of the part', () => {
    const text = 'some text before a key of more than sixteen characters, and after it'
    for (const [from, to] of [
      [0, 4],
      [17, 53],
      [5, 5],
    ] as const) {
      expect(KEY_HASH(text, from, to)).toBe(KEY_HASH(text.slice(from, to)))
    }
  })

  test('depends on the seed, and on nothing else', () => {
    const [one, same, other] = ['a', 'a', 'b'].map((seed) => createKeyHash(createRng(seed)))
    expect(one?.('key')).toBe(same?.('key'))
    expect(one?.('key')).not.toBe(other?.('key'))
  })

  test('tells keys apart in which parts sixteen characters away have changed places', () => {
    const parts = ['0123456789abcdef', 'the second block', 'and then a third']
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ].map((order) => KEY_HASH(order.map((at) => parts[at]).join('')))
    expect(new Set(orders).size).toBe(6)
  })

  test('tells keys apart that differ in their length only', () => {
    const hashes = Array.from({ length: 200 }, (_, n) => KEY_HASH('\0'.repeat(n)))
    expect(new Set(hashes).size).toBe(200)
  })

  test('sets every bit in about half of similar keys', () => {
    const counts = new Array<number>(32).fill(0)
    for (let n = 0; n < 4096; n++) {
      const hash = KEY_HASH(`user:${n}`)
      for (let bit = 0; bit < 32; bit++) counts[bit] = (counts[bit] ?? 0) + ((hash >>> bit) & 1)
    }
    expect(Math.min(...counts)).toBeGreaterThan(1850)
    expect(Math.max(...counts)).toBeLessThan(2250)
  })
})
