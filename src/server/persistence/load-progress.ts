/** How far loading is: for INFO, by which clients decide when to ask again, and for the log. */
import type { Moment } from '../../base/clock.ts'

const LOG_PERIOD_MS = 5000

export class LoadProgress {
  readonly startedAt: Moment
  readonly #now: () => Moment
  readonly #log: (text: string) => void
  #totalBytes = 0
  #loadedBytes = 0
  #loggedAtMs: number

  constructor(now: () => Moment, log: (text: string) => void) {
    this.#now = now
    this.#log = log
    this.startedAt = now()
    this.#loggedAtMs = this.startedAt.monoMs
  }

  get totalBytes(): number {
    return this.#totalBytes
  }

  get loadedBytes(): number {
    return this.#loadedBytes
  }

  /** There is a file of this size to load. */
  expect(bytes: number): void {
    this.#totalBytes += bytes
  }

  /** So many bytes more have been dealt with. */
  advance(bytes: number): void {
    this.#loadedBytes += bytes
    const { monoMs } = this.#now()
    if (monoMs - this.#loggedAtMs < LOG_PERIOD_MS) return
    this.#loggedAtMs = monoMs
    this.#log(`loading: ${Math.floor(this.percent)} % of ${this.#totalBytes} bytes`)
  }

  get percent(): number {
    if (this.#totalBytes === 0) return 0
    return Math.min(100, (this.#loadedBytes / this.#totalBytes) * 100)
  }

  get seconds(): number {
    return (this.#now().monoMs - this.startedAt.monoMs) / 1000
  }

  /** At the pace of until now; 1 before there is a pace, as with Redis. */
  get secondsLeft(): number {
    const elapsed = Math.floor(this.seconds)
    if (elapsed === 0) return 1
    const leftBytes = Math.max(0, this.#totalBytes - this.#loadedBytes)
    return Math.floor((elapsed * leftBytes) / (this.#loadedBytes + 1))
  }
}
