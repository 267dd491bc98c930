/**
 * When to try the master again. A cluster that starts up, or a master that restarts, is back within a
 * fraction of a second, so the first attempts come quickly; one that stays away is asked once a second.
 */
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 1000

export class RetryDelay {
  #nextMs = FIRST_DELAY_MS

  /** The wait before the next attempt, longer after every failure. */
  nextMs(): number {
    const delayMs = this.#nextMs
    this.#nextMs = Math.min(MAX_DELAY_MS, 2 * delayMs)
    return delayMs
  }

  reset(): void {
    this.#nextMs = FIRST_DELAY_MS
  }
}
