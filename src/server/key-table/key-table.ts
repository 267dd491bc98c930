/**
 * The keys of a database: what a Map of strings does, without its pauses. A Map copies everything when it
 * doubles, which at a million keys stops a node for a tenth of a second. Here no operation does more than
 * about a thousand small steps: the keys stand in pages that are never moved (key-pages.ts), and the index
 * that finds them grows piece by piece (key-index.ts).
 *
 * The order is that of the positions. It is the order of insertion as long as nothing is deleted; then new
 * keys take the positions that became free. A walk visits every key that exists from its beginning to its
 * end exactly once, whatever comes and goes meanwhile, and no deleted key; it stops at the last position
 * there was when it began, so it ends.
 *
 * Memory: 16 bytes per key in the pages and 11 to 21 in the index, besides the key and its value. When keys
 * are deleted the index shrinks too, to at most about 64 bytes for each key that is left. A page is given
 * back when the last of its 256 keys goes: after random deletions the 16 bytes of each key of the peak may
 * stay, for later keys, until fewer than one in a few hundred is left. A table without keys has an index of
 * 64 bytes.
 */
import type { KeyHash } from './key-hash.ts'
import { KeyIndex } from './key-index.ts'
import { KeyPages, NOWHERE } from './key-pages.ts'

/** The parts of a table; for tests and measurements. */
export interface TableFacts {
  readonly pages: number
  readonly segments: number
  readonly slots: number
  readonly pointers: number
  /** See `KeyIndex.moves`. */
  readonly moves: number
}

/** With less than one place in so many in use, it may take a hundred draws to find one. */
const SPARSEST_TO_DRAW = 16

/** The table, its pages and its index, before there is any key. */
const OWN_BYTES = 300

/** Where keys stand in a text, each from `from` to before `to`, and what was found of them in a table. */
export interface KeySpans {
  count: number
  readonly from: Int32Array
  readonly to: Int32Array
  readonly hashes: Int32Array
  /** The key with this hash; undefined if there is none. It may be another key. */
  readonly keys: (string | undefined)[]
}

export class KeyTable<V> {
  readonly hash: KeyHash
  readonly #pages: KeyPages<V>
  readonly #index: KeyIndex
  /** Used while keys are read ahead. */
  readonly #places: number[] = []

  constructor(hash: KeyHash, pages = new KeyPages<V>(), index = new KeyIndex(pages)) {
    this.hash = hash
    this.#pages = pages
    this.#index = index
  }

