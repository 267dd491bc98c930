/**
 * A sorted set: members with scores, in ascending order of score and, among equal scores, of the
 * member's bytes; for order and ranks see zset-order.ts. With more than a few members a table holds the score of each as
 * well. Most sets have few, and the table would take a third of their memory.
 */
import { assert } from '../../base/assert.ts'
import type { KeyHash } from '../key-table/key-hash.ts'
import { KeyTable } from '../key-table/key-table.ts'
import { mapBytes, numberBytes, objectBytes, textBytes } from './engine-sizes.ts'
import { type IsPast, type Scored, ZsetOrder } from './zset-order.ts'

export type { IsPast, Scored } from './zset-order.ts'

/** Ranks `from` to `to - 1`, counted from the lowest score. */
export interface RankRange {
  readonly from: number
  readonly to: number
}

const OWN_BYTES = objectBytes(4)
/** To look at so many members takes some 50 ns longer than a look-up, which is little beside a command. */
const FEW = 32

type Scores = Map<string, number> | KeyTable<number>

export class SortedSet implements Iterable<Scored> {
  /** Undefined: there never were more than a few members. */
  #scores: Scores | undefined
  #order = new ZsetOrder()
  /** What the members take. */
  #contentBytes = 0
  /** What the scores take in the table, beside their places. */
  #boxedBytes = 0

  constructor(pairs: Iterable<Scored> = []) {
    for (const [member, score] of pairs) this.set(member, score)
  }

  get size(): number {
    return this.#order.size
  }

  /** What the set takes in memory. */
  get heapBytes(): number {
    return OWN_BYTES + this.#tableBytes + this.#order.heapBytes + this.#contentBytes
  }

  get #tableBytes(): number {
    if (this.#scores === undefined) return 0
    const bytes = this.#scores instanceof KeyTable ? this.#scores.heapBytes : mapBytes(this.size)
    return bytes + this.#boxedBytes
  }

  /** For scans: it is another one as soon as the members stand in a table of keys. */
  get origin(): unknown {
    return this.table ?? this.#order
  }

  /** The scores, if the members stand in a table of keys. */
  get table(): KeyTable<number> | undefined {
    return this.#scores instanceof KeyTable ? this.#scores : undefined
  }

  /** The members stand in a table of keys from now on, see large.ts. */
  enlarge(hash: KeyHash): void {
    if (this.#scores instanceof KeyTable) return
    this.#scores = filled(new KeyTable(hash), this)
  }

  has(member: string): boolean {
    return this.score(member) !== undefined
  }

  score(member: string): number | undefined {
    return this.#scores === undefined ? this.#order.scoreOf(member) : this.#scores.get(member)
  }

  /** Adds the member or moves it to another score, which may be infinite but not NaN. */
  set(member: string, score: number): void {
    assert(!Number.isNaN(score), 'a score can be compared')
    const old =
      this.#scores === undefined
        ? this.#order.scoreOf(member)
        : exchange(this.#scores, member, score)
    if (old === score) return
    this.#boxedBytes += numberBytes(score)
    if (old === undefined) this.#contentBytes += textBytes(member.length)
    else {
      this.#boxedBytes -= numberBytes(old)
      this.#order.delete(member, old)
    }
    this.#order.insert(member, score)
    if (this.#scores === undefined && this.size > FEW) this.#scores = new Map(this)
  }

  /** Returns whether the member was there. */
  delete(member: string): boolean {
    const score = this.score(member)
    if (score === undefined) return false
    this.#order.delete(member, score)
    this.#forget(member, score)
    return true
  }

  /** Deletes the elements with these ranks. */
  deleteRange({ from, to }: RankRange): void {
    for (const [member, score] of this.#order.ascending(from, to)) this.#forget(member, score)
    this.#order.deleteRange(from, to)
  }

  #forget(member: string, score: number): void {
    this.#scores?.delete(member)
    this.#contentBytes -= textBytes(member.length)
    this.#boxedBytes -= numberBytes(score)
  }

  /**
   * The rank, counted from the lowest score, which has rank 0; undefined if there is no such
   * member.
   */
  rank(member: string): number | undefined {
    const score = this.score(member)
    return score === undefined ? undefined : this.#order.rankOf(member, score)
  }

  /**
   * How many elements come before those for which the condition holds; the condition must follow
   * the order.
   */
  rankWhere(isPast: IsPast): number {
    return this.#order.rankWhere(isPast)
  }

  members({ from, to }: RankRange): string[] {
    return this.#order.members(from, to)
  }

  /** Lazy; the set must not change meanwhile. */
  ascending({ from, to }: RankRange): IterableIterator<Scored> {
    return this.#order.ascending(from, to)
  }

  /** The same elements, the highest score first. */
  descending({ from, to }: RankRange): IterableIterator<Scored> {
    return this.#order.descending(from, to)
  }

  /** The elements from rank `from` on as they are now, whatever happens to the set. */
  frozen(from: number): IterableIterator<Scored> {
    return this.#order.frozen(from)
  }

  /** The element of this rank, which must exist. */
  at(rank: number): Scored {
    return this.#order.ascending(rank, rank + 1).next().value as Scored
  }

  /** Members in no order that matters; the iterator goes on with what is there after any change. */
  keys(): IterableIterator<string> {
    return this.#scores === undefined ? this.#fewKeys() : this.#scores.keys()
  }

  *#fewKeys(): IterableIterator<string> {
    for (const member of this.#order.members(0, this.size)) if (this.has(member)) yield member
  }

  /** Shares nothing with the original. */
  copy(): SortedSet {
    const copy = new SortedSet()
    copy.#scores = this.#scores && copyOf(this.#scores)
    copy.#order = this.#order.copy()
    copy.#contentBytes = this.#contentBytes
    copy.#boxedBytes = this.#boxedBytes
    return copy
  }

  [Symbol.iterator](): IterableIterator<Scored> {
    return this.#order.ascending(0, this.size)
  }
}

function copyOf(scores: Scores): Scores {
  return scores instanceof KeyTable ? scores.copy() : new Map(scores)
}

function filled(table: KeyTable<number>, scores: Iterable<Scored>): KeyTable<number> {
  for (const [member, score] of scores) table.set(member, score)
  return table
}

/** Keeps the score of the member, unless it has an equal one, and returns the one it had. */
function exchange(scores: Scores, member: string, score: number): number | undefined {
  if (scores instanceof KeyTable) {
    const old = scores.exchange(member, score)
    // Zero and minus zero.
    if (old === score && !Object.is(old, score)) scores.set(member, old)
    return old
  }
  const old = scores.get(member)
  if (old !== score) scores.set(member, score)
  return old
}
