/**
 * How much output a slow replica may make us keep: above the hard limit it is dropped at once, above
 * the soft one after so many seconds without a break.
 */
import type { OutputLimit } from '../output-limits.ts'
import type { ReplicaPeer } from './replica-peer.ts'
import { ageSeconds } from './seconds.ts'

/** A hard limit below the backlog's size would drop replicas which the backlog could still serve. */
export function effectiveLimit(limit: OutputLimit, backlogSizeBytes: number): OutputLimit {
  if (limit.hardBytes === 0) return limit
  return { ...limit, hardBytes: Math.max(limit.hardBytes, backlogSizeBytes) }
}

/** Notes how much output waits for a peer, and tells whether it has been too much. */
export function isTooSlow(
  peer: ReplicaPeer,
  outputBytes: number,
  limit: OutputLimit,
  nowMs: number,
): boolean {
  if (limit.softBytes === 0 || outputBytes <= limit.softBytes) peer.overSoftLimitSinceMs = undefined
  else peer.overSoftLimitSinceMs ??= nowMs
  if (limit.hardBytes > 0 && outputBytes > limit.hardBytes) return true
  const since = peer.overSoftLimitSinceMs
  return since !== undefined && ageSeconds(nowMs, since) > limit.softSeconds
}
