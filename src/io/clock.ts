import type { Moment } from '../base/clock.ts'

/** Reads both clocks. The monotonic one is rounded down, so that a deadline never seems reached early. */
export function readClock(): Moment {
  return { monoMs: Math.floor(performance.now()), wallMs: Date.now() }
}
