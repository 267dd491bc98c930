/** What a Sentinel has measured of itself (toggle.mjs): where it is kept, and what it says. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const TALLY = 'spans.json'
/** So long a Sentinel records from its start without a pause. */
export const STEADY_MS = 200_000
const MINUTE_MS = 60_000

/** Milliseconds of processor time a minute, with a record and without, since it had `from` spans of each kind. */
export function perMinute(folder, from) {
  const tally = readTally(folder)
  const of = (kind) => {
    const spans = tally[kind].slice(from[kind])
    return (MINUTE_MS * sumOf(spans, 'cpuMs')) / sumOf(spans, 'passedMs')
  }
  return { with: of('with'), without: of('without') }
}

/** How many spans of each kind there are. */
export function countSpans(folder) {
  const tally = readTally(folder)
  return { with: tally.with.length, without: tally.without.length }
}

function readTally(folder) {
  const path = join(folder, TALLY)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { with: [], without: [] }
}

export function sumOf(spans, key) {
  return spans.reduce((sum, span) => sum + span[key], 0)
}
