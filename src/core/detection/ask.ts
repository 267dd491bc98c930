/**
 * Asking the peers: is this master down for you too, and, in an election, will you vote for me? One
 * command carries both questions. An opinion is believed for five ask periods and then forgotten.
 */
import type { Reply } from '../../resp/reply.ts'
import { isEpoch } from '../election/epoch.ts'
import { isElsewhere, needsVotes } from '../election/quorum.ts'
import { isBackedUp } from '../links/links.ts'
import { shownHost } from '../names/names.ts'
import { tellByHand } from '../pause/share-pause.ts'
import type { Purpose } from '../purpose.ts'
import type { Group, Peer, Turn } from '../state.ts'
import { commandLink } from '../state.ts'
import { log, send } from '../turn.ts'

type AskPurpose = Purpose & { readonly kind: 'ask' }

/** Asks every peer that does not owe us an answer, or all with `isNews`. */
export function askPeers(turn: Turn, group: Group, isNews = false): void {
  for (const peer of group.peers.values()) askPeer(turn, peer, isNews)
}

/**
 * `isNews`: our own opinion, or what we know of the peer's, has changed since we last asked. To be asked tells the peer
 * that we hold the master down, and the answer on its way may be from before it did.
 */
export function askPeer(turn: Turn, peer: Peer, isNews = false): void {
  const connection = commandLink(peer)
  const epoch = electionEpoch(peer.group)
  if (connection === undefined || isBackedUp(connection) || isElsewhere(peer)) return
  // A vote request cannot wait for the answer to an earlier question; a mere opinion can.
  if (peer.askPending && epoch === 0 && !isNews) return
  peer.askPending = true
  const { name: group, host, port } = peer.group.config
  const candidate = epoch > 0 ? turn.state.myid : '*'
  if (epoch > 0) tellByHand(turn, peer, connection, epoch)
  send(turn, connection, { kind: 'ask', group, host, port, epoch }, [
    'SENTINEL',
    'is-master-down-by-addr',
    shownHost(turn.state, host),
    String(port),
    // A vote in any other epoch would not count for us, and would be lost to the candidate of that
    // epoch.
    String(epoch > 0 ? epoch : turn.state.currentEpoch),
    candidate,
  ])
}

export interface AskAnswer {
  readonly down: boolean
  readonly leader: string
  readonly epoch: number
}

/** Notes the answer of a peer whose identity is confirmed. */
export function noteAnswer(turn: Turn, peer: Peer, purpose: AskPurpose, answer: AskAnswer): void {
  const { host, port } = peer.group.config
  if (purpose.host !== host || purpose.port !== port) return
  peer.opinionAtMs = turn.now.monoMs
  peer.masterDown = answer.down
  if (answer.leader === '*') return
  if (peer.vote?.epoch !== answer.epoch) {
    log(turn, 'notice', `${peer.name} voted for ${answer.leader} ${answer.epoch}`)
  }
  peer.vote = { leader: answer.leader, epoch: answer.epoch }
}

/** Forgets opinions that have not been confirmed for five periods. */
export function dropOldOpinions(turn: Turn, group: Group): void {
  const { askMs } = turn.state.config.periods
  for (const peer of group.peers.values()) {
    if (peer.opinionAtMs === undefined || turn.now.monoMs - peer.opinionAtMs <= 5 * askMs) continue
    peer.opinionAtMs = undefined
    peer.masterDown = false
    peer.vote = undefined
  }
}

/** Some peer is still believed. */
export function hasOpinions(group: Group): boolean {
  return [...group.peers.values()].some(({ opinionAtMs }) => opinionAtMs !== undefined)
}

/** The epoch we want to be elected in, or 0 if we only ask whether the master is down. */
export function electionEpoch(group: Group): number {
  const { failover } = group
  const isElection = failover?.state === 'wait_start' && needsVotes(group, failover.kind)
  return isElection ? failover.epoch : 0
}

/** Integer, leader's run id or `*`, its epoch; undefined if no Sentinel answers like that. */
export function parseAnswer(reply: Reply): AskAnswer | undefined {
  if (reply.kind !== 'array' || reply.items.length !== 3) return undefined
  const [down, leader, epoch] = reply.items
  if (down?.kind !== 'integer' || epoch?.kind !== 'integer') return undefined
  const text = leader?.kind === 'bulk' ? leader.bytes : undefined
  const number = Number(epoch.value)
  if (text === undefined || !isEpoch(number)) return undefined
  return { down: Number(down.value) === 1, leader: text, epoch: number }
}
