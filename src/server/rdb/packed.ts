/**
 * The compact forms in which Redis keeps and transfers small collections: listpack (7.0 and later),
 * ziplist (before), intset. Each decoder walks the whole blob and returns the elements as text, or
 * undefined when any length, count or end mark is not what it has to be.
 */
import { signedText, uint16, uint32, uint32BigEndian } from './bytes.ts'

const END = 0xff
/** In a 16-bit count field: walk to know. */
const COUNT_UNKNOWN = 0xffff

/** An element and where the bytes that encode it end. */
interface Element {
  readonly text: string
  readonly end: number
}

export function readListpack(blob: string): string[] | undefined {
  if (blob.length < 7 || uint32(blob, 0) !== blob.length) return undefined
  const items: string[] = []
  let at = 6
  while (at < blob.length && blob.charCodeAt(at) !== END) {
    const element = listpackElement(blob, at)
    if (element === undefined) return undefined
    items.push(element.text)
    at = element.end + backlenWidth(element.end - at)
  }
  return at === blob.length - 1 && countHolds(uint16(blob, 4), items) ? items : undefined
}

export function readZiplist(blob: string): string[] | undefined {
  if (blob.length < 11 || uint32(blob, 0) !== blob.length) return undefined
  const items: string[] = []
  let at = 10
  while (at < blob.length && blob.charCodeAt(at) !== END) {
    const element = ziplistElement(blob, at + (blob.charCodeAt(at) < 254 ? 1 : 5))
    if (element === undefined) return undefined
    items.push(element.text)
    at = element.end
  }
  return at === blob.length - 1 && countHolds(uint16(blob, 8), items) ? items : undefined
}

export function readIntset(blob: string): string[] | undefined {
  if (blob.length < 8) return undefined
  const width = uint32(blob, 0)
  if (width !== 2 && width !== 4 && width !== 8) return undefined
  if (blob.length !== 8 + uint32(blob, 4) * width) return undefined
  const items: string[] = []
  for (let at = 8; at < blob.length; at += width) items.push(signedText(blob, at, width))
  return items
}

function countHolds(announced: number, items: readonly string[]): boolean {
  return announced === COUNT_UNKNOWN || announced === items.length
}

function listpackElement(blob: string, at: number): Element | undefined {
  const first = blob.charCodeAt(at)
  if (first < 0x80) return { text: String(first), end: at + 1 }
  if (first < 0xc0) return stringElement(blob, at + 1, first & 0x3f)
  const second = blob.charCodeAt(at + 1)
  if (first < 0xe0) {
    const value = ((first & 0x1f) << 8) | second
    return { text: String(value >= 4096 ? value - 8192 : value), end: at + 2 }
  }
  if (first < 0xf0) return stringElement(blob, at + 2, ((first & 0x0f) << 8) | second)
  if (first === 0xf0) return longString(blob, at + 1, uint32)
  const width = LISTPACK_INTEGER_BYTES[first - 0xf1]
  return width === undefined ? undefined : integerElement(blob, at + 1, width)
}

const LISTPACK_INTEGER_BYTES = [2, 3, 4, 8]

/** How many bytes the trailing length of a listpack element takes; note the strict bounds. */
function backlenWidth(elementBytes: number): number {
  if (elementBytes <= 127) return 1
  if (elementBytes < 16383) return 2
  if (elementBytes < 2097151) return 3
  return elementBytes < 268435455 ? 4 : 5
}

/** Lengths of strings are big-endian in ziplists, everything else is little-endian. */
function ziplistElement(blob: string, at: number): Element | undefined {
  const first = blob.charCodeAt(at)
  if (first < 0x40) return stringElement(blob, at + 1, first)
  if (first < 0x80) {
    return stringElement(blob, at + 2, ((first & 0x3f) << 8) | blob.charCodeAt(at + 1))
  }
  if (first === 0x80) return longString(blob, at + 1, uint32BigEndian)
  if (first >= 0xf1 && first <= 0xfd) return { text: String(first - 0xf1), end: at + 1 }
  const width = ZIPLIST_INTEGER_BYTES.get(first)
  return width === undefined ? undefined : integerElement(blob, at + 1, width)
}

const ZIPLIST_INTEGER_BYTES = new Map([
  [0xc0, 2],
  [0xd0, 4],
  [0xe0, 8],
  [0xf0, 3],
  [0xfe, 1],
])

function stringElement(blob: string, at: number, length: number): Element | undefined {
  const end = at + length
  return end < blob.length ? { text: blob.slice(at, end), end } : undefined
}

function longString(
  blob: string,
  at: number,
  length: (bytes: string, at: number) => number,
): Element | undefined {
  return at + 4 < blob.length ? stringElement(blob, at + 4, length(blob, at)) : undefined
}

function integerElement(blob: string, at: number, width: number): Element | undefined {
  const end = at + width
  return end < blob.length ? { text: signedText(blob, at, width), end } : undefined
}
