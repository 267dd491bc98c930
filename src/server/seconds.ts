/**
 * Timeouts, lags and soft limits are compared in whole seconds: an age of 10.9 s counts as 10,
 * which is not yet more than 10.
 */
export function ageSeconds(nowMs: number, sinceMs: number): number {
  return Math.floor(nowMs / 1000) - Math.floor(sinceMs / 1000)
}
