/**
 * The best candidates for eviction among the keys drawn so far, as in Redis: keeping a few from one draw to
 * the next finds keys nearly as good as the best of all, although each draw looks at a handful.
 */
export interface EvictionCandidate {
  readonly key: string
  /** The index of its database. */
  readonly db: number
  /** The higher, the sooner it goes. */
  readonly score: number
}

const SIZE = 16

export class EvictionPool {
  /** Ascending by score. */
  #candidates: EvictionCandidate[] = []

  /** A candidate that is worse than all of a full pool is left out. */
  offer(candidate: EvictionCandidate): void {
    const candidates = this.#candidates
    const at = candidates.findIndex(({ score }) => score >= candidate.score)
    const place = at < 0 ? candidates.length : at
    if (candidates.length < SIZE) {
      candidates.splice(place, 0, candidate)
    } else if (place > 0) {
      candidates.splice(place, 0, candidate)
      candidates.shift()
    }
  }

  /** Removes the best. It may have been deleted, or used, since it was offered. */
  take(): EvictionCandidate | undefined {
    return this.#candidates.pop()
  }

  clear(): void {
    this.#candidates = []
  }
}
