/**
 * Timeouts, lags and soft limits are whole seconds, and compared as such: an age of 10.9 s is 10 and not
 * yet more than 10.
 */
export function ageSeconds(nowMs: number, sinceMs: number): number {
  return Math.floor(nowMs / 1000) - Math.floor(sinceMs / 1000)
}
