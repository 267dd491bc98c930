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
/** A step of a slow client is so long that it usually has a few, or its band would be full of holes. */
const USUAL_COUNT = 3
const LONGEST_FOR_SLOW = 10

export function availabilityOf(writes: readonly Write[], endMs: number): Availability {
  const times = writes.flatMap(({ outcome }) =>
    outcome.kind === 'acknowledged' ? [outcome.atMs] : [],
  )
  const stepMs = stepFor(times, endMs)
  const counts = Array.from({ length: Math.ceil(endMs / stepMs) }, () => 0)
  for (const atMs of times) {
    const place = Math.floor(atMs / stepMs)
    const count = counts[place]
    if (count !== undefined) counts[place] = count + 1
  }
  return { stepMs, counts }
}

function stepFor(times: readonly number[], endMs: number): number {
  const forSize = Math.ceil(endMs / STEP_MS / MOST_STEPS)
  const busy = new Set(times.map((atMs) => Math.floor(atMs / STEP_MS))).size
  const usual = times.length / Math.max(1, busy)
  const forPace =
    usual >= USUAL_COUNT
      ? 1
      : Math.ceil((USUAL_COUNT * endMs) / STEP_MS / Math.max(1, times.length))
  return Math.max(1, forSize, Math.min(LONGEST_FOR_SLOW, forPace)) * STEP_MS
}
