/**
 * A master that refuses connections: from the first refusal until a process listens there again, we
 * retry it every few moments, and each time ask the replicas and the peers what they see. What all
 * that proves is in evidence.ts.
 */

import { requestInfo } from '../discovery/info-request.ts'
import type { Connection, Master, Turn } from '../state.ts'
import { confer } from './confer.ts'
import { checkDown } from './down.ts'

/** An attempt to connect has failed: it was refused, or not answered at all. */
export function noteFailedAttempt(
  turn: Turn,
  { link, openedAtMs }: Connection,
  isRefused: boolean,
): void {
  for (const owner of link.owners) {
    if (owner.kind !== 'master' || owner.group.config.detection !== 'evidence') continue
    if (isRefused) noteRefused(turn, owner, openedAtMs)
    // The network may be at fault then, and what came before proves nothing any more.
    else doubt(owner)
  }
}

/** A process listens there. What was proven before is taken back only by a reply that means it is well. */
export function noteAccepted({ link }: Connection): void {
  for (const owner of link.owners) if (owner.kind === 'master') doubt(owner)
}

function noteRefused(turn: Turn, master: Master, askedAtMs: number): void {
  const { group, link } = master
  // A master that we have never seen well may not have been started yet.
  if (!link.wasOk) return
  master.refusal ??= { sinceMs: turn.now.monoMs, isProof: false, askedAtMs }
  master.refusal.askedAtMs = Math.max(master.refusal.askedAtMs, askedAtMs)
  if (master.refusal.isProof) return
  confer(turn, group)
  for (const replica of group.replicas.values()) {
    if (replica.infosPending === 0) requestInfo(turn, replica)
  }
  checkDown(turn, master)
}

function doubt(master: Master): void {
  if (master.refusal?.isProof === false) master.refusal = undefined
}
