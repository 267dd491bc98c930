/**
 * The timers and clocks of the engine, as they were when this module was loaded. A test runner may replace
 * the global ones (`useFakeTimers`); a cluster in the same process goes on by the real ones, so that an
 * application's timers can be moved by hand while its Sentinels live in real time. Jest replaces nextTick and
 * queueMicrotask, too.
 *
 * Jest gives test files, and what they import, a global object of its own: there the timers may be replaced from
 * the beginning (`enableGlobally`), or be those of a browser (jsdom). So they are taken from Node's own.
 */
import { runInThisContext } from 'node:vm'

const real: typeof globalThis = runInThisContext('globalThis')

const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = real
const { nextTick } = real.process
const { queueMicrotask } = real

export const REAL_TIMERS = {
  ...{ setTimeout, clearTimeout, setInterval, clearInterval },
  ...{ setImmediate, clearImmediate },
  ...{ nextTick, queueMicrotask },
}

/** The object as well: a runner puts one of its own in its place, whose `now` is no clock. */
const clock = real.performance
const readNow = clock.now
const readWall = real.Date.now

/** Milliseconds of the monotonic clock. */
export function nowMs(): number {
  return readNow.call(clock)
}

/** Milliseconds of the wall clock. */
export function wallNowMs(): number {
  return readWall()
}
