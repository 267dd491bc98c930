import type { Group } from './state.ts'
import { isSdown } from './state.ts'

/**
 * Two numbers rule a group, and they are different on purpose. The quorum says how many Sentinels must
 * see the master down before anyone acts. The majority of all Sentinels ever met says who may act:
 * without it, both halves of a partition could promote a replica.
 */
export function majority(voters: number): number {
  return Math.floor(voters / 2) + 1
}

/** All known Sentinels of the group, this one included. The dead count: otherwise a minority would. */
export function votersOf(group: Group): number {
  return group.peers.size + 1
}

/** Votes a candidate needs: the majority, and the quorum where that is more. */
export function votesNeeded(group: Group): number {
  return Math.max(majority(votersOf(group)), group.config.quorum)
}

/** This Sentinel and every peer not seen down, connected or not. */
export function usableSentinels(group: Group): number {
  return 1 + [...group.peers.values()].filter((peer) => !isSdown(peer)).length
}
