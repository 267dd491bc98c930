/**
 * The compact forms in which Redis keeps and transfers small collections: listpack (7.0 and later),
 * ziplist (before), intset, and the zipmap of ancient files. Each decoder walks the whole blob and
 * returns the elements as text, or undefined if any length, count or end mark is wrong.
 */
import { ownSlice, signedText, uint16, uint32, uint32BigEndian } from './bytes.ts'
import { backlen } from './listpack-writer.ts'

const END = 0xff
/** In a 16-bit count field this means: unknown, walk the list to count. */
const COUNT_UNKNOWN = 0xffff

export function readListpack(blob: string): string[] | undefined {
  if (blob.length < 7 || uint32(blob, 0) !== blob.length) return undefined
  const walk = new Walk(blob, 6)
  const items: string[] = []
  while (walk.hasMore) {
    const start = walk.at
    const item = listpackElement(walk)
    if (item === undefined) return undefined
    if (!skipsBackLength(walk, walk.at - start)) return undefined
    items.push(item)
  }
  return walk.isAtEnd && countHolds(uint16(blob, 4), items) ? items : undefined
}

/** Each entry begins with the length of the one before, and the header says where the last one begins. */
export function readZiplist(blob: string): string[] | undefined {
  if (blob.length < 11 || uint32(blob, 0) !== blob.length) return undefined
  const walk = new Walk(blob, 10)
  const items: string[] = []
  let last = walk.at
  let lastBytes = 0
  while (walk.hasMore) {
    const start = walk.at
    if (ziplistBackLength(walk) !== lastBytes) return undefined
    const item = ziplistElement(walk)
    if (item === undefined) return undefined
    items.push(item)
    last = start
    lastBytes = walk.at - start
  }
  if (items.length > 0 && uint32(blob, 4) !== last) return undefined
  return walk.isAtEnd && countHolds(uint16(blob, 8), items) ? items : undefined
}

function ziplistBackLength(walk: Walk): number {
  const first = walk.code()
  return first < 254 ? first : walk.long(uint32)
}

/** The numbers ascend: Redis looks for them by halves. */
export function readIntset(blob: string): string[] | undefined {
  if (blob.length < 8) return undefined
  const width = uint32(blob, 0)
  if (width !== 2 && width !== 4 && width !== 8) return undefined
  if (blob.length !== 8 + uint32(blob, 4) * width) return undefined
  const items: string[] = []
  let last: string | undefined
  for (let at = 8; at < blob.length; at += width) {
    const item = signedText(blob, at, width)
    if (last !== undefined && !isLess(last, item)) return undefined
    items.push(item)
    last = item
  }
  return items
}

/** Integers of 64 bits; as numbers, large ones can look the same. */
function isLess(a: string, b: string): boolean {
  const difference = Number(a) - Number(b)
  return difference < 0 || (difference === 0 && BigInt(a) < BigInt(b))
}

/**
 * Fields and values alternate. A value is followed by as many unused bytes as the byte before it
 * says.
 */
export function readZipmap(blob: string): string[] | undefined {
  if (blob.length < 2) return undefined
  const walk = new Walk(blob, 1)
  const items: string[] = []
  while (walk.hasMore) {
    const field = walk.text(zipmapLength(walk))
    const length = zipmapLength(walk)
    const unused = walk.code()
    const value = walk.text(length)
    if (field === undefined || value === undefined) return undefined
    items.push(field, value)
    walk.at += unused
  }
  const pairs = blob.charCodeAt(0)
  const counts = pairs >= 254 || 2 * pairs === items.length
  return walk.isAtEnd && counts ? items : undefined
}

/**
 * A position in a blob. Reading beyond its end gives NaN, and a position that has become NaN is
 * neither at the end nor before it, so the walk stops there and fails.
 */
class Walk {
  readonly blob: string
  at: number

  constructor(blob: string, at: number) {
    this.blob = blob
    this.at = at
  }

  get hasMore(): boolean {
    return this.at < this.blob.length && this.blob.charCodeAt(this.at) !== END
  }

  get isAtEnd(): boolean {
    return this.at === this.blob.length - 1
  }

  code(): number {
    return this.blob.charCodeAt(this.at++)
  }

  /** A string never reaches the last byte, which is the end mark. */
  text(length: number): string | undefined {
    const from = this.at
    const end = from + length
    if (!(end < this.blob.length)) return undefined
    this.at = end
    return ownSlice(this.blob, from, end)
  }

  integer(width: number): string | undefined {
    const from = this.at
    if (!(from + width < this.blob.length)) return undefined
    this.at = from + width
    return signedText(this.blob, from, width)
  }

  /** A four-byte length. */
  long(decode: (bytes: string, at: number) => number): number {
    this.at += 4
    return decode(this.blob, this.at - 4)
  }
}

function countHolds(announced: number, items: readonly string[]): boolean {
  return announced === COUNT_UNKNOWN || announced === items.length
}

function listpackElement(walk: Walk): string | undefined {
  const first = walk.code()
  if (first < 0x80) return String(first)
  if (first < 0xc0) return walk.text(first & 0x3f)
  if (first < 0xe0) return shortInteger(((first & 0x1f) << 8) | walk.code())
  if (first < 0xf0) return walk.text(((first & 0x0f) << 8) | walk.code())
  if (first === 0xf0) return walk.text(walk.long(uint32))
  const width = LISTPACK_INTEGER_BYTES[first - 0xf1]
  return width === undefined ? undefined : walk.integer(width)
}

/** Thirteen bits, in two's complement. */
function shortInteger(bits: number): string {
  return String(bits >= 4096 ? bits - 8192 : bits)
}

const LISTPACK_INTEGER_BYTES = [2, 3, 4, 8]

/**
 * Behind an element stands its length, for a reader that comes from the end. False if it is another one: Redis would
 * find other elements than we do.
 */
function skipsBackLength(walk: Walk, elementBytes: number): boolean {
  if (elementBytes <= 127) return walk.code() === elementBytes
  const { blob, at } = walk
  const length = backlen(elementBytes)
  walk.at += length.length
  return blob.startsWith(length, at)
}

/** Lengths of strings are big-endian in ziplists, everything else is little-endian. */
function ziplistElement(walk: Walk): string | undefined {
  const first = walk.code()
  if (first < 0x40) return walk.text(first)
  if (first < 0x80) return walk.text(((first & 0x3f) << 8) | walk.code())
  if (first < 0xc0) return walk.text(walk.long(uint32BigEndian))
  if (first >= 0xf1 && first <= 0xfd) return String(first - 0xf1)
  const width = ZIPLIST_INTEGER_BYTES.get(first)
  return width === undefined ? undefined : walk.integer(width)
}

const ZIPLIST_INTEGER_BYTES: ReadonlyMap<number, number> = new Map([
  [0xc0, 2],
  [0xd0, 4],
  [0xe0, 8],
  [0xf0, 3],
  [0xfe, 1],
])

/** NaN where no length is allowed, which fails in `text`. */
function zipmapLength(walk: Walk): number {
  const first = walk.code()
  if (first < 254) return first
  return first === 254 ? walk.long(uint32) : Number.NaN
}
