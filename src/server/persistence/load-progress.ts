/** How far loading has got: for INFO, from which clients decide when to ask again, and for the log. */
import type { Moment } from '../../base/clock.ts'

const LOG_PERIOD_MS = 5000

export class LoadProgress {
  readonly startedAt: Moment
  /**
   * Called with the number of keys, or of commands, that were loaded since. Returns whether loading is
   * slowed down for them, see load-pace.ts.
   */
  onKeys: (keys: number) => boolean = () => false
  readonly #now: () => Moment
  readonly #log: (text: string) => void
  readonly #fullness: (doneShare: number) => string | undefined
  #totalBytes = 0
  #loadedBytes = 0
  #loggedAtMs: number

  /** `fullness`: why there is no room for more; undefined if there is. */
  constructor(
    now: () => Moment,
    log: (text: string) => void,
    fullness: (doneShare: number) => string | undefined = () => undefined,
  ) {
    this.#fullness = fullness
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

  /** This many more bytes have been loaded. Returns why it cannot go on, as half a sentence, if so. */
  advance(bytes: number): string | undefined {
    this.#loadedBytes += bytes
    const { monoMs } = this.#now()
    if (monoMs - this.#loggedAtMs >= LOG_PERIOD_MS) {
      this.#loggedAtMs = monoMs
      this.#log(`loading: ${this.#told}`)
    }
    const full = this.#fullness(this.percent / 100)
    return full === undefined ? undefined : `after ${this.#told} ${full}`
  }

  get #told(): string {
    return `${Math.floor(this.percent)} % of ${this.#totalBytes} bytes`
  }

  get percent(): number {
    if (this.#totalBytes === 0) return 0
    return Math.min(100, (this.#loadedBytes / this.#totalBytes) * 100)
  }

  get seconds(): number {
    return (this.#now().monoMs - this.startedAt.monoMs) / 1000
  }

  /** At the pace so far; 1 before a pace is known, as in Redis. */
  get secondsLeft(): number {
    const elapsed = Math.floor(this.seconds)
    if (elapsed === 0) return 1
    const leftBytes = Math.max(0, this.#totalBytes - this.#loadedBytes)
    return Math.floor((elapsed * leftBytes) / (this.#loadedBytes + 1))
  }
}
