/**
 * HyperLogLog: how many different elements were seen, estimated from 16384 registers, each of which
 * keeps the longest run of zero bits among its hashes. The value is a string, and its bytes are exactly
 * those of Redis: clients can read, copy and compare it, and digests of a master and its replica must
 * agree.
 *
 * The header has 16 bytes: `HYLL`, the form (0 dense, 1 sparse), three unused bytes, and the cardinality
 * computed last, little-endian, whose highest bit says that it is out of date.
 */

import { int64, int64Bytes } from '../rdb/bytes.ts'
import { denseRegisters, encodeDense, registerAt, withRegister } from './hyperloglog-dense.ts'
import { setSparse, sparseRegisters, sparseRuns } from './hyperloglog-sparse.ts'
import { murmur64 } from './murmur.ts'

const MAGIC = 'HYLL'
export const REGISTERS = 16384
const INDEX_BITS = 14
const HASH_SEED = 0xadc83b19
const HEADER_BYTES = 16
const FORM_AT = 4
const CACHE_AT = 8
const DENSE = '\0'
const SPARSE = '\x01'
const DENSE_BYTES = HEADER_BYTES + (REGISTERS * 6) / 8

/** Without elements: one run of zeros. */
export const EMPTY_HLL = `${MAGIC}${SPARSE}${'\0'.repeat(11)}\x7f\xff`

export type HllForm = 'sparse' | 'dense'

/** Undefined if the string is not a HyperLogLog. */
export function hllForm(bytes: string): HllForm | undefined {
  if (bytes.length < HEADER_BYTES || !bytes.startsWith(MAGIC)) return undefined
  if (bytes[FORM_AT] === SPARSE) return 'sparse'
  return bytes[FORM_AT] === DENSE && bytes.length === DENSE_BYTES ? 'dense' : undefined
}

/** The cardinality computed last; undefined if it is out of date. */
export function cachedCardinality(bytes: string): number | bigint | undefined {
  if (bytes.charCodeAt(HEADER_BYTES - 1) >= 0x80) return undefined
  const cached = int64(bytes, CACHE_AT)
  const value = Number(cached)
  return Number.isSafeInteger(value) ? value : cached
}

export function withCachedCardinality(bytes: string, cardinality: number): string {
  return bytes.slice(0, CACHE_AT) + int64Bytes(cardinality) + bytes.slice(HEADER_BYTES)
}

export function withoutCachedCardinality(bytes: string): string {
  const last = HEADER_BYTES - 1
  const marked = String.fromCharCode(bytes.charCodeAt(last) | 0x80)
  return bytes.slice(0, last) + marked + bytes.slice(HEADER_BYTES)
}

/** All registers; undefined if the string is damaged. */
export function hllRegisters(bytes: string): Uint8Array | undefined {
  const body = bytes.slice(HEADER_BYTES)
  return bytes[FORM_AT] === DENSE ? denseRegisters(body) : sparseRegisters(body)
}

/**
 * The runs of the sparse form, for people: `z:` for few zeros, `Z:` for many, `v:` for a value and
 * how often it occurs.
 */
export function sparseText(bytes: string): string {
  return sparseRuns(bytes.slice(HEADER_BYTES))
    .map(({ bytes: width, value, length }) => {
      if (value > 0) return `v:${value},${length}`
      return width === 1 ? `z:${length}` : `Z:${length}`
    })
    .join(' ')
}

/** The string after adding the element: the same if no register changed, undefined if it is damaged. */
export function withElement(
  bytes: string,
  element: string,
  maxSparseBytes: number,
): string | undefined {
  const { index, count } = placeOf(element)
  return raised(bytes, index, count, maxSparseBytes)
}

/**
 * Raises registers to at least these values, one after the other. Undefined if the string is
 * damaged.
 */
export function withRegisters(
  bytes: string,
  registers: Uint8Array,
  maxSparseBytes: number,
): string | undefined {
  let merged: string | undefined = bytes
  for (let index = 0; index < REGISTERS; index++) {
    const count = registers[index] as number
    if (count === 0) continue
    // Once dense, all others in one step: each change copies the string.
    if (merged[FORM_AT] === DENSE) return withDenseRegisters(merged, registers)
    merged = raised(merged, index, count, maxSparseBytes)
    if (merged === undefined) return undefined
  }
  return merged
}

/** The string in the dense form; undefined if it is damaged. */
export function densified(bytes: string): string | undefined {
  if (bytes[FORM_AT] === DENSE) return bytes
  const registers = hllRegisters(bytes)
  if (registers === undefined) return undefined
  return `${MAGIC}${DENSE}${bytes.slice(FORM_AT + 1, HEADER_BYTES)}${encodeDense(registers)}`
}

/** Each register takes the larger of the two values. */
export function raiseRegisters(registers: Uint8Array, others: Uint8Array): void {
  for (let index = 0; index < REGISTERS; index++) {
    const other = others[index] as number
    if (other > (registers[index] as number)) registers[index] = other
  }
}

/** An element's register, and the number of the first bit that is set, counted from 1. */
export function placeOf(element: string): { readonly index: number; readonly count: number } {
  const { high, low } = murmur64(element, HASH_SEED)
  const index = low & (REGISTERS - 1)
  // Of the 50 bits that are left, 18 are in the low half; a bit after them ends every run.
  const rest = low >>> INDEX_BITS
  if (rest !== 0) return { index, count: trailingZeros(rest) + 1 }
  const count = high === 0 ? 50 : 18 + trailingZeros(high)
  return { index, count: count + 1 }
}

function trailingZeros(word: number): number {
  return 31 - Math.clz32(word & -word)
}

function raised(
  bytes: string,
  index: number,
  count: number,
  maxSparseBytes: number,
): string | undefined {
  const header = bytes.slice(0, HEADER_BYTES)
  const body = bytes.slice(HEADER_BYTES)
  if (bytes[FORM_AT] === DENSE) {
    return registerAt(body, index) >= count ? bytes : header + withRegister(body, index, count)
  }
  const changed = setSparse(body, index, count, maxSparseBytes - HEADER_BYTES)
  switch (changed.kind) {
    case 'same':
      return bytes
    case 'changed':
      return withoutCachedCardinality(header + changed.body)
    case 'tooLarge': {
      const dense = densified(bytes)
      return dense && raised(dense, index, count, maxSparseBytes)
    }
    case 'damaged':
      return undefined
  }
}

function withDenseRegisters(bytes: string, registers: Uint8Array): string {
  const merged = denseRegisters(bytes.slice(HEADER_BYTES))
  raiseRegisters(merged, registers)
  return bytes.slice(0, HEADER_BYTES) + encodeDense(merged)
}
