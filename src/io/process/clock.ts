import type { Moment } from '../../base/clock.ts'
import { nowMs, REAL_TIMERS, wallNowMs } from './timers.ts'

/** The clocks that a host uses. */
export interface Clock {
  read(): Moment
  /** How long to sleep, in true milliseconds, until the monotonic clock shows `monoMs`. */
  msUntil(monoMs: number): number
  /** Calls `fire` in so many true milliseconds; the returned function disarms it. */
  after(ms: number, fire: () => void): () => void
}

/** How far the wall clock was ahead of the monotonic one when they were last found apart. */
let wallAheadMs = Number.NaN

/**
 * Reads both clocks. The monotonic one is rounded down, so that a deadline never seems reached early. Rounding lets
 * the two differ by a millisecond more or less from one reading to the next: that is no news, and the wall clock
 * follows the monotonic one until it has gone another way.
 */
export function readClock(): Moment {
  const monoMs = Math.floor(nowMs())
  const aheadMs = wallNowMs() - monoMs
  if (!(Math.abs(aheadMs - wallAheadMs) <= 1)) wallAheadMs = aheadMs
  return { monoMs, wallMs: monoMs + wallAheadMs }
}

/** The clocks of the machine we run on. */
export const REAL_CLOCK: Clock = {
  read: readClock,
  msUntil: (monoMs) => monoMs - nowMs(),
  after: timerAfter,
}

/** By the timers of the engine. */
export function timerAfter(ms: number, fire: () => void): () => void {
  const timer = REAL_TIMERS.setTimeout(fire, ms)
  return () => REAL_TIMERS.clearTimeout(timer)
}
