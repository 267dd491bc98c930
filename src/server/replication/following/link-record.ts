/**
 * What the node remembers of its connections to one master: when it last heard the master, since
 * when the link is up or down, and from that, when to try again. A link that has proved good is
 * opened again at once when it breaks; any other is retried after a delay that grows. All times are
 * monotonic.
 */

/** A link that was up for less has not proved that reconnecting at once helps. */
const PROVEN_MS = 1000

export interface LinkLoss {
  readonly retryDelayMs: number
  /** A master that stays away is asked once a second, but the log mentions it once. */
  readonly isNews: boolean
}

export class LinkRecord {
  readonly #retryDelay = new RetryDelay()
  /** Last sign of life on the current connection. */
  #heardAtMs = 0
  /** Since when the link is up; undefined: it is down. */
  #upSinceMs: number | undefined
  /**
   * When an established link was lost; undefined: none has been up since this node became a
   * replica.
   */
  #downSinceMs: number | undefined
  /** Why there is no link, as of the last attempt. */
  #lastReason = ''

  get heardAtMs(): number {
    return this.#heardAtMs
  }

  get upSinceMs(): number | undefined {
    return this.#upSinceMs
  }

  get downSinceMs(): number | undefined {
    return this.#downSinceMs
  }

  /**
   * The node follows another master from now on. The time without a link is still counted from its
   * start.
   */
  named(nowMs: number): void {
    this.#retryDelay.reset()
    if (this.#upSinceMs !== undefined) this.#downSinceMs = nowMs
    this.#upSinceMs = undefined
  }

  /** The node follows no master any more. */
  ended(): void {
    this.#upSinceMs = undefined
    this.#downSinceMs = undefined
  }

  heard(nowMs: number): void {
    this.#heardAtMs = nowMs
  }

  up(nowMs: number): void {
    this.#upSinceMs = nowMs
    this.#downSinceMs = undefined
    this.#lastReason = ''
  }

  lost(nowMs: number, reason: string): LinkLoss {
    const upSinceMs = this.#upSinceMs
    const isNews = upSinceMs !== undefined || reason !== this.#lastReason
    const isProven = upSinceMs !== undefined && nowMs - upSinceMs >= PROVEN_MS
    this.#lastReason = reason
    if (upSinceMs !== undefined) this.#downSinceMs = nowMs
    this.#upSinceMs = undefined
    if (isProven) this.#retryDelay.reset()
    return { retryDelayMs: isProven ? 0 : this.#retryDelay.nextMs(), isNews }
  }
}

/**
 * When to try the master again. A cluster that starts up, or a master that restarts, is back within
 * a fraction of a second, so the first attempts come quickly; a master that stays away is asked
 * once a second.
 */
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 1000

class RetryDelay {
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
