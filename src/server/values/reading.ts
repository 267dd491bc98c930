/**
 * Reading a collection element by element while commands go on: a writer stops wherever it likes. As
 * long as nobody changes the collection it is read as it is; whoever is about to change it says `freeze`
 * first, and from then on the reading gives what there was at that moment. None of this costs as much as
 * a copy: sets and hashes note what changes (kept-elements.ts), lists too (kept-items.ts), and of sorted
 * sets only the chunks are copied that change (zset-order.ts), as of streams, which are read otherwise.
 */
import type { Deque } from './deque.ts'
import { KeptElements } from './kept-elements.ts'
import type { KeptItems } from './kept-items.ts'
import { KeptMap } from './kept-map.ts'
import { KeptSet } from './kept-set.ts'
import type { Scored, SortedSet } from './sorted-set.ts'
import type { HashValue, SetValue } from './value.ts'

/** What whoever keeps a value for a reader has to be told. */
export interface Hold {
  /** The value is about to change; at most once. */
  freeze(): void
  /** Nobody reads on. False: not everything is in order again, ask once more. */
  release(): boolean
}

export interface Reading<T> extends Hold {
  /** Undefined at the end. */
  next(): T | undefined
}

/** What is deleted at most by one `release`: some ten microseconds. */
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
  #kept: KeptMap | undefined

  constructor(value: HashValue) {
    putInOrder(value.fields)
    this.#value = value
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

  freeze(): void {
    this.#kept = new KeptMap(this.#value)
    this.#value.fields = this.#kept
  }

  release(): boolean {
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

/** An earlier reading that was given up may have left something to be deleted. */
function putInOrder(elements: object): void {
  if (elements instanceof KeptElements && !elements.isRead) elements.settle(Infinity)
}

function isReleased(kept: KeptElements | undefined): boolean {
  if (kept === undefined) return true
  kept.release()
  return kept.settle(STEPS_PER_RELEASE)
}
