/**
 * A sorted set: members with scores, in ascending order of score and, among equal scores, of the
 * member's bytes.
 */
export class SortedSet implements Iterable<readonly [member: string, score: number]> {
  readonly #scores: Map<string, number>

  constructor(pairs: Iterable<readonly [string, number]> = []) {
    this.#scores = new Map(pairs)
  }

  get size(): number {
    return this.#scores.size
  }

  score(member: string): number | undefined {
    return this.#scores.get(member)
  }

  /** Adds the member or moves it to another score. */
  set(member: string, score: number): void {
    this.#scores.set(member, score)
  }

  delete(member: string): boolean {
    return this.#scores.delete(member)
  }

  /** Shares nothing with the original. */
  copy(): SortedSet {
    return new SortedSet(this.#scores)
  }

  *[Symbol.iterator](): IterableIterator<readonly [string, number]> {
    yield* [...this.#scores].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
  }
}
