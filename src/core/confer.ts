/**
 * Conferring: Sentinels of our own make ask each other what they see before anybody says anything aloud.
 * `SENTINEL CONFER` promises nothing and changes no vote and no epoch; three mechanisms live on it:
 *
 * - A master that does not answer at once: whoever is asked looks for himself, so that everybody's
 *   down-after starts with the first unanswered PING of any (`suspect`).
 * - Evidence: are your connections to the master refused as well (evidence.ts)?
 * - Before an election: would you vote for me (candidacy.ts)?
 *
 * C Sentinel answers with an error, is not asked again on that connection, and its silence means no
 * more than that: in a mixed group everything goes on as among C Sentinels.
 */
import { array, integer, type Reply } from '../resp/reply.ts'
import { isEpoch } from './epoch.ts'
import { groupByMasterAddress } from './instances.ts'
import { isBackedUp } from './links.ts'
import { shownHost } from './names/names.ts'
import { adoptEpoch } from './new-epoch.ts'
import { sendPing } from './ping.ts'
import type { Purpose } from './purpose.ts'
import type { Group, Link, Peer, Turn } from './state.ts'
import { commandLink } from './state.ts'
import { log, send } from './turn.ts'
import { type Question, wouldVote } from './vote.ts'

type ConferPurpose = Purpose & { readonly kind: 'confer' }

/** A PING to a master has been on its way for longer than it should be. */
export function suspect(turn: Turn, link: Link): void {
  for (const { kind, group } of link.owners) if (kind === 'master') confer(turn, group)
}

/** Asks every peer that can answer and does not owe us an answer yet. */
export function confer(turn: Turn, group: Group): void {
  for (const peer of group.peers.values()) conferWith(turn, peer)
}

/** The same with one. */
export function conferWith(turn: Turn, peer: Peer): void {
  const connection = commandLink(peer)
  if (connection === undefined || isBackedUp(connection)) return
  if (peer.confers === false || peer.conferPending) return
  peer.conferPending = true
  const { name: group, host, port } = peer.group.config
  // Asked whenever we ask anything: if it comes to an election, the answer is there already.
  const epoch = turn.state.currentEpoch + 1
  const words = [shownHost(turn.state, host), String(port), String(epoch), turn.state.myid]
  const purpose = { kind: 'confer', group, host, port, epoch } as const
  send(turn, connection, purpose, ['SENTINEL', 'CONFER', ...words])
}

/** Notes an answer: three integers, refused, granted, and the epoch the peer has reached. */
export function noteCounsel(turn: Turn, peer: Peer, purpose: ConferPurpose, reply: Reply): void {
  peer.conferPending = false
  const counsel = parseCounsel(reply)
  if (counsel === undefined && peer.confers !== false) {
    log(turn, 'debug', `${peer.name} does not confer`)
  }
  peer.confers = counsel !== undefined
  const { host, port } = peer.group.config
  if (counsel === undefined || purpose.host !== host || purpose.port !== port) return
  // A refusal for an epoch that is over elsewhere would be repeated for ever.
  adoptEpoch(turn, peer.group, counsel.epoch)
  peer.counsel = { ...counsel, atMs: turn.now.monoMs, epoch: purpose.epoch }
}

/** SENTINEL CONFER: what we see of that master, looking at it now, and whether we would vote so. */
export function answerConfer(turn: Turn, { host, port, epoch, runId }: Question): Reply {
  const group = groupByMasterAddress(turn.state, host, port)
  if (group === undefined) return answer(turn, false, false)
  sendPing(turn, group.master.link)
  const isRefused = group.master.refusal !== undefined
  return answer(turn, isRefused, wouldVote(turn, group, epoch, runId))
}

function parseCounsel(
  reply: Reply,
): { refused: boolean; granted: boolean; epoch: number } | undefined {
  if (reply.kind !== 'array' || reply.items.length !== 3) return undefined
  const [refused, granted, epoch] = reply.items.map(integerIn)
  if (refused === undefined || granted === undefined || epoch === undefined) return undefined
  return isEpoch(epoch) ? { refused: refused === 1, granted: granted === 1, epoch } : undefined
}

function integerIn(reply: Reply): number | undefined {
  return reply.kind === 'integer' ? Number(reply.value) : undefined
}

function answer({ state }: Turn, refused: boolean, granted: boolean): Reply {
  return array([integer(refused ? 1 : 0), integer(granted ? 1 : 0), integer(state.currentEpoch)])
}