  /**
   * The same keys, with the same values, in a table that shares nothing with this one. As a whole, which takes a
   * tenth of the time of one key after the other, unless most positions are free: then the copy is the smaller
   * for it.
   */
  copy(): KeyTable<V> {
    if (2 * this.size >= this.#pages.end) {
      const pages = this.#pages.copy()
      return new KeyTable(this.hash, pages, this.#index.copy(pages))
    }
    const copy = new KeyTable<V>(this.hash)
    for (const [key, value] of this) copy.add(key, value)
    return copy
  }

  get size(): number {
    return this.#pages.live
  }

  /** What the table takes in memory, without keys and values. */
  get heapBytes(): number {
    return OWN_BYTES + this.#pages.heapBytes + this.#index.heapBytes
  }

  /** A table for some of the same keys, without any. */
  sibling<W>(): KeyTable<W> {
    return new KeyTable(this.hash)
  }

  get(key: string): V | undefined {
    const position = this.#index.find(this.hash(key), key)
    return position === NOWHERE ? undefined : this.#pages.valueAt(position)
  }

  has(key: string): boolean {
    return this.#index.find(this.hash(key), key) !== NOWHERE
  }

  /**
   * Reads what looking up each of these keys will read, step by step for all of them. `found` gets the values of
   * the keys that are found.
   */
  preload(
    text: string,
    { count, from, to, hashes, keys }: KeySpans,
    found: (V | undefined)[],
  ): void {
    const [index, pages, places] = [this.#index, this.#pages, this.#places]
    for (let at = 0; at < count; at++) hashes[at] = this.hash(text, from[at], to[at])
    for (let at = 0; at < count; at++) places[at] = index.firstWith(hashes[at] as number)
    for (let at = 0; at < count; at++) found[at] = pages.peek(places[at] as number)
    for (let at = 0; at < count; at++) {
      keys[at] = found[at] === undefined ? undefined : pages.keyAt(places[at] as number)
    }
  }

  /** An existing key stays where it is. */
  set(key: string, value: V): this {
    this.exchange(key, value)
    return this
  }

  /** The same; returns the value that the key had, undefined if it is new. */
  exchange(key: string, value: V): V | undefined {
    const hash = this.hash(key)
    const position = this.#index.find(hash, key)
    if (position === NOWHERE) {
      this.#index.add(hash, this.#pages.put(key, value))
      return undefined
    }
    const old = this.#pages.valueAt(position)
    this.#pages.setValueAt(position, value)
    return old
  }

  /** Returns false, and does nothing, if the key is there already. */
  add(key: string, value: V): boolean {
    const hash = this.hash(key)
    if (this.#index.find(hash, key) !== NOWHERE) return false
    this.#index.add(hash, this.#pages.put(key, value))
    return true
  }

  /** Returns whether the key was there. */
  delete(key: string): boolean {
    return this.take(key) !== undefined
  }

  /** Removes the key and returns its value; undefined if it was not there. */
  take(key: string): V | undefined {
    const hash = this.hash(key)
    const position = this.#index.find(hash, key)
    if (position === NOWHERE) return undefined
    const value = this.#pages.valueAt(position)
    this.#index.remove(hash, position)
    this.#pages.remove(position)
    return value
  }

  /** The text by which the table keeps the key: other tables of this key need no copy of their own. */
  ownKey(key: string): string {
    const position = this.#index.find(this.hash(key), key)
    return position === NOWHERE ? key : this.#pages.keyAt(position)
  }

  /** About `count` random keys, or all if there are fewer. `below`: a random number below its argument. */
  sample(count: number, below: (bound: number) => number): string[] {
    const positions = this.#index.sample(Math.min(count, this.size), below)
    return positions.map((position) => this.#pages.keyAt(position))
  }

  /**
   * A random key, each equally likely: places are drawn until one is in use. Undefined if too few are for that to
   * take no time.
   */
  draw(below: (bound: number) => number): string | undefined {
    const { end, live } = this.#pages
    if (live === 0 || live * SPARSEST_TO_DRAW < end) return undefined
    for (;;) {
      const key = this.#pages.keyIfUsed(below(end))
      if (key !== undefined) return key
    }
  }

  keys(): KeyWalk<string> {
    const pages = this.#pages
    return new KeyWalk(pages, (position) => pages.keyAt(position))
  }

  values(): KeyWalk<V> {
    const pages = this.#pages
    return new KeyWalk(pages, (position) => pages.valueAt(position))
  }

  entries(): KeyWalk<[string, V]> {
    const pages = this.#pages
    return new KeyWalk(pages, (position) => [pages.keyAt(position), pages.valueAt(position)])
  }

  [Symbol.iterator](): KeyWalk<[string, V]> {
    return this.entries()
  }

  facts(): TableFacts {
    const { segments, slots, pointers, moves } = this.#index
    return { pages: this.#pages.held, segments, slots, pointers, moves }
  }
}

/** See above; the walk goes on whatever is done to the table between two steps. */
class KeyWalk<T> implements IterableIterator<T> {
  readonly #pages: Pick<KeyPages<unknown>, 'next'>
  readonly #at: (position: number) => T
  readonly #end: number
  #position = 0

  constructor(pages: Pick<KeyPages<unknown>, 'next' | 'end'>, at: (position: number) => T) {
    this.#pages = pages
    this.#at = at
    this.#end = pages.end
  }

  /** Whether nothing is left to visit, as things are now. */
  get isOver(): boolean {
    return this.#pages.next(this.#position, this.#end) === NOWHERE
  }

  next(): IteratorResult<T, undefined> {
    const position = this.#pages.next(this.#position, this.#end)
    if (position === NOWHERE) return { done: true, value: undefined }
    this.#position = position + 1
    return { done: false, value: this.#at(position) }
  }

  [Symbol.iterator](): this {
    return this
  }
}
