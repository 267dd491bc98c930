/** BITFIELD against a model: the string as a text of zeros and ones. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitted, PatchedBytes } from '../../../src/server/commands/bits/bitfield-integers.ts'

const field = fc
  .record({
    isSigned: fc.boolean(),
    width: fc.integer({ min: 1, max: 64 }),
    offset: fc.nat(200),
  })
  .filter(({ isSigned, width }) => isSigned || width < 64)
const byteStrings = fc
  .uint8Array({ minLength: 33, maxLength: 40 })
  .map((bytes) => String.fromCharCode(...bytes))

function bitsOf(bytes: string): string {
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(2).padStart(8, '0')).join('')
}

describe('an integer in a string', () => {
  test('is read as the bits say', () => {
    fc.assert(
      fc.property(byteStrings, field, (bytes, place) => {
        const bits = bitsOf(bytes).slice(place.offset, place.offset + place.width)
        const value = BigInt(`0b${bits}`)
        const wanted = place.isSigned ? BigInt.asIntN(place.width, value) : value
        expect(new PatchedBytes(bytes).readBits(place)).toBe(wanted)
      }),
    )
  })

  test('is read back as it was written, and nothing else changes', () => {
    fc.assert(
      fc.property(byteStrings, field, fc.bigInt(-(2n ** 64n), 2n ** 64n), (bytes, place, any) => {
        const { width, offset, isSigned } = place
        const value = isSigned ? BigInt.asIntN(width, any) : BigInt.asUintN(width, any)
        const patched = new PatchedBytes(bytes)
        patched.writeBits(place, value)
        expect(patched.readBits(place)).toBe(value)
        const written = patched.joined()
        expect(new PatchedBytes(written).readBits(place)).toBe(value)
        const outside = (text: string) =>
          `${bitsOf(text).slice(0, offset)}|${bitsOf(text).slice(offset + width)}`
        expect(outside(written)).toBe(outside(bytes))
      }),
    )
  })

  test('is zero beyond the end', () => {
    expect(new PatchedBytes('\xff').readBits({ offset: 4, width: 8, isSigned: false })).toBe(0xf0n)
    expect(new PatchedBytes('').readBits({ offset: 1000, width: 64, isSigned: true })).toBe(0n)
  })

  test('that does not fit wraps around, stops at the limit, or is refused', () => {
    fc.assert(
      fc.property(field, fc.bigInt(-(2n ** 62n), 2n ** 62n), (place, by) => {
        const { width, isSigned } = place
        const bits = BigInt(width)
        const [min, max] = isSigned
          ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n]
          : [0n, (1n << bits) - 1n]
        const base = max / 2n
        const sum = base + by
        const fits = sum >= min && sum <= max
        const clamped = sum > max ? max : min
        const wrapped = isSigned ? BigInt.asIntN(width, sum) : BigInt.asUintN(width, sum)
        expect(fitted({ ...place, overflow: 'FAIL' }, base, by)).toBe(fits ? sum : undefined)
        expect(fitted({ ...place, overflow: 'SAT' }, base, by)).toBe(fits ? sum : clamped)
        expect(fitted({ ...place, overflow: 'WRAP' }, base, by)).toBe(wrapped)
      }),
    )
  })
})
