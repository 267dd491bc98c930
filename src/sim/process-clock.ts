import type { Moment } from '../base/clock.ts'

/** 2030-01-01T00:00:00Z: where the wall clocks of a simulated world begin. */
export const WORLD_EPOCH_MS = 1_893_456_000_000

export interface ClockStart {
  /** The wall clock's error against true time. */
  readonly wallOffsetMs: number
  /** What the monotonic clock shows at true time 0: it only has a meaning within one process. */
  readonly monoStartMs: number
}

/**
 * The two clocks of one process as it sees them. The monotonic clock follows true time; the wall
 * clock is true time plus an error that a fault may change at any moment.
 */
export class ProcessClock {
  readonly #monoStartMs: number
  #wallOffsetMs: number

  constructor(start: ClockStart) {
    this.#monoStartMs = start.monoStartMs
    this.#wallOffsetMs = start.wallOffsetMs
  }

  momentAt(trueMs: number): Moment {
    return {
      monoMs: this.#monoStartMs + trueMs,
      wallMs: WORLD_EPOCH_MS + trueMs + this.#wallOffsetMs,
    }
  }

  /** The true time at which the monotonic clock shows `monoMs`. */
  trueMsOf(monoMs: number): number {
    return monoMs - this.#monoStartMs
  }

  /** Moves the wall clock, back when `byMs` is negative. */
  jump(byMs: number): void {
    this.#wallOffsetMs += byMs
  }
}
