/**
 * The id of a stream's entry: `ms-seq`, two unsigned 64-bit numbers. It is kept as the 16 bytes Redis
 * writes it as, big-endian, so that ids compare as strings do and no precision is ever lost; only the
 * decimal text is for people. Reading is as lenient as Redis is, whose numbers go through C's strtoull.
 */

import { cString } from '../../base/c-string.ts'
import { parseInt64 } from '../../base/decimal.ts'

/** 16 bytes, big-endian: milliseconds, then sequence number. */
export type StreamId = string

/** An unsigned 64-bit number: a bigint where a number would not be exact. */
export type Uint64 = number | bigint

export const MIN_ID: StreamId = '\0'.repeat(16)
export const MAX_ID: StreamId = '\xff'.repeat(16)

export const MAX_UINT64 = 2n ** 64n - 1n

const WORD = 2 ** 32
const MAX_WORD = WORD - 1

/** A longer text is not an id, whatever it says. */
const MAX_TEXT_BYTES = 127

/** A number with this many digits at most is exact. */
const EXACT_DIGITS = /^\d{1,15}$/

export function streamId(ms: Uint64, seq: Uint64): StreamId {
  return ofWords(high(ms), low(ms), high(seq), low(seq))
}

export function idMs(id: StreamId): Uint64 {
  return joined(word(id, 0), word(id, 4))
}

export function idSeq(id: StreamId): Uint64 {
  return joined(word(id, 8), word(id, 12))
}

export function idText(id: StreamId): string {
  return `${idMs(id)}-${idSeq(id)}`
}

/** The smallest greater id; undefined if there is none. */
export function idAfter(id: StreamId): StreamId | undefined {
  const lowest = word(id, 12)
  if (lowest !== MAX_WORD) return ofWords(word(id, 0), word(id, 4), word(id, 8), lowest + 1)
  const words = [0, 4, 8, 12].map((at) => word(id, at))
  let at = 3
  while (at >= 0 && words[at] === MAX_WORD) words[at--] = 0
  if (at < 0) return undefined
  words[at] = (words[at] ?? 0) + 1
  return ofWords(...(words as Words))
}

/** The greatest smaller id; undefined if there is none. */
export function idBefore(id: StreamId): StreamId | undefined {
  const words = [0, 4, 8, 12].map((at) => word(id, at))
  let at = 3
  while (at >= 0 && words[at] === 0) words[at--] = MAX_WORD
  if (at < 0) return undefined
  words[at] = (words[at] ?? 0) - 1
  return ofWords(...(words as Words))
}

/** The id of an entry added at `nowMs`: always greater than the last one, whatever the clock does. */
export function idAtTime(nowMs: number, last: StreamId): StreamId | undefined {
  return nowMs > idMs(last) ? streamId(nowMs, 0) : idAfter(last)
}

/** The next id with these milliseconds; undefined if it would not be greater than the last. */
export function idAtMs(ms: Uint64, last: StreamId): StreamId | undefined {
  const first = streamId(ms, 0)
  const lastMs = last.slice(0, 8)
  if (first.startsWith(lastMs)) return last.endsWith(MAX_ID.slice(8)) ? undefined : idAfter(last)
  return first > last ? first : undefined
}

/** `a - b` of two halves of ids, as the signed 64-bit number Redis writes. */
export function difference(a: Uint64, b: Uint64): number | bigint {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const exact = BigInt.asIntN(64, BigInt(a) - BigInt(b))
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
}

/** `ms-seq`, or `ms` alone, for which the sequence number is `missingSeq`. */
export function parseId(text: string, missingSeq: Uint64 = 0): StreamId | undefined {
  const halves = splitId(text)
  const ms = halves && parseUint64(halves.ms)
  if (ms === undefined) return undefined
  const seq = halves?.seq === undefined ? missingSeq : parseUint64(halves.seq)
  return seq === undefined ? undefined : streamId(ms, seq)
}

/** The same, or `-` and `+`: the smallest and the greatest possible id. */
export function parseIdOrEdge(text: string, missingSeq: Uint64 = 0): StreamId | undefined {
  const bytes = cString(text)
  if (bytes === '-') return MIN_ID
  return bytes === '+' ? MAX_ID : parseId(text, missingSeq)
}

/** The milliseconds of `ms-*`; undefined for any other text. */
export function parseOpenId(text: string): Uint64 | undefined {
  const halves = splitId(text)
  return halves?.seq === '*' ? parseUint64(halves.ms) : undefined
}

function splitId(text: string): { ms: string; seq: string | undefined } | undefined {
  if (text.length > MAX_TEXT_BYTES) return undefined
  const bytes = cString(text)
  const dash = bytes.indexOf('-')
  if (dash < 0) return { ms: bytes, seq: undefined }
  return { ms: bytes.slice(0, dash), seq: bytes.slice(dash + 1) }
}

/** Plain digits, and what strtoull accepts: blanks, signs and leading zeros before them. */
function parseUint64(text: string): Uint64 | undefined {
  if (EXACT_DIGITS.test(text)) return Number(text)
  const match = /^[\t-\r ]*([+-]?)(\d+)$/.exec(text)
  if (match === null) return undefined
  // A plain negative number is refused before strtoull sees it.
  if ((parseInt64(text) ?? 0) < 0) return undefined
  const value = BigInt(match[2] ?? '')
  if (value > MAX_UINT64) return undefined
  return shortest(match[1] === '-' ? BigInt.asUintN(64, -value) : value)
}

function shortest(value: bigint): Uint64 {
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
}

type Words = [number, number, number, number]

/** Without arrays between: every XADD makes an id. */
function ofWords(a: number, b: number, c: number, d: number): StreamId {
  // biome-ignore format: four bytes a line
  return String.fromCharCode(
    a >>> 24, (a >>> 16) & 0xff, (a >>> 8) & 0xff, a & 0xff,
    b >>> 24, (b >>> 16) & 0xff, (b >>> 8) & 0xff, b & 0xff,
    c >>> 24, (c >>> 16) & 0xff, (c >>> 8) & 0xff, c & 0xff,
    d >>> 24, (d >>> 16) & 0xff, (d >>> 8) & 0xff, d & 0xff,
  )
}

function word(id: StreamId, at: number): number {
  const top = (id.charCodeAt(at) << 8) | id.charCodeAt(at + 1)
  return top * 0x10000 + ((id.charCodeAt(at + 2) << 8) | id.charCodeAt(at + 3))
}

function joined(top: number, bottom: number): Uint64 {
  const value = top * WORD + bottom
  return Number.isSafeInteger(value) ? value : (BigInt(top) << 32n) | BigInt(bottom)
}

function high(value: Uint64): number {
  return typeof value === 'number' ? Math.floor(value / WORD) : Number(value >> 32n)
}

function low(value: Uint64): number {
  return typeof value === 'number' ? value % WORD : Number(value & 0xffffffffn)
}
