/**
 * Who stands first. All Sentinels see the quorum within a few milliseconds of each other; if all stood at
 * once, each would vote for itself and nobody would win. So each waits by its rank among all Sentinels
 * of the group, and normally only the first ever stands.
 *
 * The dead keep their rank. A rank among the living would depend on who has noticed which death, and
 * two Sentinels with different views would stand at the same moment.
 */
import type { Group, State } from './state.ts'

/** A few round trips and a disk write: by then a better-placed candidate has asked for our vote. */
export const STAGGER_MS = 50

/** How long this Sentinel lets others go first. */
export function staggerMs(state: State, group: Group): number {
  const before = [...group.peers.keys()].filter((runId) => runId < state.myid)
  return before.length * STAGGER_MS
}
