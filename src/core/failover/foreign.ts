/**
 * Platforms that run containers give the address of a node that is gone to the next one, which may belong to another
 * deployment. A Sentinel that watches both knows it: the node is the master of the other group, and its history is none
 * of ours. Told to follow our master it would lose its data; promoted it would serve those of the other group.
 */

import { isNoHistory } from '../discovery/replication-id.ts'
import { sameAddress } from '../names/names.ts'
import { currentMaster, type Group, type Replica, type State } from '../state.ts'

/** The other group whose master lives at the address of our replica; undefined: the node may be ours. */
export function groupItBelongsTo(state: State, replica: Replica): Group | undefined {
  if (hasSaidSo(replica) && !isMasterOfItsOwn(replica)) return undefined
  return [...state.groups.values()].find((group) => {
    return group !== replica.group && sameAddress(state, currentMaster(group), replica)
  })
}

/** The replicas that are there to follow our master. */
export function ownReplicas(state: State, { replicas }: Group): Replica[] {
  return [...replicas.values()].filter((one) => groupItBelongsTo(state, one) === undefined)
}

/** What was said over an earlier connection, another process may have said: the one that is gone. */
function hasSaidSo({ infoAtMs = Number.NEGATIVE_INFINITY, link }: Replica): boolean {
  return link.command === undefined || infoAtMs >= link.command.openedAtMs
}

/** Two names for one deployment share a history: each group must turn what the other leaves behind. */
function isMasterOfItsOwn(replica: Replica): boolean {
  return (
    replica.infoAtMs !== undefined && replica.roleReported === 'master' && !sharesHistory(replica)
  )
}

function sharesHistory({ replid, replid2, deposed = '', group: { master } }: Replica): boolean {
  const ours = [master.replid, master.replid2, deposed]
  return [replid, replid2].some((id) => id !== '' && !isNoHistory(id) && ours.includes(id))
}
