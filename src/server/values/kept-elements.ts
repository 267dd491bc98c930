/**
 * The members of a set, or the fields of a hash, while somebody still has to read them as they were at a
 * moment. What changes is noted beside the collection, and nothing is copied: the first change of a
 * million elements costs what any other does.
 *
 * New elements come after the old ones, so they go into the collection itself, and the reader leaves
 * them out. An old one that is deleted has to stay where it is: nobody can tell whether the reader has
 * passed it. It is marked as gone, and where it comes back it is kept aside. When the reading is over,
 * what is gone is really deleted, a bit at a time, and then the collection is used as before.
 *
 * A scan ends after as many elements as there were when it began, so these have to come before all that
 * come later: what came back comes first here, and is put at the end of the collection.
 */
import { assert } from '../../base/assert.ts'

/** How much is put in order by each change, once the reading is over. */
const STEPS_PER_CHANGE = 32

/** What a Set and a Map have in common. */
interface Collection {
  readonly size: number
  has(key: string): boolean
  delete(key: string): boolean
  keys(): IterableIterator<string>
}

export abstract class KeptElements {
  /** For scans, which begin with one and may go on with the other. */
  readonly origin: Collection
  /** Not there at the moment; they stand in the collection. */
  protected added = new Set<string>()
  /** There at the moment and deleted since; they stand in the collection all the same. */
  readonly #gone = new Set<string>()
  /** Those of them that came back, with what belongs to them. */
  protected readonly regained = new Map<string, string>()
  #isRead = true

  get isRead(): boolean {
    return this.#isRead
  }

  constructor(origin: Collection) {
    this.origin = origin
  }

  get size(): number {
    return this.origin.size - this.#gone.size + this.regained.size
  }

  has(key: string): boolean {
    return this.isGone(key) ? this.regained.has(key) : this.origin.has(key)
  }

  /** Whether it was there. */
  delete(key: string): boolean {
    this.#tidy(key)
    if (this.isGone(key)) return this.regained.delete(key)
    if (!this.#isRead || this.added.delete(key)) return this.origin.delete(key)
    if (!this.origin.has(key)) return false
    this.#gone.add(key)
    return true
  }

  *keys(): IterableIterator<string> {
    for (const key of [...this.regained.keys()]) if (this.has(key)) yield key
    for (const key of this.origin.keys()) if (!this.isGone(key)) yield key
  }

  /** Nobody reads any more. */
  release(): void {
    this.#isRead = false
    this.added = new Set()
  }

  /** Deletes what is gone, up to so many elements; true: nothing is left to be done. */
  settle(steps: number): boolean {
    assert(!this.#isRead, 'what is still read stays')
    let left = steps
    for (const key of this.#gone) {
      if (left-- <= 0) return false
      this.#settleOne(key)
    }
    this.replaceBy(this.origin)
    return true
  }

  /** Puts the collection itself in the place of this. */
  protected abstract replaceBy(origin: Collection): void
  protected abstract putIn(key: string, value: string): void

  /** Whether the element of the collection is not one any more. */
  protected isGone(key: string): boolean {
    return this.#gone.has(key)
  }

  protected put(key: string, value: string): void {
    this.#tidy(key)
    if (this.isGone(key)) {
      this.regained.set(key, value)
      return
    }
    if (this.#isRead && !this.origin.has(key)) this.added.add(key)
    else if (this.#isRead && !this.added.has(key)) this.noteOld(key)
    this.putIn(key, value)
  }

  /** An element the reader wants as it is gets another value. */
  protected noteOld(_key: string): void {}

  #tidy(key: string): void {
    if (this.#isRead) return
    this.#settleOne(key)
    this.settle(STEPS_PER_CHANGE)
  }

  #settleOne(key: string): void {
    if (!this.#gone.delete(key)) return
    this.origin.delete(key)
    const value = this.regained.get(key)
    if (value === undefined) return
    this.regained.delete(key)
    this.putIn(key, value)
  }
}
