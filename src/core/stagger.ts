/**
 * Who stands first. All Sentinels see the quorum within a few milliseconds of each other; if all stood at
 * once, each would vote for itself and nobody would win. So each waits by its rank among all Sentinels
 * of the group, and normally only the first ever stands.
 *
 * The dead keep their rank. A rank among the living would depend on who has noticed which death, and
 * two Sentinels with different views would stand at the same moment.
 */
import { roundMs } from './round-trips.ts'
import type { Group, State } from './state.ts'

/** Who sees the quorum last does so a round trip after the first, and needs another to ask for votes. */
const ROUNDS_APART = 2

/** How long this Sentinel lets others go first. */
export function staggerMs(state: State, group: Group): number {
  let before = 0
  for (const runId of group.peers.keys()) if (runId < state.myid) before++
  return before * ROUNDS_APART * roundMs(state, group)
}
