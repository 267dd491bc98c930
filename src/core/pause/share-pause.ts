/**
 * How orders spread: `SENTINEL SHARE-PAUSE` tells a Vedette peer what we hold, and the answer says what
 * it holds then. A peer is told at once, whenever a connection to it has been confirmed, and every hello
 * period until it has said that it holds the same. So Sentinels that are new, were restarted, or were on
 * the other side of a partition learn of a pause, and of its end, from the first peer they reach.
 *
 * Hellos are left as they are, because C Sentinels read them. Where no pause was ever ordered, nothing is
 * sent.
 */
import { isElsewhere } from '../election/quorum.ts'
import { isBackedUp } from '../links/links.ts'
import type { Connection, Group, Instance, Peer, Turn } from '../state.ts'
import { commandLink, isSdown } from '../state.ts'
import { send } from '../turn.ts'
import { hasOrder, isPaused } from './pause.ts'
import { orderKey, pauseWords } from './pause-record.ts'

/** Whether the peer can be told something now; a C Sentinel cannot. */
export function isInReachToShare(peer: Peer): boolean {
  const connection = commandLink(peer)
  if (connection === undefined || isBackedUp(connection)) return false
  return !isSdown(peer) && !isElsewhere(peer) && peer.sharesPauses !== false
}

/** Tells the peer what we hold. */
export function sharePause(turn: Turn, peer: Peer): void {
  const connection = commandLink(peer)
  if (connection === undefined || !isInReachToShare(peer)) return
  const { config, pause } = peer.group
  const words = pauseWords(pause, turn.now.monoMs)
  const purpose = { kind: 'sharePause', group: config.name, number: pause.number } as const
  send(turn, connection, purpose, ['SENTINEL', 'SHARE-PAUSE', config.name, ...words])
}

/** A connection has been confirmed: in all groups that use it, the peer hears what we hold. */
export function sharePausesOn(turn: Turn, { link }: Connection): void {
  for (const owner of link.owners) {
    if (owner.kind === 'sentinel' && hasOrder(owner.group)) sharePause(turn, owner)
  }
}

/** Called in each hello period. */
export function keepSharing(turn: Turn, instance: Instance): void {
  if (instance.kind !== 'sentinel' || !hasOrder(instance.group)) return
  const isConfirmed = instance.link.command?.identity === 'confirmed'
  if (isConfirmed && instance.heldPause !== orderKey(instance.group.pause)) {
    sharePause(turn, instance)
  }
}

/** Our clocks are good again: peers know what is left of the pause. */
export function askWhatIsLeft(turn: Turn, group: Group): void {
  if (!hasOrder(group) || group.pause.isSure) return
  for (const peer of group.peers.values()) sharePause(turn, peer)
}

/**
 * Goes in front of a request for a vote that an operator ordered: peers that hold a pause would refuse
 * it. A peer that does not know the command does not know pauses either.
 */
export function tellByHand(turn: Turn, peer: Peer, connection: Connection, epoch: number): void {
  const { group } = peer
  if (group.failover?.kind !== 'coordinated' || !isPaused(group)) return
  const { name } = group.config
  const words = ['SENTINEL', 'BY-HAND', name, String(epoch), turn.state.myid]
  send(turn, connection, { kind: 'byHand', group: name }, words)
}
