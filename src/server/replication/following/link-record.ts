/**
 * What is remembered of the connections to one master: when it was last heard, since when the link is up or
 * down, and from that, when to try again. A link that has proved good is opened again at once when it breaks;
 * anything else is retried after a delay that grows. All times are monotonic.
 */
import { RetryDelay } from './retry-delay.ts'

/** A link that was up for less has not proved that reconnecting at once helps. */
const PROVEN_MS = 1000

export interface Loss {
  readonly retryDelayMs: number
  /** A master that stays away is asked once a second, and told of once. */
  readonly isNews: boolean
}

export class LinkRecord {
  readonly #retryDelay = new RetryDelay()
  /** Last sign of life of the current connection. */
  #heardAtMs = 0
  /** Since when the link is up; undefined: it is not. */
  #upSinceMs: number | undefined
  /** When an established link was lost; undefined: there was none since this node is a replica. */
  #downSinceMs: number | undefined
  /** Why there is no link, as of the last attempt. */
  #lastReason = ''

  get heardAtMs(): number {
    return this.#heardAtMs
  }

  get downSinceMs(): number | undefined {
    return this.#downSinceMs
  }

  /** It is another master from now on. How long we have been without one goes on. */
  named(nowMs: number): void {
    this.#retryDelay.reset()
    if (this.#upSinceMs !== undefined) this.#downSinceMs = nowMs
    this.#upSinceMs = undefined
  }

  /** There is no master any more. */
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

  lost(nowMs: number, reason: string): Loss {
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
