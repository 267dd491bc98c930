/** For how long no client got a write acknowledged. */
import type { Write } from '../../history/writes.ts'
import type { Window } from './window.ts'

/**
 * The longest time within a window without an acknowledged write, its edges included. Undefined:
 * there was no acknowledged write at all.
 */
export function longestOutageIn(writes: readonly Write[], window: Window): number | undefined {
  const moments = writes.flatMap(({ outcome }) =>
    outcome.kind === 'acknowledged' && isWithin(outcome.atMs, window) ? [outcome.atMs] : [],
  )
  if (moments.length === 0) return undefined
  moments.sort((a, b) => a - b)
  let longestMs = 0
  let lastMs = window.fromMs
  for (const atMs of [...moments, window.untilMs]) {
    longestMs = Math.max(longestMs, atMs - lastMs)
    lastMs = atMs
  }
  return longestMs
}

/** When the first write was acknowledged: until then there was nothing that could fail. */
export function firstAcknowledged(writes: readonly Write[]): number | undefined {
  let firstMs: number | undefined
  for (const { outcome } of writes) {
    if (outcome.kind !== 'acknowledged') continue
    if (firstMs === undefined || outcome.atMs < firstMs) firstMs = outcome.atMs
  }
  return firstMs
}

function isWithin(atMs: number, { fromMs, untilMs }: Window): boolean {
  return atMs >= fromMs && atMs <= untilMs
}
