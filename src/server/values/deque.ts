/**
 * A list with two cheap ends and cheap access by index: a ring in an array whose length is a power of
 * two. Redis lists are queues far more often than anything else, so both ends cost the same, and only
 * inserting into or removing from the middle moves elements.
 *
 * While a reader needs the list as it was at a moment, the item of a place is noted before another one
 * replaces it (kept-items.ts). Only a list that moves to another ring leaves the old one unchanged.
 */
import { assert } from '../../base/assert.ts'
import { arrayBytes, objectBytes, textBytes } from './engine-sizes.ts'
import { KeptItems } from './kept-items.ts'

const MIN_CAPACITY = 8
const OWN_BYTES = objectBytes(5)

export class Deque implements Iterable<string> {
  #ring: (string | undefined)[] = new Array(MIN_CAPACITY)
  /** The place of the first element. */
  #head = 0
  #length = 0
  /** What the elements take. */
  #contentBytes = 0
  /** For the latest reader of the ring's earlier state. */
  #kept: KeptItems | undefined

  constructor(items: Iterable<string> = []) {
    for (const item of items) this.pushRight(item)
  }

  /** Shares nothing with this list. The engine copies the ring as a whole, which takes a few ms for a million. */
  copy(): Deque {
    const copy = new Deque()
    copy.#ring = this.#ring.slice()
    copy.#head = this.#head
    copy.#length = this.#length
    copy.#contentBytes = this.#contentBytes
    return copy
  }

  get length(): number {
    return this.#length
  }

