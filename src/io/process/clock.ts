import type { Moment } from '../../base/clock.ts'

/** The clocks that a host uses. */
export interface Clock {
  read(): Moment
  /** How long to sleep, in true milliseconds, until the monotonic clock shows `monoMs`. */
  msUntil(monoMs: number): number
}

/** Reads both clocks. The monotonic one is rounded down, so that a deadline never seems reached early. */
export function readClock(): Moment {
  return { monoMs: Math.floor(performance.now()), wallMs: Date.now() }
}

/** The clocks of the machine we run on. */
export const REAL_CLOCK: Clock = {
  read: readClock,
  msUntil: (monoMs) => monoMs - performance.now(),
}
