/**
 * The members of a set, or the fields of a hash, while a reader still needs them as they were at a
 * moment. Changes are noted beside the collection, and nothing is copied: the first change of a million
 * elements costs no more than any other.
 *
 * New elements go into the collection itself, and the reader leaves them out. An old element that is deleted has to stay in place, because the reader may not have reached
 * it yet. It is marked as gone, and if it comes back it is kept aside. When the reading is over, the
 * elements marked as gone are really deleted, a few at a time, and then the collection is used as
 * before.
 *
 * A scan of a Map or a Set ends after as many elements as there were when it began, so these have to come before
 * all later ones: an element that came back comes first here, and is put at the end of the collection.
 */
import { assert } from '../../base/assert.ts'

/** How many elements each change tidies up, once the reading is over. */
const STEPS_PER_CHANGE = 32

/** What Set and Map, and tables, have in common. */
interface Collection {
  readonly size: number
  readonly contentBytes: number
  readonly tableBytes?: number | undefined
  readonly isTable?: boolean | undefined
  has(key: string): boolean
  delete(key: string): boolean
  keys(): IterableIterator<string>
}

export abstract class KeptElements {
  /** For scans, which may begin with one and continue with the other. */
  readonly origin: Collection
  /** Elements that were not there at the moment; they are in the collection. */
  protected added = new Set<string>()
  /**
   * Elements that were there at the moment and were deleted since; they are still in the
   * collection.
   */
  readonly #gone = new Set<string>()
  /** Deleted elements that came back, with their values. */
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

  /** What is marked as gone is still there. What came back is not counted until it is in its place. */
  get contentBytes(): number {
    return this.origin.contentBytes
  }

  get tableBytes(): number | undefined {
    return this.origin.tableBytes
  }

  get isTable(): boolean | undefined {
    return this.origin.isTable
  }

  has(key: string): boolean {
    return this.isGone(key) ? this.regained.has(key) : this.origin.has(key)
  }

  /** Returns whether the key was there. */
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

  /** The reader is finished. */
  release(): void {
    this.#isRead = false
    this.added = new Set()
  }

  /** Deletes elements marked as gone, up to `steps`; true if nothing is left to do. */
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

  /** Puts the collection itself in the place of this object. */
  protected abstract replaceBy(origin: Collection): void
  protected abstract putIn(key: string, value: string): void

  /** Whether the collection's element has been deleted. */
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

  /** An element that the reader needs as it is gets another value. */
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
