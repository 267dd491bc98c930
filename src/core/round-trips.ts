/**
 * What has to be waited for besides periods and time-outs (who stands first, when to try again) is counted
 * in rounds: a question to the peers and their answers. A local network needs a few milliseconds for
 * one, two continents a few hundred; PINGs measure it.
 */
import { upperBoundMs } from '../base/smoothed.ts'
import type { Group, State } from './state.ts'

/** Nothing shorter can be told from the noise of a busy machine. */
const ROUND_MIN_MS = 5
/** What hangs is no distance. */
const ROUND_MAX_MS = 250

/** With what they and we must put on disk for it; in whole milliseconds. */
export function roundMs({ saves }: State, group: Group): number {
  let slowestMs = 0
  for (const { link, ...peer } of group.peers.values()) {
    if (!link.command?.up || peer.sdownSinceMs !== undefined) continue
    slowestMs = Math.max(slowestMs, link.roundTrips ? upperBoundMs(link.roundTrips) : ROUND_MIN_MS)
  }
  const savingMs = saves.lasting === undefined ? 0 : upperBoundMs(saves.lasting)
  return Math.ceil(Math.min(ROUND_MAX_MS, Math.max(ROUND_MIN_MS, slowestMs + savingMs)))
}
