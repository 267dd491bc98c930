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
import type { Rng } from '../../base/rng.ts'

/** Iterations under way; the oldest is forgotten. An abandoned one may hold a collection in memory. */
const MAX_CURSORS = 1024

/** Part of a cursor is random, or a cursor from another node could take over somebody's iteration. */
const RANDOM_PART = 2 ** 20

const MAX_UINT64 = 2n ** 64n - 1n

/** A Set or a Map. */
export interface Scannable {
  readonly size: number
  keys(): IterableIterator<string>
}

interface Iteration {
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
      keys.push(value)
      iteration.left--
    }
    return { cursor: iteration.left > 0 ? this.#keep(iteration) : '0', keys }
  }

  #resume(source: Scannable, cursor: string): Iteration {
    const known = this.#iterations.get(cursor)
    if (known?.source === source) {
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

/** An unsigned 64-bit number, which is all that is asked of a cursor. */
export function isCursor(text: string): boolean {
  return /^\d{1,20}$/.test(text) && BigInt(text) <= MAX_UINT64
}
