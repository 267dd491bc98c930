/**
 * The two clocks of one process as it sees them. Both run at the same rate, that of true time
 * unless a drift changes it. The monotonic clock has no other error; the wall clock has an offset
 * of its own, which a jump can change at any moment.
 */
import { assert } from '../../base/assert.ts'
import type { Moment } from '../../base/clock.ts'

/** 2030-01-01T00:00:00Z: where the wall clocks of a simulated world begin. */
const WORLD_EPOCH_MS = 1_893_456_000_000

export interface ClockStart {
  /** The wall clock's error against true time. */
  readonly wallOffsetMs: number
  /** What the monotonic clock shows at true time 0: it has a meaning only within one process. */
  readonly monoStartMs: number
}

export class ProcessClock {
  readonly #monoStartMs: number
  #wallOffsetMs: number
  #rate = 1
  /** When the present rate began, and how much time these clocks had counted until then. */
  #sinceTrueMs = 0
  #sinceOwnMs = 0

  constructor(start: ClockStart) {
    this.#monoStartMs = start.monoStartMs
    this.#wallOffsetMs = start.wallOffsetMs
  }

  momentAt(trueMs: number): Moment {
    const ownMs = this.#ownMsAt(trueMs)
    return {
      monoMs: this.#monoStartMs + ownMs,
      wallMs: WORLD_EPOCH_MS + ownMs + this.#wallOffsetMs,
    }
  }

  /** The first true time, at the present rate, at which the monotonic clock shows `monoMs`. */
  trueMsOf(monoMs: number): number {
    const ownMs = monoMs - this.#monoStartMs
    if (this.#rate === 1) return ownMs - this.#sinceOwnMs + this.#sinceTrueMs
    const guessMs = this.#sinceTrueMs + Math.ceil((ownMs - this.#sinceOwnMs) / this.#rate)
    // A wake-up that comes a millisecond early would be repeated for ever without time passing.
    return this.#ownMsAt(guessMs) < ownMs ? guessMs + 1 : guessMs
  }

  /** Moves the wall clock; back if `byMs` is negative. */
  jump(byMs: number): void {
    this.#wallOffsetMs += byMs
  }

  /** From this true time on both clocks run at `rate`; what they have shown so far stays valid. */
  drift(rate: number, trueMs: number): void {
    assert(rate > 0 && Number.isFinite(rate), 'clocks run forwards')
    this.#sinceOwnMs = this.#ownMsAt(trueMs)
    this.#sinceTrueMs = trueMs
    this.#rate = rate
  }

  #ownMsAt(trueMs: number): number {
    const passedMs = trueMs - this.#sinceTrueMs
    return this.#sinceOwnMs + (this.#rate === 1 ? passedMs : Math.floor(passedMs * this.#rate))
  }
}
