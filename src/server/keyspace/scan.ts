/**
 * Cursors of SCAN, SSCAN and HSCAN. A Set or Map has no place one could name in a number and find again
 * after others have changed it, but its iterators survive every change: they go on with what is there. So
 * a cursor is the number of an iterator kept here. An unknown cursor (forgotten here, or from another
 * node) begins anew, which can repeat elements but never miss one.
 *
 * However fast others add, an iteration ends. In a Set or Map the elements that were there from the
 * beginning come before everything added later: it is complete once it has met as many as there were then.
 * In a table of keys (key-table.ts) what is new may stand before what is old: there the walk itself goes
 * to where the last key stood when it began.
 */

import { cString } from '../../base/c-string.ts'
import type { Rng } from '../../base/rng.ts'

/** Iterations under way; the oldest is forgotten. An abandoned one may hold a collection in memory. */
const MAX_CURSORS = 1024

/** Part of a cursor is random, or a cursor from another node could take over somebody's iteration. */
const RANDOM_PART = 2 ** 20

const MAX_UINT64 = 2n ** 64n - 1n

/** A Set, a Map or a table of keys. */
export interface Scannable {
  readonly size: number
  has(key: string): boolean
  keys(): IterableIterator<string>
  /** What it stands in for (values/kept-elements.ts): an iteration of either goes on with the other. */
  readonly origin?: unknown
}

/** It ends by itself, however many elements are added meanwhile. A table of keys makes such iterators. */
interface Walk extends Iterator<string> {
  /** Nothing is left to be met, as things are now. */
  readonly isOver: boolean
}

interface Iteration {
  /** What `walk` goes over. */
  readonly source: Scannable
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

  /** Up to `count` keys that come next. */
  next(source: Scannable, cursor: string, count: number): Page {
    const iteration = this.#resume(source, cursor)
    const keys: string[] = []
    while (keys.length < count) {
      const { done, value } = iteration.walk.next()
      if (done === true) return { cursor: '0', keys }
      // An iterator of what `source` stands in for also meets what has been deleted.
      if (iteration.source === source || source.has(value)) keys.push(value)
    }
    return { cursor: iteration.walk.isOver ? '0' : this.#keep(iteration), keys }
  }

  #resume(source: Scannable, cursor: string): Iteration {
    const known = this.#iterations.get(cursor)
    if (known !== undefined && originOf(known.source) === originOf(source)) {
      this.#iterations.delete(cursor)
      return known
    }
    return { source, walk: walkOf(source) }
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

/** Of a Set or a Map: it ends after as many elements as there are now. */
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
  return isWalk(keys) ? keys : new CountedWalk(keys, source.size)
}

function isWalk(keys: Iterator<string>): keys is Walk {
  return 'isOver' in keys
}

function originOf(source: Scannable): unknown {
  return source.origin ?? source
}

/**
 * What C reads as an unsigned number of 64 bits, which is all that is asked of a cursor: a sign may
 * stand before it, it ends at a NUL, and nothing at all is 0.
 */
export function isCursor(text: string): boolean {
  const digits = /^(?:[+-]?0*(\d{1,20}))?$/.exec(cString(text))
  return digits !== null && BigInt(digits[1] ?? 0) <= MAX_UINT64
}
