/**
 * Bit commands against a model: the string as a text of zeros and ones. Strings are of a few bytes and of a
 * few blocks, since whole blocks and words are dealt with in another way than their edges.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PLAIN_BYTES } from '../../../src/base/byte-codec.ts'
import { BUFFER_BYTES } from '../../../src/io/buffer-bytes.ts'
import { BLOCK_BYTES } from '../../../src/server/commands/bits/bit-blocks.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { sized } from '../../support/sized.ts'

/** Mostly the same byte, as long strings of bits are, or any. */
const piece = fc
  .record({
    byte: fc.constantFrom('\0', '\xff', '\x01', '\x80', 'k'),
    length: fc.oneof(fc.nat(40), fc.integer({ min: BLOCK_BYTES - 9, max: BLOCK_BYTES + 9 })),
    noise: fc.uint8Array({ maxLength: 12 }).map((bytes) => String.fromCharCode(...bytes)),
  })
  .map(({ byte, length, noise }) => byte.repeat(length) + noise)
const byteString = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))

function bitsOf(bytes: string): string {
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(2).padStart(8, '0')).join('')
}

const place = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -3e6, max: 3e6 }))
const unit = fc.constantFrom('BYTE', 'BIT')

/** The bits `start` to `end` mean, and where they begin. */
function rangeOf(bits: string, start: number, end: number, by: string) {
  const total = by === 'BIT' ? bits.length : bits.length / 8
  const width = by === 'BIT' ? 1 : 8
  const from = Math.max(0, start < 0 ? total + start : start)
  const to = Math.min(total - 1, Math.max(0, end < 0 ? total + end : end))
  return { from: from * width, part: from > to ? '' : bits.slice(from * width, (to + 1) * width) }
}

const client = new NodeHarness().client()

describe('BITCOUNT', () => {
  test('counts the ones of a range', () => {
    fc.assert(
      fc.property(byteString, place, place, unit, (bytes, start, end, by) => {
        client.send('SET', 'k', bytes)
        const bits = bitsOf(bytes)
        const isBackwards = start < 0 && end < 0 && start > end
        const part = isBackwards ? '' : rangeOf(bits, start, end, by).part
        const ones = (text: string) => `:${text.replaceAll('0', '').length}\r\n`
        expect(client.send('BITCOUNT', 'k')).toBe(ones(bits))
        expect(client.send('BITCOUNT', 'k', `${start}`, `${end}`, by)).toBe(ones(part))
      }),
      { numRuns: sized(25, 60) },
    )
  })
})

describe('BITPOS', () => {
  test('finds the first bit of a range', () => {
    fc.assert(
      fc.property(byteString, fc.constantFrom('0', '1'), place, place, unit, (bytes, ...args) => {
        const [bit, start, end, by] = args
        client.send('SET', 'k', bytes)
        const { from, part } = rangeOf(bitsOf(bytes), start, end, by)
        const at = part.indexOf(bit)
        const found = at < 0 ? -1 : from + at
        expect(client.send('BITPOS', 'k', bit, `${start}`, `${end}`, by)).toBe(`:${found}\r\n`)
      }),
    )
  })

  test('takes what lies behind the string for zeros, unless an end is given', () => {
    const bytes = '\xff'.repeat(3 * BLOCK_BYTES + 5)
    client.send('SET', 'k', bytes)
    expect(client.say('BITPOS k 0')).toBe(`:${8 * bytes.length}\r\n`)
    expect(client.say('BITPOS k 0 7')).toBe(`:${8 * bytes.length}\r\n`)
    expect(client.say('BITPOS k 0 0 -1')).toBe(':-1\r\n')
    expect(client.say('BITPOS k 1 99999999')).toBe(':-1\r\n')
  })
})

describe('BITOP', () => {
  const operations: Record<string, (a: number, b: number) => number> = {
    AND: (a, b) => a & b,
    OR: (a, b) => a | b,
    XOR: (a, b) => a ^ b,
  }

  test.each(Object.entries(operations))('%s combines byte by byte', (name, combine) => {
    fc.assert(
      fc.property(fc.array(byteString, { minLength: 1, maxLength: 3 }), (sources) => {
        for (const [at, bytes] of sources.entries()) client.send('SET', `s${at}`, bytes)
        const length = Math.max(...sources.map((bytes) => bytes.length))
        const codes = Array.from({ length }, (_, at) => {
          return sources.map((bytes) => bytes.charCodeAt(at) || 0).reduce(combine)
        })
        const wanted = codes.map((code) => String.fromCharCode(code)).join('')
        const keys = sources.map((_, at) => `s${at}`)
        expect(client.send('BITOP', name, 'k', ...keys)).toBe(`:${length}\r\n`)
        const reply = `$${length}\r\n${wanted}\r\n`
        expect(client.say('GET k') === (length === 0 ? '$-1\r\n' : reply)).toBe(true)
      }),
      { numRuns: sized(15, 40) },
    )
  })

  test('NOT turns every bit over', () => {
    fc.assert(
      fc.property(byteString, (bytes) => {
        client.send('SET', 's', bytes)
        client.send('BITOP', 'NOT', 'k', 's')
        client.send('BITOP', 'NOT', 'k', 'k')
        client.send('BITOP', 'XOR', 'k', 'k', 's')
        const ones = client.say('BITCOUNT k')
        expect(ones).toBe(':0\r\n')
        client.send('BITOP', 'NOT', 'k', 's')
        client.send('BITOP', 'XOR', 'k', 'k', 's')
        expect(client.say('BITCOUNT k')).toBe(`:${8 * bytes.length}\r\n`)
      }),
      { numRuns: sized(15, 40) },
    )
  })
})

test('bytes are copied by Node as they are in the plain way', () => {
  fc.assert(
    fc.property(byteString, (bytes) => {
      const [plain, buffer] = [new Uint8Array(bytes.length + 8), new Uint8Array(bytes.length + 8)]
      PLAIN_BYTES.copy(bytes, plain)
      BUFFER_BYTES.copy(bytes, buffer.subarray(0, bytes.length))
      expect(Buffer.compare(buffer, plain)).toBe(0)
      const part = buffer.subarray(3, bytes.length)
      expect(BUFFER_BYTES.text(part) === PLAIN_BYTES.text(part)).toBe(true)
      expect(PLAIN_BYTES.text(part) === bytes.slice(3)).toBe(true)
    }),
  )
})
