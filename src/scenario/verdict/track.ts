/**
 * When a claim was true in the course of a run. Times are whole milliseconds; what changes more than
 * once within one counts as it stood at its end.
 */
import type { Change, ClusterView } from './cluster-view.ts'
import type { Finding } from './state-claims.ts'

/** From `fromMs` until the next stretch this was found. The first one begins with the run. */
export interface Stretch extends Finding {
  readonly fromMs: number
}

export type Track = readonly Stretch[]

export function createTrack(
  changes: readonly Change[],
  view: ClusterView,
  examine: (view: ClusterView) => Finding,
): Track {
  const stretches: Stretch[] = [{ fromMs: 0, ...examine(view) }]
  changes.forEach((change, index) => {
    view.apply(change)
    if (changes[index + 1]?.atMs !== change.atMs) extend(stretches, change.atMs, examine(view))
  })
  return stretches
}

function extend(stretches: Stretch[], fromMs: number, finding: Finding): void {
  const last = stretches.at(-1)
  if (last?.holds === finding.holds && last.because === finding.because) return
  if (last?.fromMs === fromMs) stretches.pop()
  stretches.push({ fromMs, ...finding })
}

/** The stretch that holds at a moment. */
export function stretchAt(track: Track, atMs: number): Stretch | undefined {
  return track.findLast((stretch) => stretch.fromMs <= atMs)
}

/** Since when it has been true without a break at `atMs`; undefined when it is not true then. */
export function trueSince(track: Track, atMs: number): number | undefined {
  const until = track.filter((stretch) => stretch.fromMs <= atMs)
  const lastFalse = until.findLastIndex((stretch) => !stretch.holds)
  return until[lastFalse + 1]?.fromMs
}

/** The first stretch of a window in which it is not as wanted. */
export function firstOffence(
  track: Track,
  window: { readonly fromMs: number; readonly untilMs: number },
  wanted: boolean,
): Stretch | undefined {
  return track.find((stretch, index) => {
    const endMs = track[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY
    const isInside = stretch.fromMs <= window.untilMs && endMs > window.fromMs
    return isInside && stretch.holds !== wanted
  })
}
