/**
 * Listpacks, as Redis writes them: how many bytes an element takes, and the bytes. A text that is the
 * plain decimal form of a 64-bit integer is written as that integer. Each element is followed by the
 * length of its encoding, so that the list can be walked from its end.
 */
import { parseInt64 } from '../../base/decimal.ts'

/** The total size and the number of elements come first, the end mark last. */
export const LISTPACK_FRAME_BYTES = 7

/** No integer has more characters. */
const MAX_INTEGER_CHARS = 20

/** In the 16-bit count field this means: unknown, walk the list to count. */
const COUNT_UNKNOWN = 0xffff

/** A text, or an integer of 64 bits. */
export type ListpackElement = string | number | bigint

/** Including the trailing length. */
export function listpackBytesOf(element: ListpackElement): number {
  const bytes = encodedBytes(element)
  return bytes + backlenBytes(bytes)
}

/** Including the trailing length. */
export function listpackElement(element: ListpackElement): string {
  const encoded = encode(element)
  return encoded + backlen(encoded.length)
}

/** The header of a listpack that has `count` elements and `bytes` bytes in all. */
export function listpackHeader(bytes: number, count: number): string {
  return littleEndian(bytes, 4) + littleEndian(Math.min(count, COUNT_UNKNOWN), 2)
}

export const LISTPACK_END = '\xff'

/** How many bytes the trailing length of an element takes; note the strict bounds. */
function backlenBytes(encodedBytes: number): number {
  if (encodedBytes <= 127) return 1
  if (encodedBytes < 16383) return 2
  if (encodedBytes < 2097151) return 3
  return encodedBytes < 268435455 ? 4 : 5
}

function encodedBytes(element: ListpackElement): number {
  const integer = integerOf(element)
  if (integer !== undefined) return integerBytes(integer)
  const { length } = element as string
  if (length < 64) return 1 + length
  return (length < 4096 ? 2 : 5) + length
}

function integerOf(element: ListpackElement): number | bigint | undefined {
  if (typeof element !== 'string') return element
  if (element.length > MAX_INTEGER_CHARS || element.length === 0) return undefined
  const first = element.charCodeAt(0)
  // Most texts are no integers, and their first character shows that.
  if (first !== 0x2d && (first < 0x30 || first > 0x39)) return undefined
  return parseInt64(element)
}

function integerBytes(value: number | bigint): number {
  if (value >= 0 && value <= 127) return 1
  if (value >= -4096 && value <= 4095) return 2
  return 1 + widthOf(value).bytes
}

/** `limit`: numbers from its negative on and below it fit. */
const INTEGER_WIDTHS = [
  { mark: 0xf1, bytes: 2, limit: 2 ** 15 },
  { mark: 0xf2, bytes: 3, limit: 2 ** 23 },
  { mark: 0xf3, bytes: 4, limit: 2 ** 31 },
]
const WIDEST = { mark: 0xf4, bytes: 8 }

function widthOf(value: number | bigint): { readonly mark: number; readonly bytes: number } {
  for (const width of INTEGER_WIDTHS) if (value >= -width.limit && value < width.limit) return width
  return WIDEST
}

function encode(element: ListpackElement): string {
  const integer = integerOf(element)
  if (integer !== undefined) return encodeInteger(integer)
  const text = element as string
  const { length } = text
  if (length < 64) return String.fromCharCode(0x80 | length) + text
  if (length < 4096) return String.fromCharCode(0xe0 | (length >> 8), length & 0xff) + text
  return `\xf0${littleEndian(length, 4)}${text}`
}

function encodeInteger(value: number | bigint): string {
  if (value >= 0 && value <= 127) return String.fromCharCode(Number(value))
  if (value >= -4096 && value <= 4095) {
    const bits = Number(value) & 0x1fff
    return String.fromCharCode(0xc0 | (bits >> 8), bits & 0xff)
  }
  const { mark, bytes } = widthOf(value)
  return String.fromCharCode(mark) + littleEndian(BigInt.asUintN(8 * bytes, BigInt(value)), bytes)
}

function littleEndian(value: number | bigint, bytes: number): string {
  let rest = BigInt(value)
  let text = ''
  for (let at = 0; at < bytes; at++) {
    text += String.fromCharCode(Number(rest & 0xffn))
    rest >>= 8n
  }
  return text
}

/** Seven bits per byte, the most significant first; every byte but the first has the mark bit. */
export function backlen(encodedBytes: number): string {
  let rest = encodedBytes
  let text = ''
  for (let left = backlenBytes(encodedBytes); left > 0; left--) {
    text = String.fromCharCode((rest & 0x7f) | (left === 1 ? 0 : 0x80)) + text
    rest = Math.floor(rest / 128)
  }
  return text
}
