/** A pause of automatic failover, as a Sentinel shows it in SENTINEL MASTER. */
import type { InstanceFields } from './view.ts'

/** Who paused it and why, and how long it lasts yet; undefined: nobody did. */
export function pauseWords(master: InstanceFields): { who: string; left: string } | undefined {
  if (master['pause-left-ms'] === undefined) return undefined
  const why = master['pause-reason'] === '' ? 'no reason given' : master['pause-reason']
  const who = `paused by ${master['pause-by']}: ${why}`
  return { who, left: restOf(Number(master['pause-left-ms'])) }
}

/** In minutes, and in the last two of them in seconds. */
function restOf(ms: number): string {
  return ms > 120_000 ? `${Math.ceil(ms / 60_000)} min` : `${Math.ceil(ms / 1000)} s`
}
