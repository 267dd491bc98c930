/** A client's outages, as the facts of the run count them, with what it was told instead. */
import type { Lifelines } from '../scenario/facts/lifelines.ts'
import { outagesOf } from '../scenario/facts/outages.ts'
import type { Outage } from '../scenario/result.ts'
import type { Write } from '../sim/write-log.ts'

export interface ClientOutage extends Outage {
  /** The error it got most often; undefined: none. */
  readonly code: string | undefined
  /** An acknowledgement came in the end. */
  readonly isOver: boolean
}

/** `writes` are those of one client. */
export function clientOutages(
  writes: readonly Write[],
  lifelines: Lifelines,
  endMs: number,
): readonly ClientOutage[] {
  return outagesOf(writes, lifelines, endMs).map((outage) => {
    const isOver = writes.some(
      ({ outcome }) => outcome.kind === 'acknowledged' && outcome.atMs === outage.untilMs,
    )
    return { ...outage, code: usualError(writes, outage), isOver }
  })
}

function usualError(writes: readonly Write[], { fromMs, untilMs }: Outage): string | undefined {
  const counts = new Map<string, number>()
  for (const { outcome } of writes) {
    if (outcome.kind !== 'refused' || outcome.atMs < fromMs || outcome.atMs > untilMs) continue
    const code = outcome.text.split(' ')[0] ?? ''
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}
