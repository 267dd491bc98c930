/**
 * Two numbers rule a group, and they are different on purpose. The quorum says how many Sentinels must see the
 * master down before any of them acts. The majority of all Sentinels ever met decides which one may act: without it,
 * both halves of a partition could promote a replica.
 *
 * Anyone can write a hello, so a peer counts once it has proven to be a Sentinel (proof.ts), and from then on
 * for ever, dead or alive, and wherever a hello says it has moved to. A group that is not complete yet is the
 * exception: as long as fewer than the quorum, or fewer than three, have proven themselves, every Sentinel we
 * have heard of counts. We may be the few who were cut off from the others before we ever reached them.
 */
import type { FailoverKind } from '../failover/failover-kinds.ts'
import type { Group, Peer, State } from '../state.ts'
import { isSdown } from '../state.ts'
import { isUsedUp } from './epoch.ts'

const GROUP_MIN = 3

/** More than half: of the Sentinels of a group, or of the voters of a strict one. */
export function majority(members: number): number {
  return Math.floor(members / 2) + 1
}

/**
 * The peers that count, with their opinions and votes. The dead count too: otherwise a minority would
 * be enough.
 */
export function electorsOf({ peers, config }: Group): Peer[] {
  const all = [...peers.values()]
  const proven = all.filter(({ isProven }) => isProven)
  return 1 + proven.length >= Math.max(GROUP_MIN, config.quorum) ? proven : all
}

/** All Sentinels of the group that count, this one included. */
export function electorCount(group: Group): number {
  return electorsOf(group).length + 1
}

/** Votes that a candidate needs: the majority, and the quorum if that is more. */
export function votesNeeded(group: Group): number {
  return Math.max(majority(electorCount(group)), group.config.quorum)
}

/** An order by hand needs no votes, except where two leaders of one epoch could lose what was acknowledged. */
export function needsVotes({ config }: Group, kind: FailoverKind): boolean {
  return kind !== 'forced' || config.replication === 'strict'
}

/** This Sentinel and every peer that counts and is not seen down, connected or not. */
export function usableSentinels(group: Group): number {
  return 1 + electorsOf(group).filter((peer) => !isSdown(peer) && !isElsewhere(peer)).length
}

/** Another process lives at this peer's address: the peer cannot be reached, whatever answers there. */
export function isElsewhere({ link }: Peer): boolean {
  return link.command?.identity === 'other'
}

const NO_QUORUM = 'Not enough available Sentinels to reach the specified quorum for this master'
const NO_MAJORITY = 'Not enough available Sentinels to reach the majority and authorize a failover'
/** C Sentinel has no such end: its epochs go on to 2^64 - 1. */
const NO_EPOCH = 'No epoch is left to elect a leader in: see `vedette epochs`'

/**
 * Three questions at once: could enough Sentinels agree that the master is down, could one be elected, and is
 * there an epoch left for it? The text is the answer of SENTINEL CKQUORUM.
 */
export function quorumVerdict(
  { currentEpoch }: State,
  group: Group,
): {
  readonly isReachable: boolean
  readonly text: string
} {
  const usable = usableSentinels(group)
  const lacks = []
  if (usable < group.config.quorum) lacks.push(NO_QUORUM)
  if (usable < majority(electorCount(group))) lacks.push(NO_MAJORITY)
  if (isUsedUp(currentEpoch)) lacks.push(NO_EPOCH)
  const text = `${usable} usable Sentinels.`
  if (lacks.length > 0) return { isReachable: false, text: `NOQUORUM ${text} ${lacks.join('. ')}` }
  const isReached = 'Quorum and failover authorization can be reached'
  return { isReachable: true, text: `OK ${text} ${isReached}` }
}
