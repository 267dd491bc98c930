import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { sha1, sha1OfHash } from '../../src/base/sha1.ts'

function toHex(words: Int32Array): string {
  return Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

test('it is the SHA-1 of everybody else, around every block boundary', () => {
  for (const length of [0, 1, 2, 3, 4, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1_000]) {
    const bytes = Array.from({ length }, (_, at) => String.fromCharCode((at * 37) & 0xff)).join('')
    const real = createHash('sha1').update(bytes, 'latin1').digest('hex')
    expect([length, toHex(sha1(bytes))]).toEqual([length, real])
  }
})

test('the hash of a hash is that of its twenty bytes', () => {
  const bytes = createHash('sha1').update('key').digest()
  const real = createHash('sha1').update(bytes).digest('hex')
  expect(toHex(sha1OfHash(sha1('key')))).toBe(real)
})
