/**
 * The keys of a database: what a Map of strings does, without its pauses. A Map copies everything when it
 * has doubled, which at a million keys stops a node for a tenth of a second. Here no operation does more
 * than about a thousand small steps: the keys stand in pages that are never moved (key-pages.ts), and the
 * index that finds them grows piece by piece (key-index.ts).
 *
 * The order is that of the positions. It is the order of insertion as long as nothing is deleted; then
 * what is new takes the places that became free. A walk meets every key that exists from its beginning to
 * its end exactly once, whatever comes and goes meanwhile, and nothing that is not there; it ends at what
 * was the last position when it began, so it ends.
 *
 * Memory: 16 bytes per key in the pages and 11 to 21 in the index, besides the key and its value. When keys
 * go the index follows, to at most about 64 bytes for each that is left. Pages are given back when the last
 * of their 256 keys goes: after random deletions the 16 bytes of each key of the peak may stay, for keys to
 * come, until fewer than one in a few hundred is left. A table without keys has an index of 64 bytes.
 */
import type { KeyHash } from './key-hash.ts'
import { KeyIndex } from './key-index.ts'
import { KeyPages, NOWHERE } from './key-pages.ts'

/** Of what a table consists; for tests and measurements. */
export interface TableFacts {
  readonly pages: number
  readonly segments: number
  readonly slots: number
  readonly pointers: number
  /** See `KeyIndex.moves`. */
  readonly moves: number
}

export class KeyTable<V> {
  readonly #hash: KeyHash
  readonly #pages = new KeyPages<V>()
  readonly #index = new KeyIndex(this.#pages)

  constructor(hash: KeyHash) {
    this.#hash = hash
  }

  get size(): number {
    return this.#pages.live
  }

  get(key: string): V | undefined {
    const position = this.#index.find(this.#hash(key), key)
    return position === NOWHERE ? undefined : this.#pages.valueAt(position)
  }

  has(key: string): boolean {
    return this.#index.find(this.#hash(key), key) !== NOWHERE
  }

  /** A key that is there stays where it is. */
  set(key: string, value: V): this {
    const hash = this.#hash(key)
    const position = this.#index.find(hash, key)
    if (position === NOWHERE) this.#index.add(hash, this.#pages.put(key, value))
    else this.#pages.setValueAt(position, value)
    return this
  }

  /** False, and nothing is done: it is there already. */
  add(key: string, value: V): boolean {
    const hash = this.#hash(key)
    if (this.#index.find(hash, key) !== NOWHERE) return false
    this.#index.add(hash, this.#pages.put(key, value))
    return true
  }

  /** Whether it was there. */
  delete(key: string): boolean {
    const hash = this.#hash(key)
    const position = this.#index.find(hash, key)
    if (position === NOWHERE) return false
    this.#index.remove(hash, position)
    this.#pages.remove(position)
    return true
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

/** See above; it goes on whatever is done to the table between two steps. */
export class KeyWalk<T> implements IterableIterator<T> {
  readonly #pages: Pick<KeyPages<unknown>, 'next'>
  readonly #at: (position: number) => T
  readonly #end: number
  #position = 0

  constructor(pages: Pick<KeyPages<unknown>, 'next' | 'end'>, at: (position: number) => T) {
    this.#pages = pages
    this.#at = at
    this.#end = pages.end
  }

  /** Whether nothing is left to be met, as things are now. */
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
