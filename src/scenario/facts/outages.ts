/**
 * When applications could not write: from one acknowledgement to the next, if that took too long.
 */
import type { Write } from '../../history/writes.ts'
import type { Outage } from '../result.ts'
import type { Lifelines } from './lifelines.ts'

/** Shorter gaps do not count as outages. */
const OUTAGE_MIN_MS = 200
/** Nor do gaps that are no longer than this many times a slow client's usual gap. */
const USUAL_GAPS = 3
/** For each client; the longest ones are kept. */
const OUTAGES_MAX = 100

/** The longest time without any acknowledged write, from the first one to the end of the run. */
export function longestOutage(writes: readonly Write[], endMs: number): number {
  const times = acknowledgedAt(writes)
  return times.reduce(
    (longestMs, atMs, place) => Math.max(longestMs, (times[place + 1] ?? endMs) - atMs),
    0,
  )
}

/**
 * Each client's outages, in order of time, client by client. An outage begins with the client's
 * last acknowledgement (its first attempt, if nothing was ever acknowledged) and ends with the next
 * one, with the run, or when the client itself dies or is stopped.
 */
export function outagesOf(
  writes: readonly Write[],
  lifelines: Lifelines,
  endMs: number,
): readonly Outage[] {
  return [...byClient(writes)].flatMap(([client, own]) => {
    const times = acknowledgedAt(own)
    const firstMs = times[0] ?? own[0]?.attemptedAtMs ?? endMs
    const marks = times.length === 0 ? [firstMs] : times
    const { halts } = lifelines.of(client)
    const minMs = Math.max(OUTAGE_MIN_MS, USUAL_GAPS * medianGap(times))
    const gaps = marks.map((fromMs, place): Outage => {
      const nextMs = marks[place + 1] ?? endMs
      const untilMs = halts.find((atMs) => atMs >= fromMs && atMs < nextMs) ?? nextMs
      return { client, fromMs, untilMs }
    })
    return longest(gaps.filter(({ fromMs, untilMs }) => untilMs - fromMs > minMs))
  })
}

function longest(outages: readonly Outage[]): readonly Outage[] {
  if (outages.length <= OUTAGES_MAX) return outages
  const byLength = outages.toSorted((a, b) => b.untilMs - b.fromMs - (a.untilMs - a.fromMs))
  return byLength.slice(0, OUTAGES_MAX).sort((a, b) => a.fromMs - b.fromMs)
}

function byClient(writes: readonly Write[]): ReadonlyMap<string, readonly Write[]> {
  const clients = new Map<string, Write[]>()
  for (const write of writes) {
    const known = clients.get(write.client)
    if (known === undefined) clients.set(write.client, [write])
    else known.push(write)
  }
  return clients
}

function acknowledgedAt(writes: readonly Write[]): readonly number[] {
  const times: number[] = []
  for (const { outcome } of writes) {
    if (outcome.kind === 'acknowledged') times.push(outcome.atMs)
  }
  return times.sort((a, b) => a - b)
}

function medianGap(times: readonly number[]): number {
  const gaps = times.slice(1).map((atMs, place) => atMs - (times[place] ?? atMs))
  gaps.sort((a, b) => a - b)
  return gaps[gaps.length >> 1] ?? 0
}
