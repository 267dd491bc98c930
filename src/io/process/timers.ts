/**
 * The timers and clocks of the engine, as they were when this module was loaded. A test runner may replace
 * the global ones (`useFakeTimers`); a cluster in the same process goes on by the real ones, so that an
 * application's timers can be moved by hand while its Sentinels live in real time.
 */
const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } =
  globalThis

export const REAL_TIMERS = {
  ...{ setTimeout, clearTimeout, setInterval, clearInterval },
  ...{ setImmediate, clearImmediate },
}

const readNow = performance.now
const readWall = Date.now

/** Milliseconds of the monotonic clock. */
export function nowMs(): number {
  return readNow.call(performance)
}

/** Milliseconds of the wall clock. */
export function wallNowMs(): number {
  return readWall()
}
