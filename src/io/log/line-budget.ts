/**
 * Strangers can fail as often as they like, and so can peers that try again every second. The log of
 * that must stay readable, so lines have a budget.
 */

/** At most this many lines in a period, whatever they are about. */
export class LineBudget {
  readonly #maxLines: number
  readonly #periodMs: number
  #sinceMs = Number.NEGATIVE_INFINITY
  #told = 0
  #heldBack = 0

  constructor(maxLines: number, periodMs: number) {
    this.#maxLines = maxLines
    this.#periodMs = periodMs
  }

  /** Undefined if this line must be held back; otherwise how many were held back before it. */
  spend(nowMs: number): number | undefined {
    if (nowMs - this.#sinceMs >= this.#periodMs) {
      this.#sinceMs = nowMs
      this.#told = 0
    }
    if (this.#told >= this.#maxLines) {
      this.#heldBack++
      return undefined
    }
    this.#told++
    const before = this.#heldBack
    this.#heldBack = 0
    return before
  }
}

/** No Sentinel has that many instances in trouble; the limit only keeps the memory bounded. */
const MAX_LINES = 1_000

/**
 * Allows the same line about the same subject once in a period; another line about it at once. Two lines may take
 * turns: whether the reason of a failed handshake arrives before the connection is reset is a matter of luck.
 */
export class Repetitions {
  readonly #periodMs: number
  /** When each line was allowed, by subject and text. */
  readonly #allowedAtMs = new Map<string, number>()

  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  isNews(subject: string, text: string, nowMs: number): boolean {
    const line = `${subject} ${text}`
    const allowedAtMs = this.#allowedAtMs.get(line) ?? Number.NEGATIVE_INFINITY
    if (nowMs - allowedAtMs < this.#periodMs) return false
    if (this.#allowedAtMs.size >= MAX_LINES) this.#allowedAtMs.clear()
    this.#allowedAtMs.set(line, nowMs)
    return true
  }
}
