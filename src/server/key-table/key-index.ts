/**
 * Finds the position of a key by its hash: extendible hashing (Fagin, Nievergelt, Pippenger and Strong,
 * 1979). A directory of a power of two of pointers names, for the lower bits of a hash, a segment of at
 * most about a thousand keys. A full segment is split in two by one more bit, and the directory doubles
 * when it has no bit left: so one insertion moves at most the keys of one segment, however many keys there
 * are. Segments with few keys are joined again.
 *
 * Equal hashes cannot be separated. An insertion splits once: if that separates nothing, the segment grows
 * past its bound to twice the slots, and is split again only when these are full. So the directory doubles
 * no more often than the number of keys with equal hashes does.
 */
import { type KeyPages, NOWHERE } from './key-pages.ts'
import { homeOf, MIN_SLOTS, SEGMENT_SLOTS, Segment } from './key-segment.ts'

/** The bits above choose the place within a segment. Enough for 2^29 keys. */
const MAX_DEPTH = 20

/** A segment that uses fewer than one in this many slots is made smaller, or joined with its sibling. */
const SPARSE = 8

/**
 * How many keys two segments may have together to be joined: far below the number that splits them
 * again.
 */
const FEW_TOGETHER = (SEGMENT_SLOTS * 3) / 8

/** A segment and its array, besides the slots. */
const SEGMENT_BYTES = 250
const SLOT_BYTES = 8
const POINTER_BYTES = 8

export class KeyIndex {
  readonly #pages: Pick<KeyPages<unknown>, 'keyAt'>
  #directory: Segment[] = [new Segment(0)]
  /** How many segments are chosen by how many bits. */
  #byDepth = [1]
  #size = 0
  #slots = MIN_SLOTS
  #moves = 0

  constructor(pages: Pick<KeyPages<unknown>, 'keyAt'>) {
    this.#pages = pages
  }

