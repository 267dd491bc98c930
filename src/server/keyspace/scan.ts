/**
 * Cursors of SCAN, SSCAN and HSCAN. In a Set or Map no number could name a place that can be found again
 * after changes, but its iterators survive every change: they go on with what is there. So a cursor is the
 * number of an iterator kept here. An unknown cursor (forgotten here, or from another node) begins again,
 * which can repeat elements but never miss one.
 *
 * However fast other clients add elements, an iteration ends. In a Set or Map the elements that were there
 * from the beginning come before all that are added later: the iteration is complete once it has visited
 * as many as there were then. In a table of keys (key-table.ts) a new key may stand before an old one:
 * there the walk itself ends where the last key stood when it began. A collection that gets a table
 * (values/large.ts) is another one: iterations begin again.
 */

import { cString } from '../../base/c-string.ts'
import type { Rng } from '../../base/rng.ts'

/**
 * How many iterations may be under way; beyond that the oldest is forgotten. An abandoned one may keep
 * a collection in memory.
 */
const MAX_CURSORS = 1024

/**
 * Part of a cursor is random, or a cursor from another node could take over another client's
 * iteration.
 */
const RANDOM_PART = 2 ** 20

const MAX_UINT64 = 2n ** 64n - 1n

/** A Set, a Map or a table of keys. */
export interface Scannable {
  readonly size: number
  has(key: string): boolean
  keys(): IterableIterator<string>
  /**
   * The collection that this one replaces for a while (values/kept-elements.ts): an iteration of either
   * continues with the other.
   */
  readonly origin?: unknown
  /** It is a table of keys, or shows one: its iterators end by themselves. */
  readonly isTable?: boolean | undefined
}

/** Ends by itself, however many elements are added meanwhile. A table of keys makes such iterators. */
interface Walk extends Iterator<string> {
  /** Whether nothing is left to visit, as things are now. */
  readonly isOver: boolean
}

interface Iteration {
  /** The collection that `walk` visits. */
  readonly source: Scannable
  readonly origin: unknown
  readonly walk: Walk
}

export interface Page {
  /** `0` when the iteration is complete. */
  readonly cursor: string
  readonly keys: readonly string[]
}

export class ScanCursors {
  readonly #iterations = new Map<string, Iteration>()
  readonly #rng: Rng
  #started = 0

  constructor(rng: Rng) {
    this.#rng = rng
  }

  /** The next keys, up to `count`. */
  next(source: Scannable, cursor: string, count: number): Page {
    const iteration = this.#resume(source, cursor)
    const keys: string[] = []
    while (keys.length < count) {
      const { done, value } = iteration.walk.next()
      if (done === true) return { cursor: '0', keys }
      // An iterator of the collection behind `source` also visits what has been deleted.
      if (iteration.source === source || source.has(value)) keys.push(value)
    }
    return { cursor: iteration.walk.isOver ? '0' : this.#keep(iteration), keys }
  }

  #resume(source: Scannable, cursor: string): Iteration {
    const known = this.#iterations.get(cursor)
    if (known !== undefined && known.origin === originOf(source)) {
      this.#iterations.delete(cursor)
      return known
    }
    return { source, origin: originOf(source), walk: walkOf(source) }
  }

  #keep(iteration: Iteration): string {
    this.#started++
    const cursor = String(this.#started * RANDOM_PART + this.#rng.below(RANDOM_PART))
    this.#iterations.set(cursor, iteration)
    if (this.#iterations.size > MAX_CURSORS) this.#iterations.delete(this.#oldest())
    return cursor
  }

  #oldest(): string {
    return this.#iterations.keys().next().value as string
  }
}

/** For a Set or a Map: ends after as many elements as there are now. */
class CountedWalk implements Walk {
  readonly #keys: Iterator<string>
  #left: number

  constructor(keys: Iterator<string>, size: number) {
    this.#keys = keys
    this.#left = size
  }

  get isOver(): boolean {
    return this.#left <= 0
  }

  next(): IteratorResult<string> {
    if (this.isOver) return { done: true, value: undefined }
    this.#left--
    return this.#keys.next()
  }
}

function walkOf(source: Scannable): Walk {
  const keys = source.keys()
  if (isWalk(keys)) return keys
  return source.isTable === true ? new OpenWalk(keys) : new CountedWalk(keys, source.size)
}

/** For what shows a table: only the last step tells that it was the last. */
class OpenWalk implements Walk {
  readonly isOver = false
  readonly #keys: Iterator<string>

  constructor(keys: Iterator<string>) {
    this.#keys = keys
  }

  next(): IteratorResult<string> {
    return this.#keys.next()
  }
}

function isWalk(keys: Iterator<string>): keys is Walk {
  return 'isOver' in keys
}

function originOf(source: Scannable): unknown {
  return source.origin ?? source
}

/**
 * Whether C reads the text as an unsigned 64-bit number, which is all that Redis requires of a
 * cursor: a sign may come first, a NUL ends it, and an empty text is 0.
 */
export function isCursor(text: string): boolean {
  const digits = /^(?:[+-]?0*(\d{1,20}))?$/.exec(cString(text))
  return digits !== null && BigInt(digits[1] ?? 0) <= MAX_UINT64
}
