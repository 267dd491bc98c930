/**
 * Which Sentinels confirm, at this moment, what this one believes of a group. A probe is answered only
 * from a view that a majority shares: a Sentinel that is cut off from the others must not go on telling a
 * load balancer about a master that they have replaced.
 *
 * A peer confirms with its last hello (same config epoch, same master), and as long as it is heard of. It
 * sends a hello straight to us in the turn in which it changes its mind, so what it said holds for as long
 * as its answers keep coming. We take it at its word for no longer than down-after: the others must miss
 * a master for that long before they replace it, so on the small side of a partition the view has lapsed
 * by then.
 */
import { electorCount, electorsOf, isElsewhere, majority } from '../core/election/quorum.ts'
import { sameAddress } from '../core/names/names.ts'
import {
  currentMaster,
  type Group,
  isSdown,
  isTilted,
  type Peer,
  type Turn,
} from '../core/state.ts'

export interface Confirmation {
  /** Sentinels that confirm, this one included, and all that count. */
  readonly by: number
  readonly of: number
  readonly isMajority: boolean
}

/** Three hellos may be missed before one is too old, whatever else the peer says. */
const HELLOS = 3
/** No PING is more than a second apart, and its answer needs some time. */
const HEARD_MS = 2_500

/** In TILT a Sentinel does not trust its own clocks: it confirms nothing, not even by itself. */
export function confirmationOf(turn: Turn, group: Group): Confirmation {
  const of = electorCount(group)
  const peers = electorsOf(group).filter((peer) => confirms(turn, group, peer))
  const by = isTilted(turn.state) ? 0 : 1 + peers.length
  return { by, of, isMajority: by >= majority(of) }
}

function confirms(turn: Turn, group: Group, peer: Peer): boolean {
  const { helloMaster, helloConfigEpoch } = peer
  if (isSdown(peer) || isElsewhere(peer) || helloMaster === undefined) return false
  if (helloConfigEpoch !== group.configEpoch) return false
  if (!sameAddress(turn.state, helloMaster, currentMaster(group))) return false
  return isFresh(turn, peer)
}

function isFresh({ state, now }: Turn, { link, group, helloReceivedAtMs }: Peer): boolean {
  const helloAgeMs = now.monoMs - helloReceivedAtMs
  if (helloAgeMs > HELLOS * state.config.periods.helloMs) return false
  const heardAtMs = Math.max(link.wasOk ? link.lastOkAtMs : 0, helloReceivedAtMs)
  return now.monoMs - heardAtMs <= Math.min(HEARD_MS, group.config.downAfterMs)
}
