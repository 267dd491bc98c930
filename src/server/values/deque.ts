/**
 * A list with two cheap ends and cheap access by index: a ring in an array whose length is a power of
 * two. Redis lists are queues far more often than anything else, so both ends cost the same, and only
 * inserting into or removing from the middle moves elements.
 *
 * While somebody reads the list as it was at a moment, what stood in a place is noted before something
 * else stands there (kept-items.ts). Only a list that gets another ring leaves the old one as it is.
 */
import { assert } from '../../base/assert.ts'
import { KeptItems } from './kept-items.ts'

const MIN_CAPACITY = 8

export class Deque implements Iterable<string> {
  #ring: (string | undefined)[] = new Array(MIN_CAPACITY)
  /** Where the first element lies. */
  #head = 0
  #length = 0
  /** For whoever still reads how this ring was. */
  #kept: KeptItems | undefined

  constructor(items: Iterable<string> = []) {
    for (const item of items) this.pushRight(item)
  }

  get length(): number {
    return this.#length
  }

  /** The element at `index`, from 0; undefined beyond the end. */
  at(index: number): string | undefined {
    if (index < 0 || index >= this.#length) return undefined
    return this.#ring[(this.#head + index) & (this.#ring.length - 1)]
  }

  set(index: number, item: string): void {
    assert(index >= 0 && index < this.#length, 'only an existing element is set')
    const place = (this.#head + index) & (this.#ring.length - 1)
    this.#kept?.note(place, this.#ring[place] as string)
    this.#ring[place] = item
  }

  pushLeft(item: string): void {
    if (this.#length === this.#ring.length) this.#resize(2 * this.#ring.length)
    this.#head = (this.#head - 1) & (this.#ring.length - 1)
    this.#ring[this.#head] = item
    this.#length++
  }

  pushRight(item: string): void {
    if (this.#length === this.#ring.length) this.#resize(2 * this.#ring.length)
    this.#ring[(this.#head + this.#length) & (this.#ring.length - 1)] = item
    this.#length++
  }

  popLeft(): string | undefined {
    if (this.#length === 0) return undefined
    const item = this.#ring[this.#head]
    this.#kept?.note(this.#head, item as string)
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
    const item = this.#ring[at]
    this.#kept?.note(at, item as string)
    this.#ring[at] = undefined
    this.#shrink()
    return item
  }

  /** Puts `item` before the element that is at `index` now; `index` may be the length. */
  insert(index: number, item: string): void {
    // Notes of half the list would take longer than a copy of the whole.
    if (this.#kept !== undefined) this.#moveTo(this.#ring.slice(), this.#head)
    this.pushRight(item)
    for (let at = this.#length - 1; at > index; at--) this.set(at, this.at(at - 1) as string)
    this.set(index, item)
  }

  /** Elements `from` to `to`, both included and both within bounds. */
  slice(from: number, to: number): string[] {
    const items: string[] = []
    for (let index = from; index <= to; index++) items.push(this.at(index) as string)
    return items
  }

  /** Keeps the elements for which `keeps` holds, in order. */
  filter(keeps: (item: string) => boolean): void {
    const kept = this.slice(0, this.#length - 1).filter(keeps)
    this.#restart(kept)
  }

  /** Keeps elements `from` to `to`, both included and both within bounds. */
  trim(from: number, to: number): void {
    const length = to - from + 1
    if (length < this.#length / 2) return this.#restart(this.slice(from, to))
    for (let excess = this.#length - 1 - to; excess > 0; excess--) this.popRight()
    for (let excess = from; excess > 0; excess--) this.popLeft()
  }

  /** The elements as they are now, whatever becomes of the list, until they are let go. */
  keep(): KeptItems {
    this.#kept = new KeptItems(this.#ring, this.#head, this.#length)
    return this.#kept
  }

  /** Nobody reads these any more. */
  letGo(kept: KeptItems): void {
    if (this.#kept === kept) this.#kept = undefined
  }

  *[Symbol.iterator](): IterableIterator<string> {
    for (let index = 0; index < this.#length; index++) yield this.at(index) as string
  }

  #restart(items: readonly string[]): void {
    this.#moveTo(new Array(MIN_CAPACITY), 0)
    this.#length = 0
    for (const item of items) this.pushRight(item)
  }

  /** A queue that was once long must not keep the room for ever. */
  #shrink(): void {
    const capacity = this.#ring.length
    if (capacity > MIN_CAPACITY && this.#length * 4 <= capacity) this.#resize(capacity / 2)
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
