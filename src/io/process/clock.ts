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

/** Reads both clocks. The monotonic one is rounded down, so that a deadline never seems reached early. */
export function readClock(): Moment {
  return { monoMs: Math.floor(nowMs()), wallMs: wallNowMs() }
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
