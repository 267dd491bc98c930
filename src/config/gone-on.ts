/**
 * Back to redis-sentinel, and to Vedette once more. Redis keeps its votes and epochs in the configuration, we
 * keep ours in the state file, and each leaves the other's place as it was. So where the configuration knows
 * a later vote, epoch or master than the state, redis-sentinel has gone on with it: what it wrote there counts,
 * as at the first start. Otherwise this Sentinel would vote a second time in an epoch.
 */
import { HONEST_MAX } from '../core/election/renumber.ts'
import { highestEpoch } from '../core/persistence/restore.ts'
import type { SavedGroup, SavedState } from '../core/persistence/saved.ts'
import { type LearntState, toSavedState } from './sentinel-file.ts'

/** What the Sentinel continues from, if redis-sentinel has gone on; otherwise undefined. */
export function goneOnSince(
  saved: SavedState,
  learnt: LearntState | undefined,
): SavedState | undefined {
  // A file with another id was copied from another Sentinel.
  if (learnt === undefined || learnt.myid !== saved.myid) return undefined
  const ours = new Map(saved.groups.map((group) => [group.current.name, group]))
  const hasGoneOn =
    isLater(highestEpoch(learnt), highestEpoch(saved)) ||
    learnt.groups.some((group) => isAhead(group, ours.get(group.current.name)))
  if (!hasGoneOn) return undefined
  const groups = learnt.groups.map((group) => joined(group, ours.get(group.current.name)))
  return { ...toSavedState(learnt, () => saved.myid), groups }
}

/** A group that was removed and is monitored again has begun anew. */
function isAhead(theirs: SavedGroup, ours: SavedGroup | undefined): boolean {
  if (ours?.file === undefined) return false
  return (
    isLater(theirs.leaderEpoch, ours.leaderEpoch) || isLater(theirs.configEpoch, ours.configEpoch)
  )
}

/** Numbers beyond the honest ones are those that `vedette epochs --lower` has taken out of the state. */
function isLater(epoch: number, than: number): boolean {
  return epoch > than && epoch <= HONEST_MAX
}

/** No vote of either is forgotten, nor the later master. */
function joined(theirs: SavedGroup, ours: SavedGroup | undefined): SavedGroup {
  if (ours === undefined) return theirs
  const base = ours.configEpoch > theirs.configEpoch ? ours : theirs
  const { leaderEpoch, leader } = theirs.leaderEpoch > ours.leaderEpoch ? theirs : ours
  const { pause, blockedUntilWallMs } = ours
  return { ...base, leaderEpoch, leader, pause, blockedUntilWallMs }
}
