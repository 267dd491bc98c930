/**
 * Conferring: Sentinels of our own make ask each other what they see before any of them announces
 * anything. `SENTINEL CONFER` promises nothing and changes no vote and no epoch; three mechanisms use
 * it:
 *
 * - A master that does not answer at once: every Sentinel that is asked sends its own PING, so that the
 *   down-after of all starts with the first unanswered PING of any (`suspect`).
 * - Evidence: are your connections to the master refused as well (evidence.ts)?
 * - Before an election: would you vote for me (pre-vote.ts)?
 *
 * C Sentinel answers with an error and is not asked again on that connection. That means nothing else:
 * in a mixed group everything goes on as among C Sentinels.
 */
import type { Reply } from '../../resp/reply.ts'
import { learnEpoch } from '../election/new-epoch.ts'
import { isElsewhere } from '../election/quorum.ts'
import { isBackedUp } from '../links/links.ts'
import { shownHost } from '../names/names.ts'
import type { Purpose } from '../purpose.ts'
import type { Connection, Group, Link, Peer, Turn } from '../state.ts'
import { commandLink } from '../state.ts'
import { log, send } from '../turn.ts'

type ConferPurpose = Purpose & { readonly kind: 'confer' }

/** The answer to a PING to a master is taking too long. */
export function suspect(turn: Turn, link: Link): void {
  for (const { kind, group } of link.owners) if (kind === 'master') confer(turn, group)
}

/** Asks every peer that can answer and does not owe us an answer. */
export function confer(turn: Turn, group: Group): void {
  for (const peer of group.peers.values()) conferWith(turn, peer)
}

/** The same for one peer. */
export function conferWith(turn: Turn, peer: Peer): void {
  const connection = commandLink(peer)
  if (connection === undefined || isBackedUp(connection) || isElsewhere(peer)) return
  if (peer.confers === false || peer.conferPending) return
  peer.conferPending = true
  const { name: group, host, port } = peer.group.config
  // Included in every question: if it comes to an election, the answer is there already.
  const epoch = turn.state.currentEpoch + 1
  const words = [shownHost(turn.state, host), String(port), String(epoch), turn.state.myid]
  const purpose = { kind: 'confer', group, host, port, epoch } as const
  send(turn, connection, purpose, ['SENTINEL', 'CONFER', ...words])
}

/** Notes an answer: three integers, `refused`, `granted`, and the epoch the peer has reached. */
export function noteCounsel(
  turn: Turn,
  peer: Peer,
  { identity }: Connection,
  purpose: ConferPurpose,
  reply: Reply,
): void {
  peer.conferPending = false
  const counsel = parseCounsel(reply)
  if (counsel === undefined && peer.confers !== false) {
    log(turn, 'debug', `${peer.name} does not confer`)
  }
  peer.confers = counsel !== undefined
  const { host, port } = peer.group.config
  // From a peer whose identity is not confirmed we learn only whether it can be asked.
  if (counsel === undefined || identity !== 'confirmed') return
  if (purpose.host !== host || purpose.port !== port) return
  // A refusal for an epoch that is over elsewhere would otherwise be repeated for ever.
  peer.reached = Math.max(peer.reached, counsel.epoch)
  learnEpoch(turn, peer.group, counsel.epoch, { door: 'answer', name: peer.runId, peer })
  peer.counsel = { ...counsel, atMs: turn.now.monoMs, epoch: purpose.epoch }
}

/**
 * Asks a peer which epoch it has reached, because a message in its name had one that we cannot
 * believe.
 */
export function askForEpoch(turn: Turn, group: Group, runId: string): void {
  const peer = group.peers.get(runId)
  if (peer?.isProven && turn.state.renumbering === undefined) conferWith(turn, peer)
}

function parseCounsel(
  reply: Reply,
): { refused: boolean; granted: boolean; epoch: number } | undefined {
  if (reply.kind !== 'array' || reply.items.length !== 3) return undefined
  const [refused, granted, epoch] = reply.items.map(integerIn)
  if (refused === undefined || granted === undefined || epoch === undefined) return undefined
  return epoch < 0 ? undefined : { refused: refused === 1, granted: granted === 1, epoch }
}

function integerIn(reply: Reply): number | undefined {
  return reply.kind === 'integer' ? Number(reply.value) : undefined
}
