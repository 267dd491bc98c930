/** Time for everything a benchmark measures. */
import { setTimeout as sleep } from 'node:timers/promises'

const PROBE_PERIOD_MS = 20

/** Milliseconds on the machine's monotonic clock: the same in all processes, so that times compare. */
export function nowMs() {
  return Number(process.hrtime.bigint()) / 1e6
}

/**
 * Waits until `probe` returns something, and returns that. An exception means not yet; after
 * `boundMs`, throws an error that names the claim that never came true.
 */
export async function until(claim, boundMs, probe, periodMs = PROBE_PERIOD_MS) {
  const endMs = nowMs() + boundMs
  let reason = ''
  for (;;) {
    try {
      const value = await probe()
      if (value !== undefined && value !== false) return value
    } catch (error) {
      if (error.isFatal) throw error
      reason = `: ${error.message}`
    }
    if (nowMs() > endMs) throw new Error(`not within ${boundMs} ms: ${claim}${reason}`)
    await sleep(periodMs)
  }
}
