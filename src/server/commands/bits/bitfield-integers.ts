/**
 * Integers of 1 to 64 bits anywhere in a string, and what happens to values that do not fit: they wrap
 * around, stop at the limit, or are refused. Values are bigints, since most widths may exceed 2^53.
 */
import { assert, unreachable } from '../../../base/assert.ts'
import { byteAt } from '../../values/long-string.ts'

export type Overflow = 'WRAP' | 'SAT' | 'FAIL'

/** Where an integer is, and how to read it. */
export interface BitField {
  /** The place of its first, highest bit. */
  readonly offset: number
  /** In bits. */
  readonly width: number
  readonly isSigned: boolean
}

/**
 * A string with changed bytes: each change to the string itself would make a new string. The changed bytes
 * are kept apart until all are done.
 */
export class PatchedBytes {
  readonly #bytes: Uint8Array | string
  readonly #patches = new Map<number, number>()

  constructor(bytes: Uint8Array | string) {
    this.#bytes = bytes
  }

  /** Bits beyond the end of the string are zero. */
  readBits({ offset, width, isSigned }: BitField): bigint {
    const { first, last, shift } = reach(offset, width)
    const bits = BigInt.asUintN(width, this.#asNumber(first, last) >> shift)
    return isSigned ? BigInt.asIntN(width, bits) : bits
  }

  /** The string must be long enough. */
  writeBits({ offset, width }: BitField, value: bigint): void {
    const { first, last, shift } = reach(offset, width)
    const mask = ((1n << BigInt(width)) - 1n) << shift
    let rest = (this.#asNumber(first, last) & ~mask) | (BigInt.asUintN(width, value) << shift)
    for (let at = last; at >= first; at--) {
      this.#patches.set(at, Number(rest & 0xffn))
      rest >>= 8n
    }
  }

  /** Whether any byte has changed. */
  get isChanged(): boolean {
    for (const [at, byte] of this.#patches) if (byte !== byteAt(this.#bytes, at)) return true
    return false
  }

  /** Applies the changes to an array of these bytes. */
  applyTo(array: Uint8Array): void {
    for (const [at, byte] of this.#patches) array[at] = byte
  }

  /** The changed string; only if it was created from a string. */
  joined(): string {
    const bytes = this.#bytes
    assert(typeof bytes === 'string', 'an array is changed in place')
    const places = [...this.#patches.keys()].sort((a, b) => a - b)
    let text = ''
    let end = 0
    for (const at of places) {
      text += bytes.slice(end, at) + String.fromCharCode(this.#patches.get(at) as number)
      end = at + 1
    }
    return text + bytes.slice(end)
  }

  #asNumber(first: number, last: number): bigint {
    let value = 0n
    for (let at = first; at <= last; at++) value = (value << 8n) | BigInt(this.#byteAt(at))
    return value
  }

  #byteAt(at: number): number {
    return this.#patches.get(at) ?? byteAt(this.#bytes, at)
  }
}

/** The value as the field can hold it; undefined if it must not be written. */
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
 * Redis takes some values far below the range for values above it, because their distance to the
 * maximum does not fit into its 64 bits. A replica has to get the same bytes.
 */
function looksAbove(width: number, max: bigint, base: bigint, increment: bigint): boolean {
  return width < 64 && increment === 0n && BigInt.asIntN(64, max - base) < 0n
}

interface Reach {
  /** Indexes of the bytes that contain the field. */
  readonly first: number
  readonly last: number
  /** How many bits of the last byte come after the field. */
  readonly shift: bigint
}

function reach(offset: number, width: number): Reach {
  const end = offset + width
  const last = Math.floor((end - 1) / 8)
  return { first: Math.floor(offset / 8), last, shift: BigInt((last + 1) * 8 - end) }
}
