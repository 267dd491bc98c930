/**
 * Cursors of SCAN, SSCAN and HSCAN. A Set or Map has no place one could name in a number and find again
 * after others have changed it, but its iterators survive every change: they go on with what is there. So
 * a cursor is the number of an iterator kept here.
 *
 * Elements that were there from the beginning come before everything added later. An iteration is
 * therefore complete once it has met as many elements as there were when it began; that also ends it
 * however fast others add. An unknown cursor (forgotten here, or from another node) begins anew, which
 * can repeat elements but never miss one.
 */

import { cString } from '../../base/c-string.ts'
import type { Rng } from '../../base/rng.ts'

/** Iterations under way; the oldest is forgotten. An abandoned one may hold a collection in memory. */
const MAX_CURSORS = 1024

/** Part of a cursor is random, or a cursor from another node could take over somebody's iteration. */
const RANDOM_PART = 2 ** 20

const MAX_UINT64 = 2n ** 64n - 1n

/** A Set or a Map. */
export interface Scannable {
  readonly size: number
  has(key: string): boolean
  keys(): IterableIterator<string>
  /** What it stands in for (values/kept-elements.ts): an iteration of either goes on with the other. */
  readonly origin?: unknown
}

interface Iteration {
  /** What `keys` was made by. */
  readonly source: Scannable
  readonly keys: Iterator<string>
  left: number
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
    while (keys.length < count && iteration.left > 0) {
      const { done, value } = iteration.keys.next()
      if (done === true) return { cursor: '0', keys }
      iteration.left--
      // An iterator of what `source` stands in for also meets what has been deleted.
      if (iteration.source === source || source.has(value)) keys.push(value)
    }
    return { cursor: iteration.left > 0 ? this.#keep(iteration) : '0', keys }
  }

  #resume(source: Scannable, cursor: string): Iteration {
    const known = this.#iterations.get(cursor)
    if (known !== undefined && originOf(known.source) === originOf(source)) {
      this.#iterations.delete(cursor)
      return known
    }
    return { source, keys: source.keys(), left: source.size }
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
