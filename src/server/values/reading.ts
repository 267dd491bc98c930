/**
 * Reading a collection element by element while commands go on: a writer may stop at any point. As long
 * as the collection does not change it is read as it is; before code changes it, it calls `freeze`, and
 * from then on the reading returns what was there at that moment. None of this costs as much as a copy:
 * sets and hashes note what changes (kept-elements.ts), and so do lists (kept-items.ts); sorted sets
 * copy only the chunks that change (zset-order.ts), and so do streams, which are read in another way.
 */
import type { Deadlines } from './deadlines.ts'
import type { Deque } from './deque.ts'
import { KeptElements } from './kept-elements.ts'
import type { KeptItems } from './kept-items.ts'
import { KeptMap, KeptSet } from './kept-map.ts'
import type { Scored, SortedSet } from './sorted-set.ts'
import type { HashValue, SetValue } from './value.ts'

/** What the owner of a reading must tell it. */
export interface Hold {
  /** The value is about to change. Called once at most. */
  freeze(): void
  /** The reader is finished. False if not everything is tidied up yet: call it again. */
  release(): boolean
}

export interface Reading<T> extends Hold {
  /** Undefined at the end. */
  next(): T | undefined
}

/** How many elements one `release` deletes at most: some ten microseconds. */
const STEPS_PER_RELEASE = 64

export class ItemReading implements Reading<string> {
  readonly #items: Deque
  #kept: KeptItems | undefined
  #at = 0

  constructor(items: Deque) {
    this.#items = items
  }

  next(): string | undefined {
    return (this.#kept ?? this.#items).at(this.#at++)
  }

  freeze(): void {
    this.#kept = this.#items.keep()
  }

  release(): boolean {
    if (this.#kept !== undefined) this.#items.letGo(this.#kept)
    return true
  }
}

export class MemberReading implements Reading<string> {
  readonly #value: SetValue
  readonly #rest: Iterator<string>
  #kept: KeptSet | undefined

  constructor(value: SetValue) {
    putInOrder(value.members)
    this.#value = value
    this.#rest = value.members.values()
  }

  next(): string | undefined {
    for (let step = this.#rest.next(); step.done !== true; step = this.#rest.next()) {
      if (this.#kept === undefined || this.#kept.isKept(step.value)) return step.value
    }
    return undefined
  }

  freeze(): void {
    this.#kept = new KeptSet(this.#value)
    this.#value.members = this.#kept
  }

  release(): boolean {
    return isReleased(this.#kept)
  }
}

export class FieldReading implements Reading<readonly [field: string, value: string]> {
  readonly #value: HashValue
  readonly #rest: Iterator<[string, string]>
  readonly #expiries: Deadlines | undefined
  #kept: KeptMap | undefined

  constructor(value: HashValue) {
    putInOrder(value.fields)
    this.#value = value
    this.#expiries = value.expiries
    this.#rest = value.fields[Symbol.iterator]()
  }

  next(): readonly [string, string] | undefined {
    for (let step = this.#rest.next(); step.done !== true; step = this.#rest.next()) {
      if (this.#kept === undefined) return step.value
      const [field, current] = step.value
      const value = this.#kept.kept(field, current)
      if (value !== undefined) return [field, value]
    }
    return undefined
  }

  /** When the field expires that was returned last, in wall-clock milliseconds. */
  expiryOf(field: string): number | undefined {
    return this.#expiries?.kept(field)
  }

  freeze(): void {
    this.#kept = new KeptMap(this.#value)
    this.#value.fields = this.#kept
    this.#expiries?.keep()
  }

  release(): boolean {
    this.#expiries?.letGo()
    return isReleased(this.#kept)
  }
}

export class ScoreReading implements Reading<Scored> {
  readonly #set: SortedSet
  #rest: Iterator<Scored>
  #taken = 0

  constructor(set: SortedSet) {
    this.#set = set
    this.#rest = set[Symbol.iterator]()
  }

  next(): Scored | undefined {
    const step = this.#rest.next()
    if (step.done === true) return undefined
    this.#taken++
    return step.value
  }

  freeze(): void {
    this.#rest = this.#set.frozen(this.#taken)
  }

  release(): boolean {
    return true
  }
}

/** An earlier reading that was given up may have left elements to delete. */
function putInOrder(elements: object): void {
  if (elements instanceof KeptElements && !elements.isRead) elements.settle(Infinity)
}

function isReleased(kept: KeptElements | undefined): boolean {
  if (kept === undefined) return true
  kept.release()
  return kept.settle(STEPS_PER_RELEASE)
}
