/**
 * Finds the position of a key by its hash: extendible hashing (Fagin, Nievergelt, Pippenger and Strong,
 * 1979). A directory of a power of two of pointers names, for the lower bits of a hash, a segment of at
 * most about a thousand keys. A full segment is split in two by one more bit, and the directory doubles
 * when it has no bit left: so one insertion moves the keys of one segment at the most, however many there
 * are. Segments with few keys are put together again.
 *
 * Hashes that are alike cannot be told apart. An insertion splits once: when that has separated nothing,
 * the segment has grown past its bound to twice the slots, and is split again only when these are full. So
 * the directory doubles no more often than the number of keys that are alike.
 */
import { type KeyPages, NOWHERE } from './key-pages.ts'
import { homeOf, SEGMENT_SLOTS, Segment } from './key-segment.ts'

/** The bits above choose the place within a segment. Enough for 2^29 keys. */
const MAX_DEPTH = 20

/** A segment that uses fewer than one slot of so many is made smaller, or joined with its sibling. */
const SPARSE = 8

/** What two segments may have together to be joined: far from what makes them split again. */
const FEW_TOGETHER = (SEGMENT_SLOTS * 3) / 8

export class KeyIndex {
  readonly #pages: Pick<KeyPages<unknown>, 'keyAt'>
  #directory: Segment[] = [new Segment(0)]
  /** How many segments were chosen by so many bits. */
  #byDepth = [1]
  #size = 0
  #moves = 0

  constructor(pages: Pick<KeyPages<unknown>, 'keyAt'>) {
    this.#pages = pages
  }

  get segments(): number {
    return this.#byDepth.reduce((sum, count) => sum + count, 0)
  }

  /** How many slots all segments have together. */
  get slots(): number {
    return [...new Set(this.#directory)].reduce((sum, { slots }) => sum + slots, 0)
  }

  get pointers(): number {
    return this.#directory.length
  }

  /** How often the place of a key in the index was copied to another array, ever. */
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

  /** The key must not be there yet. */
  add(hash: number, position: number): void {
    this.#size++
    if (this.#segmentOf(hash).isFull) this.#makeRoom(hash)
    this.#segmentOf(hash).put(hash, position + 1)
  }

  /** It must be there. */
  remove(hash: number, position: number): void {
    const segment = this.#segmentOf(hash)
    segment.remove(hash, position + 1)
    if (--this.#size === 0) return this.#reset()
    if (segment.used * SPARSE < segment.slots) this.#tighten(segment, hash)
  }

  #segmentOf(hash: number): Segment {
    const directory = this.#directory
    return directory[hash & (directory.length - 1)] as Segment
  }

  #reset(): void {
    this.#directory = [new Segment(0)]
    this.#byDepth = [1]
  }

  #makeRoom(hash: number): void {
    const segment = this.#segmentOf(hash)
    if (segment.slots >= SEGMENT_SLOTS && this.#hasBitFor(segment)) this.#split(segment, hash)
    const target = this.#segmentOf(hash)
    if (target.isFull) this.#moves += target.resize(target.slots)
  }

  /** Whether there is one more bit to split it by. */
  #hasBitFor({ depth }: Segment): boolean {
    if (1 << depth < this.#directory.length) return true
    if (depth === MAX_DEPTH) return false
    this.#directory = this.#directory.concat(this.#directory)
    return true
  }

  #split(segment: Segment, hash: number): void {
    this.#moves += segment.used
    const sibling = segment.split()
    const bit = 1 << (segment.depth - 1)
    this.#count(segment.depth - 1, -1)
    this.#count(segment.depth, 2)
    this.#point((hash & (bit - 1)) | bit, 2 * bit, sibling)
  }

  /** A segment has many slots for its keys. */
  #tighten(segment: Segment, hash: number): void {
    if (segment.depth > 0) this.#join(segment, hash)
    else this.#moves += segment.resize(segment.used)
  }

  #join(segment: Segment, hash: number): void {
    const { depth } = segment
    const bit = 1 << (depth - 1)
    const sibling = this.#segmentOf(hash ^ bit)
    if (sibling.depth !== depth || segment.used + sibling.used > FEW_TOGETHER) return
    this.#moves += segment.merge(sibling)
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
