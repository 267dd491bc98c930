/**
 * Keys that the requests a client has just sent will name, found in their table before their turns come
 * (sessions/look-ahead.ts). Each is kept as the text that the table has, together with its hash: the request
 * gets this text instead of a copy from the input, and the look-up finds it without computing the hash again.
 *
 * Both are true whatever happens meanwhile: a text stays a text, and its hash is the same in every table of the node.
 */
import type { KeyHash } from './key-hash.ts'

/** What comes after so many is read as if nothing had been foreseen. */
export const MOST_FORESEEN = 1024

export class ForeseenKeys {
  /** For all tables of the node: knows the hash of the keys that the present request names. */
  readonly hash: KeyHash
  readonly #compute: KeyHash
  /** Nothing behind the last one, so that a look beyond it finds nothing. */
  readonly #keys: (string | undefined)[] = new Array(MOST_FORESEEN + 2).fill(undefined)
  #count = 0
  readonly #places = new Int32Array(MOST_FORESEEN)
  readonly #hashes = new Int32Array(MOST_FORESEEN)
  /** The first one whose place has not been read yet. */
  #unread = 0
  /** The one that is looked up at present, or the one before it. */
  #sought = 0

  constructor(compute: KeyHash) {
    this.#compute = compute
    this.hash = (text, from, to) =>
      from === undefined ? this.#hashOf(text) : compute(text, from, to)
  }

  /** Before another input is looked at. */
  clear(): void {
    if (this.#count === 0) return
    this.#keys.fill(undefined, 0, this.#count)
    this.#count = 0
    this.#unread = 0
    this.#sought = 0
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** `place`: where the key stands in the input; each comes after the one before. */
  add(place: number, key: string, hash: number): void {
    if (this.#count === MOST_FORESEEN) return
    const at = this.#count++
    this.#places[at] = place
    this.#hashes[at] = hash
    this.#keys[at] = key
  }

  /** The request that begins at this place of the input is about to be read. */
  requestBegins(place: number): void {
    this.#passTo(place)
    this.#sought = this.#unread
  }

  /** The key that stands at this place; undefined if none was foreseen there. */
  wordAt(place: number): string | undefined {
    this.#passTo(place)
    return this.#places[this.#unread] === place ? this.#keys[this.#unread] : undefined
  }

  #passTo(place: number): void {
    const count = this.#count
    while (this.#unread < count && (this.#places[this.#unread] as number) < place) this.#unread++
  }

  #hashOf(key: string): number {
    const keys = this.#keys
    const at = this.#sought
    if (key === keys[at]) return this.#hashes[at] as number
    if (key !== keys[at + 1]) return this.#compute(key)
    this.#sought = at + 1
    return this.#hashes[at + 1] as number
  }
}
