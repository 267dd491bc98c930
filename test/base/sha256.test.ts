import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/base/sha256.ts'

test('agrees with the published vectors', () => {
  expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('agrees with another implementation for every length up to three blocks', () => {
  for (let length = 0; length <= 192; length++) {
    const bytes = String.fromCharCode(...Array.from({ length }, (_, i) => (i * 31 + 128) & 0xff))
    expect(sha256(bytes)).toBe(createHash('sha256').update(bytes, 'latin1').digest('hex'))
  }
})