  /** The same index for a copy of the pages. */
  copy(pages: Pick<KeyPages<unknown>, 'keyAt'>): KeyIndex {
    const copy = new KeyIndex(pages)
    const copies = new Map<Segment, Segment>()
    for (const segment of new Set(this.#directory)) copies.set(segment, segment.copy())
    copy.#directory = this.#directory.map((segment) => copies.get(segment) as Segment)
    copy.#byDepth = this.#byDepth.slice()
    copy.#size = this.#size
    copy.#slots = this.#slots
    return copy
  }

  get segments(): number {
    return this.#byDepth.reduce((sum, count) => sum + count, 0)
  }

  /** How many slots all segments have together. */
  get slots(): number {
    return this.#slots
  }

  /** What the index takes in memory. */
  get heapBytes(): number {
    const { segments, slots, pointers } = this
    return SEGMENT_BYTES * segments + SLOT_BYTES * slots + POINTER_BYTES * pointers
  }

  get pointers(): number {
    return this.#directory.length
  }

  /** How many times an entry of the index has been copied to another array, in all. */
  get moves(): number {
    return this.#moves
  }

  /** The position of the key, or `NOWHERE`. */
  find(hash: number, key: string): number {
    const { cells } = this.#segmentOf(hash)
    const mask = cells.length - 1
    for (let at = homeOf(hash, cells); ; at = (at + 2) & mask) {
      const place = cells[at + 1] as number
      if (place === 0) return NOWHERE
      if (cells[at] === hash && this.#pages.keyAt(place - 1) === key) return place - 1
    }
  }

  /** The position of the first key with this hash, or `NOWHERE`. */
  firstWith(hash: number): number {
    const { cells } = this.#segmentOf(hash)
    const mask = cells.length - 1
    for (let at = homeOf(hash, cells); ; at = (at + 2) & mask) {
      const place = cells[at + 1] as number
      if (place === 0 || cells[at] === hash) return place - 1
    }
  }

  /** The key must not be in the index yet. */
  add(hash: number, position: number): void {
    this.#size++
    if (this.#segmentOf(hash).isFull) this.#makeRoom(hash)
    this.#segmentOf(hash).put(hash, position + 1)
  }

  /** The key must be in the index. */
  remove(hash: number, position: number): void {
    const segment = this.#segmentOf(hash)
    segment.remove(hash, position + 1)
    if (--this.#size === 0) return this.#reset()
    if (segment.used * SPARSE < segment.slots) this.#tighten(segment, hash)
  }

  /**
   * The positions of about `count` keys whose hashes stand side by side, from a random place on. Each key
   * is about as likely as any other: hashes are scattered, and segments are filled alike.
   */
  sample(count: number, below: (bound: number) => number): number[] {
    const directory = this.#directory
    const found: number[] = []
    if (this.#size === 0) return found
    let pointer = below(directory.length)
    for (let steps = directory.length; steps > 0 && found.length < count; steps--) {
      const segment = directory[pointer] as Segment
      segment.sample(found, count, below(segment.slots))
      pointer = (pointer + 1) & (directory.length - 1)
    }
    return found
  }

  #segmentOf(hash: number): Segment {
    const directory = this.#directory
    return directory[hash & (directory.length - 1)] as Segment
  }

  #reset(): void {
    this.#directory = [new Segment(0)]
    this.#byDepth = [1]
    this.#slots = MIN_SLOTS
  }

  #makeRoom(hash: number): void {
    const segment = this.#segmentOf(hash)
    if (segment.slots >= SEGMENT_SLOTS && this.#hasBitFor(segment)) this.#split(segment, hash)
    const target = this.#segmentOf(hash)
    if (target.isFull) this.#resize(target, target.slots)
  }

  /** Whether there is one more bit to split the segment by. */
  #hasBitFor({ depth }: Segment): boolean {
    if (1 << depth < this.#directory.length) return true
    if (depth === MAX_DEPTH) return false
    this.#directory = this.#directory.concat(this.#directory)
    return true
  }

  #split(segment: Segment, hash: number): void {
    this.#moves += segment.used
    const before = segment.slots
    const sibling = segment.split()
    this.#slots += segment.slots + sibling.slots - before
    const bit = 1 << (segment.depth - 1)
    this.#count(segment.depth - 1, -1)
    this.#count(segment.depth, 2)
    this.#point((hash & (bit - 1)) | bit, 2 * bit, sibling)
  }

  /** Called for a segment with too many slots for its keys. */
  #tighten(segment: Segment, hash: number): void {
    if (segment.depth > 0) this.#join(segment, hash)
    else this.#resize(segment, segment.used)
  }

  #resize(segment: Segment, count: number): void {
    const before = segment.slots
    this.#moves += segment.resize(count)
    this.#slots += segment.slots - before
  }

  #join(segment: Segment, hash: number): void {
    const { depth } = segment
    const bit = 1 << (depth - 1)
    const sibling = this.#segmentOf(hash ^ bit)
    if (sibling.depth !== depth || segment.used + sibling.used > FEW_TOGETHER) return
    const before = segment.slots + sibling.slots
    this.#moves += segment.merge(sibling)
    this.#slots += segment.slots - before
    this.#count(depth, -2)
    this.#count(depth - 1, 1)
    this.#point(hash & (bit - 1), bit, segment)
    while (this.#isTwice) this.#directory = this.#directory.slice(0, this.#directory.length / 2)
  }

  /** Whether no segment needs the last bit of the directory. */
  get #isTwice(): boolean {
    const pointers = this.#directory.length
    return pointers > 1 && this.#byDepth[Math.log2(pointers)] === 0
  }

  #count(depth: number, change: number): void {
    this.#byDepth[depth] = (this.#byDepth[depth] ?? 0) + change
  }

  #point(from: number, step: number, segment: Segment): void {
    for (let at = from; at < this.#directory.length; at += step) this.#directory[at] = segment
  }
}
