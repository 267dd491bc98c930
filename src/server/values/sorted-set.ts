/**
 * A sorted set: members with scores, in ascending order of score and, among equal scores, of the
 * member's bytes. What a score is of a member says a map; the order and the ranks: see zset-order.ts.
 */
import { assert } from '../../base/assert.ts'
import { type IsPast, type Scored, ZsetOrder } from './zset-order.ts'

export type { IsPast, Scored } from './zset-order.ts'

/** Ranks `from` to `to - 1`, counted from the lowest score. */
export interface RankRange {
  readonly from: number
  readonly to: number
}

export class SortedSet implements Iterable<Scored> {
  #scores = new Map<string, number>()
  #order = new ZsetOrder()

  constructor(pairs: Iterable<Scored> = []) {
    for (const [member, score] of pairs) this.set(member, score)
  }

  get size(): number {
    return this.#scores.size
  }

  has(member: string): boolean {
    return this.#scores.has(member)
  }

  score(member: string): number | undefined {
    return this.#scores.get(member)
  }

  /** Adds the member or moves it to another score, which is a number, an infinity at most. */
  set(member: string, score: number): void {
    assert(!Number.isNaN(score), 'a score can be compared')
    const old = this.#scores.get(member)
    if (old === score) return
    if (old !== undefined) this.#order.delete(member, old)
    this.#scores.set(member, score)
    this.#order.insert(member, score)
  }

  /** Whether it was there. */
  delete(member: string): boolean {
    const score = this.#scores.get(member)
    if (score === undefined) return false
    this.#scores.delete(member)
    this.#order.delete(member, score)
    return true
  }

  /** From the lowest score, which has rank 0; undefined: no member. */
  rank(member: string): number | undefined {
    const score = this.#scores.get(member)
    return score === undefined ? undefined : this.#order.rankOf(member, score)
  }

  /** How many elements come before all for which the condition holds; it must follow the order. */
  rankWhere(isPast: IsPast): number {
    return this.#order.rankWhere(isPast)
  }

  /** Lazily; the set must not change on the way. */
  ascending({ from, to }: RankRange): IterableIterator<Scored> {
    return this.#order.ascending(from, to)
  }

  /** The same elements, the highest score first. */
  descending({ from, to }: RankRange): IterableIterator<Scored> {
    return this.#order.descending(from, to)
  }

  /** Those from rank `from` on as they are now, whatever becomes of the set. */
  frozen(from: number): IterableIterator<Scored> {
    return this.#order.frozen(from)
  }

  /** The element of this rank, which exists. */
  at(rank: number): Scored {
    return this.#order.ascending(rank, rank + 1).next().value as Scored
  }

  /** Members in the order they came; the iterator goes on with what is there after any change. */
  keys(): IterableIterator<string> {
    return this.#scores.keys()
  }

  /** Shares nothing with the original. */
  copy(): SortedSet {
    const copy = new SortedSet()
    copy.#scores = new Map(this.#scores)
    copy.#order = this.#order.copy()
    return copy
  }

  [Symbol.iterator](): IterableIterator<Scored> {
    return this.#order.ascending(0, this.size)
  }
}
