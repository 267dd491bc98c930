/**
 * Integers of 1 to 64 bits anywhere in a string, and what becomes of values that do not fit: they wrap
 * around, stop at the limit, or are refused. Values are bigints, since most widths may exceed 2^53.
 */
import { unreachable } from '../../../base/assert.ts'

export type Overflow = 'WRAP' | 'SAT' | 'FAIL'

/** Where an integer lies, and how it is to be read. */
export interface BitField {
  /** Of its first, highest bit. */
  readonly offset: number
  /** In bits. */
  readonly width: number
  readonly isSigned: boolean
}

/** What lies beyond the end of the string is zero. */
export function readBits(bytes: string, { offset, width, isSigned }: BitField): bigint {
  const { first, last, shift } = reach(offset, width)
  const bits = BigInt.asUintN(width, bytesAsNumber(bytes, first, last) >> shift)
  return isSigned ? BigInt.asIntN(width, bits) : bits
}

/** The string must be long enough. */
export function withBits(bytes: string, { offset, width }: BitField, value: bigint): string {
  const { first, last, shift } = reach(offset, width)
  const mask = ((1n << BigInt(width)) - 1n) << shift
  const kept = bytesAsNumber(bytes, first, last) & ~mask
  let rest = kept | (BigInt.asUintN(width, value) << shift)
  let part = ''
  for (let at = last; at >= first; at--) {
    part = String.fromCharCode(Number(rest & 0xffn)) + part
    rest >>= 8n
  }
  return bytes.slice(0, first) + part + bytes.slice(last + 1)
}

/** The sum as the field can hold it; undefined: it is not to be written. */
export function fitted(
  { width, isSigned, overflow }: BitField & { readonly overflow: Overflow },
  base: bigint,
  increment: bigint,
): bigint | undefined {
  const value = base + increment
  const bits = BigInt(width)
  const min = isSigned ? -(1n << (bits - 1n)) : 0n
  const max = isSigned ? -min - 1n : (1n << bits) - 1n
  if (value >= min && value <= max) return value
  switch (overflow) {
    case 'WRAP':
      return isSigned ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value)
    case 'SAT':
      return value > max || looksAbove(width, max, base, increment) ? max : min
    case 'FAIL':
      return undefined
    default:
      return unreachable(overflow)
  }
}

/**
 * Redis takes some values far below the range for ones above it, since their distance to the maximum
 * does not fit into its 64 bits. A replica has to end up with the same bytes.
 */
function looksAbove(width: number, max: bigint, base: bigint, increment: bigint): boolean {
  return width < 64 && increment === 0n && BigInt.asIntN(64, max - base) < 0n
}

interface Reach {
  /** Of the bytes that contain the field. */
  readonly first: number
  readonly last: number
  /** Bits in the last byte behind the field. */
  readonly shift: bigint
}

function reach(offset: number, width: number): Reach {
  const end = offset + width
  const last = Math.floor((end - 1) / 8)
  return { first: Math.floor(offset / 8), last, shift: BigInt((last + 1) * 8 - end) }
}

function bytesAsNumber(bytes: string, first: number, last: number): bigint {
  let value = 0n
  for (let at = first; at <= last; at++) {
    value = (value << 8n) | BigInt(at < bytes.length ? bytes.charCodeAt(at) : 0)
  }
  return value
}