  /** What the list takes in memory. */
  get heapBytes(): number {
    return OWN_BYTES + arrayBytes(this.#ring.length) + this.#contentBytes
  }

  /** The element at `index`, from 0; undefined beyond the end. */
  at(index: number): string | undefined {
    if (index < 0 || index >= this.#length) return undefined
    return this.#ring[(this.#head + index) & (this.#ring.length - 1)]
  }

  set(index: number, item: string): void {
    assert(index >= 0 && index < this.#length, 'only an existing element is set')
    const place = (this.#head + index) & (this.#ring.length - 1)
    const old = this.#ring[place] as string
    this.#kept?.note(place, old)
    this.#ring[place] = item
    this.#contentBytes += textBytes(item.length) - textBytes(old.length)
  }

  pushLeft(item: string): void {
    if (this.#length === this.#ring.length) this.#resize(2 * this.#ring.length)
    this.#head = (this.#head - 1) & (this.#ring.length - 1)
    this.#ring[this.#head] = item
    this.#length++
    this.#contentBytes += textBytes(item.length)
  }

  pushRight(item: string): void {
    if (this.#length === this.#ring.length) this.#resize(2 * this.#ring.length)
    this.#ring[(this.#head + this.#length) & (this.#ring.length - 1)] = item
    this.#length++
    this.#contentBytes += textBytes(item.length)
  }

  popLeft(): string | undefined {
    if (this.#length === 0) return undefined
    const item = this.#ring[this.#head] as string
    this.#kept?.note(this.#head, item)
    this.#contentBytes -= textBytes(item.length)
    this.#ring[this.#head] = undefined
    this.#head = (this.#head + 1) & (this.#ring.length - 1)
    this.#length--
    this.#shrink()
    return item
  }

  popRight(): string | undefined {
    if (this.#length === 0) return undefined
    this.#length--
    const at = (this.#head + this.#length) & (this.#ring.length - 1)
    const item = this.#ring[at] as string
    this.#kept?.note(at, item)
    this.#contentBytes -= textBytes(item.length)
    this.#ring[at] = undefined
    this.#shrink()
    return item
  }

  /** Puts `item` before the element that is at `index` now; `index` may be the length. */
  insert(index: number, item: string): void {
    // Noting half the list would take longer than copying all of it.
    if (this.#kept !== undefined) this.#moveTo(this.#ring.slice(), this.#head)
    this.pushRight(item)
    for (let at = this.#length - 1; at > index; at--) this.set(at, this.at(at - 1) as string)
    this.set(index, item)
  }

  /** Elements `from` to `to`, both included and both within bounds. */
  slice(from: number, to: number): string[] {
    if (from > to) return []
    const [ring, first] = [this.#ring, (this.#head + from) & (this.#ring.length - 1)]
    const end = first + to - from + 1
    if (end <= ring.length) return ring.slice(first, end) as string[]
    return ring.slice(first).concat(ring.slice(0, end - ring.length)) as string[]
  }

  /** Removes the elements at these indexes, which ascend; there is at least one. Only one side of the list moves. */
  remove(indexes: readonly number[]): void {
    const [first = 0, last = 0] = [indexes[0], indexes.at(-1)]
    for (const index of indexes) this.#contentBytes -= textBytes((this.at(index) as string).length)
    // Noting half the list would take longer than copying all of it.
    if (this.#kept !== undefined) this.#moveTo(this.#ring.slice(), this.#head)
    if (this.#length - first <= last) this.#closeGaps(indexes, 1)
    else this.#closeGaps(indexes.toReversed(), -1)
    this.#shrink()
  }

  /** `step`: -1 if the elements before the gaps move, for which the indexes descend. */
  #closeGaps(indexes: readonly number[], step: 1 | -1): void {
    const [ring, head, mask] = [this.#ring, this.#head, this.#ring.length - 1]
    const end = step === 1 ? this.#length : -1
    let to = indexes[0] as number
    let gaps = 0
    for (let from = to; from !== end; from += step) {
      if (from === indexes[gaps]) gaps++
      else {
        ring[(head + to) & mask] = ring[(head + from) & mask]
        to += step
      }
    }
    for (; to !== end; to += step) ring[(head + to) & mask] = undefined
    if (step === -1) this.#head = (head + gaps) & mask
    this.#length -= gaps
  }

  /** Removes and returns up to `count` elements from the left. */
  takeLeft(count: number): string[] {
    const items = this.slice(0, Math.min(count, this.#length) - 1)
    this.trim(items.length, this.#length - 1)
    return items
  }

  /** The same from the right, the last element first. */
  takeRight(count: number): string[] {
    const items = this.slice(Math.max(0, this.#length - count), this.#length - 1).reverse()
    this.trim(0, this.#length - items.length - 1)
    return items
  }

  /** Keeps only elements `from` to `to`, both included and both within bounds. */
  trim(from: number, to: number): void {
    const length = to - from + 1
    if (length < this.#length / 2) return this.#restart(this.slice(from, to))
    for (let excess = this.#length - 1 - to; excess > 0; excess--) this.popRight()
    for (let excess = from; excess > 0; excess--) this.popLeft()
  }

  /** The elements as they are now, whatever happens to the list, until `letGo`. */
  keep(): KeptItems {
    this.#kept = new KeptItems(this.#ring, this.#head, this.#length)
    return this.#kept
  }

  /** The reader no longer needs these. */
  letGo(kept: KeptItems): void {
    if (this.#kept === kept) this.#kept = undefined
  }

  *[Symbol.iterator](): IterableIterator<string> {
    for (let index = 0; index < this.#length; index++) yield this.at(index) as string
  }

  #restart(items: string[]): void {
    this.#length = items.length
    this.#contentBytes = items.reduce((sum, { length }) => sum + textBytes(length), 0)
    items.length = Math.max(MIN_CAPACITY, 2 ** Math.ceil(Math.log2(items.length)))
    this.#moveTo(items, 0)
  }

  /** A queue that was once long must not keep its memory for ever. */
  #shrink(): void {
    let capacity = this.#ring.length
    while (capacity > MIN_CAPACITY && this.#length * 4 <= capacity) capacity /= 2
    if (capacity < this.#ring.length) this.#resize(capacity)
  }

  #resize(capacity: number): void {
    const ring: (string | undefined)[] = new Array(capacity)
    for (let index = 0; index < this.#length; index++) ring[index] = this.at(index)
    this.#moveTo(ring, 0)
  }

  #moveTo(ring: (string | undefined)[], head: number): void {
    this.#ring = ring
    this.#head = head
    this.#kept = undefined
  }
}
