/** How many writes a client got acknowledged, in equal steps of time. */
import type { Write } from '../sim/write-log.ts'

export interface Availability {
  readonly stepMs: number
  /** One number per step, from the start of the run to its end. */
  readonly counts: readonly number[]
}

const STEP_MS = 100
/** Longer runs get longer steps: the page must not grow with the run. */
const MOST_STEPS = 1_200

export function availabilityOf(writes: readonly Write[], endMs: number): Availability {
  const stepMs = Math.max(1, Math.ceil(endMs / STEP_MS / MOST_STEPS)) * STEP_MS
  const counts = Array.from({ length: Math.ceil(endMs / stepMs) }, () => 0)
  for (const { outcome } of writes) {
    if (outcome.kind !== 'acknowledged') continue
    const place = Math.floor(outcome.atMs / stepMs)
    const count = counts[place]
    if (count !== undefined) counts[place] = count + 1
  }
  return { stepMs, counts }
}
