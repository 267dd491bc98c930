/**
 * The timers and clocks of the engine, as they were when this module was loaded. A test runner may replace
 * the global ones (`useFakeTimers`); a cluster in the same process goes on by the real ones, so that an
 * application's timers can be moved by hand while its Sentinels live in real time. Jest replaces nextTick and
 * queueMicrotask, too.
 */
import process from 'node:process'

const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } =
  globalThis
const { nextTick } = process
const { queueMicrotask } = globalThis

export const REAL_TIMERS = {
  ...{ setTimeout, clearTimeout, setInterval, clearInterval },
  ...{ setImmediate, clearImmediate },
  ...{ nextTick, queueMicrotask },
}

/** The object as well: a runner puts one of its own in its place, whose `now` is no clock. */
const clock = globalThis.performance
const readNow = clock.now
const readWall = Date.now

/** Milliseconds of the monotonic clock. */
export function nowMs(): number {
  return readNow.call(clock)
}

/** Milliseconds of the wall clock. */
export function wallNowMs(): number {
  return readWall()
}
