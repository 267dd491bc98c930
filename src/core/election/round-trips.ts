/**
 * Waits other than periods and time-outs (which Sentinel stands first, when to try again) are counted in
 * rounds: a question to the peers and their answers. A local network needs a few milliseconds for one, two
 * continents a few hundred; PINGs measure it.
 */
import { upperBoundMs } from '../../base/smoothed.ts'
import type { Group, State } from '../state.ts'

/** A shorter round cannot be told from the noise of a busy machine. */
const ROUND_MIN_MS = 5
/** A longer one is no distance: a stopped process says nothing about the latency of its host. */
const ROUND_MAX_MS = 250

/** Includes the time that they and we need to put their answers on disk; in whole milliseconds. */
export function roundMs({ saves }: State, group: Group): number {
  let slowestMs = 0
  for (const { link, ...peer } of group.peers.values()) {
    if (!link.command?.up || peer.sdownSinceMs !== undefined) continue
    slowestMs = Math.max(slowestMs, link.roundTrips ? upperBoundMs(link.roundTrips) : ROUND_MIN_MS)
  }
  const savingMs = saves.lasting === undefined ? 0 : upperBoundMs(saves.lasting)
  return Math.ceil(Math.min(ROUND_MAX_MS, Math.max(ROUND_MIN_MS, slowestMs + savingMs)))
}
