/** A wall clock that is set back: moments that were read from it before lie in the future, unless they move along. */
import type { Moment } from '../base/clock.ts'

/** One that goes back by less is led to the right time. */
const SET_BACK_MS = 1_000

/**
 * A clock that is set back was wrong before. One that is ahead tells nothing: it was set, or the machine was suspended.
 */
export class ClockSetBack {
  #last: Moment | undefined

  /** By how many milliseconds what was seen before has to move, which is negative; 0: it stays. */
  since(now: Moment): number {
    const last = this.#last ?? now
    this.#last = now
    const byMs = now.wallMs - last.wallMs - (now.monoMs - last.monoMs)
    return byMs > -SET_BACK_MS ? 0 : byMs
  }
}
