/**
 * When a receiver is too slow for us to keep its output: at once above the hard limit of its class,
 * after so many seconds without a break above the soft limit.
 */

import { ageSeconds } from '../seconds.ts'
import type { OutputLimit } from './output-limits.ts'

/** A client or a replica. */
interface Receiver {
  /** Monotonic. Since when its output has been above the soft limit. */
  overSoftLimitSinceMs: number | undefined
}

/** Notes how much output waits for a receiver, and says whether it is too much. */
export function isTooSlow(
  receiver: Receiver,
  outputBytes: number,
  limit: OutputLimit,
  nowMs: number,
): boolean {
  const isOverSoft = limit.softBytes > 0 && outputBytes > limit.softBytes
  if (!isOverSoft) receiver.overSoftLimitSinceMs = undefined
  else receiver.overSoftLimitSinceMs ??= nowMs
  if (limit.hardBytes > 0 && outputBytes > limit.hardBytes) return true
  const sinceMs = receiver.overSoftLimitSinceMs
  return sinceMs !== undefined && ageSeconds(nowMs, sinceMs) > limit.softSeconds
}
