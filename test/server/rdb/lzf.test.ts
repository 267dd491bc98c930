import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LzfDecoder, lzfDecompress } from '../../../src/server/rdb/lzf.ts'
import { lzfCompress } from '../../../src/server/rdb/lzf-compress.ts'

/** Texts with repetitions near and far, of few and of many different bytes. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 50 }),
      fc.tuple(fc.constantFrom('a', 'ab', '\0', 'xyz'), fc.nat(3000)).map(([s, n]) => s.repeat(n)),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    ),
    { maxLength: 8 },
  )
  .map((parts) => Buffer.from([...parts, ...parts].join(''), 'latin1').toString('latin1'))

test('what is compressed is at least four bytes shorter and decompresses to what it was', () => {
  fc.assert(
    fc.property(text, (bytes) => {
      const packed = lzfCompress(bytes)
      if (packed === undefined) return
      expect(packed.length).toBeLessThanOrEqual(bytes.length - 4)
      expect(lzfDecompress(packed, bytes.length) === bytes).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('it decompresses to the same in pieces, wherever they are cut', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 200 }), (bytes, pieceBytes) => {
      const packed = lzfCompress(bytes)
      if (packed === undefined) return
      const decoder = new LzfDecoder(bytes.length)
      let decoded = ''
      for (let at = 0; at < packed.length; at += pieceBytes) {
        const isLast = at + pieceBytes >= packed.length
        decoded += decoder.push(packed.slice(at, at + pieceBytes), isLast) ?? 'undecodable'
      }
      expect([decoder.isComplete, decoded === bytes]).toEqual([true, true])
    }),
    { numRuns: 500 },
  )
})

test('a copy reaches what was put out before the memory was used again', () => {
  const block = Array.from({ length: 8000 }, (_, n) => String.fromCharCode((n * 7919) % 251)).join(
    '',
  )
  const literal = (part: string) => String.fromCharCode(part.length - 1) + part
  const blocks = Array.from({ length: 20 }, () =>
    block
      .match(/.{1,32}/gs)!
      .map(literal)
      .join(''),
  )
  // Nine bytes from 8000 back.
  const packed = `${blocks.join('')}\xff\x00\x3f`
  const decoder = new LzfDecoder(160_009)
  expect(decoder.push(packed, true)).toBe(block.repeat(20) + block.slice(0, 9))
})

test('what does not shrink, is short or is very long stays as it is', () => {
  expect(lzfCompress('a'.repeat(20))).toBeUndefined()
  expect(lzfCompress('a'.repeat(21))).toBeDefined()
  expect(lzfCompress('abcdefghijklmnopqrstuvwxyz')).toBeUndefined()
  expect(lzfCompress('a'.repeat(65_537))).toBeUndefined()
})

test('a string that gets four bytes shorter is compressed, one that gets three shorter is not', () => {
  expect(lzfCompress('abcdefghijklmnabcdefg')?.length).toBe(17)
  expect(lzfCompress('abcdefghijklmnoabcdef')).toBeUndefined()
})
