/**
 * Proof that a peer is what a hello says it is. A hello can be written by anyone who may publish, with any
 * run id and any address in it; C Sentinel counts each of them for ever, and a hundred made-up ones make a
 * majority that can never be reached. Here a peer counts (quorum.ts) once it has answered on the connection
 * we opened to the address in its hello:
 *
 * - `SENTINEL MYID` with the run id of the hello. With another one the hello was wrong, and is forgotten.
 * - If that is refused (by a Sentinel older than 6.2, or one whose users may not ask for it), the question
 *   that every Sentinel answers must do: is this master down for you?
 *
 * Until then the peer is not announced either: no event, no script. A peer that has proven itself at an
 * address takes it from those that were there before under other ids.
 *
 * A peer that counts already still counts when a hello says that it has moved: otherwise hellos could make
 * a majority smaller. But on each new connection we ask for the identity again, and until it is known, what
 * comes over the connection is no peer's word: otherwise a hello that puts two names at one address would
 * turn one vote into two.
 */

import type { Address } from '../../base/ip.ts'
import { hostAndPort } from '../../base/ip.ts'
import type { Reply } from '../../resp/reply.ts'
import { askPeer } from '../detection/ask.ts'
import { considerFailover } from '../election/failover-start.ts'
import { announce, logQuietly } from '../events.ts'
import { unwatch } from '../instances.ts'
import { sameAddress } from '../names/names.ts'
import { sharePausesOn } from '../pause/share-pause.ts'
import { save } from '../persistence/save.ts'
import type { Connection, Peer, State, Turn } from '../state.ts'
import { commandLink } from '../state.ts'
import { log, send } from '../turn.ts'

/** A peer can be reached on a new connection, or in a further group: which one is it? */
export function askWho(turn: Turn, peer: Peer): void {
  const connection = commandLink(peer)
  if (connection === undefined || (peer.isProven && connection.identity !== 'unasked')) return
  if (connection.identity === 'unasked') connection.identity = 'asked'
  const purpose = { kind: 'whoAreYou', group: peer.group.config.name } as const
  send(turn, connection, purpose, ['SENTINEL', 'MYID'])
}

export function noteWho(turn: Turn, peer: Peer, connection: Connection, reply: Reply): void {
  if (reply.kind !== 'bulk') {
    if (connection.identity === 'asked') connection.identity = 'untold'
    return askPeer(turn, peer)
  }
  if (reply.bytes === peer.runId) return confirm(turn, peer, connection)
  const { host, port, runId } = peer
  const where = hostAndPort(host, port)
  log(turn, 'debug', `Sentinel ${runId} is not at ${where}, where ${told(reply.bytes)} answers`)
  connection.identity = 'other'
  if (!peer.isProven) removePeer(turn, peer)
}

/**
 * It has answered as only Sentinels do. Is it the peer we know? If it does not tell its run id, its
 * word must do, unless we know that another peer is there.
 */
export function isWhoWeAsked(turn: Turn, peer: Peer, connection: Connection): boolean {
  if (connection.identity === 'untold') {
    const isTaken = othersAt(turn.state, peer, peer.runId).some(isConfirmed)
    if (isTaken && peer.isProven && !peer.isSettled) connection.identity = 'other'
    else confirm(turn, peer, connection)
  } else if (connection.identity === 'confirmed' && !peer.isProven) {
    confirm(turn, peer, connection)
  }
  return connection.identity === 'confirmed'
}

/** It is here and no other peer is: one process is one voice. */
function confirm(turn: Turn, peer: Peer, connection: Connection): void {
  connection.identity = 'confirmed'
  const isNew = !peer.isProven
  peer.isProven = true
  if (isNew) announce(turn, '+sentinel', peer)
  for (const other of othersAt(turn.state, peer, peer.runId)) {
    // A peer that counts already replaces no proven one; and a proven peer that a hello only claimed
    // to be here keeps its place, because it is elsewhere.
    if (other.isProven && !(isNew && other.isSettled)) silence(other)
    else replace(turn, other)
  }
  for (const owner of connection.link.owners) if (owner.kind === 'sentinel') owner.isSettled = true
  if (isNew) save(turn)
  sharePausesOn(turn, connection)
  considerFailover(turn, peer.group)
}

export function isConfirmed({ link }: Peer): boolean {
  return link.command?.identity === 'confirmed'
}

/** It counts as before, but another process may have said what was said in its name. */
function silence(peer: Peer): void {
  const { command } = peer.link
  if (command !== undefined) command.identity = 'other'
  const unsaid = { vote: undefined, masterDown: false, opinionAtMs: undefined, counsel: undefined }
  Object.assign(peer, unsaid, { reached: 0 })
}

/** Peers known under other ids at this address, in any group: only one process can have it. */
export function othersAt(state: State, address: Address, runId: string): Peer[] {
  return [...state.groups.values()].flatMap(({ peers }) =>
    // The same Sentinel in another group is no impostor.
    [...peers.values()].filter((peer) => peer.runId !== runId && sameAddress(state, peer, address)),
  )
}

export function replace(turn: Turn, peer: Peer): void {
  const say = peer.isProven ? announce : logQuietly
  say(turn, '+sentinel-invalid-addr', peer)
  removePeer(turn, peer)
}

export function removePeer(turn: Turn, peer: Peer): void {
  unwatch(turn, peer)
  peer.group.peers.delete(peer.runId)
}

/**
 * A text from outside for our log: a run id, or a neutral phrase that cannot be taken for a line of
 * ours.
 */
function told(text: string): string {
  return /^[0-9a-f]{40}$/.test(text) ? text : 'something else'
}
