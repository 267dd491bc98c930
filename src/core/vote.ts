/**
 * One vote per epoch and group, first come first served, and on disk before anyone hears of it: that
 * is all it takes for two majorities never to elect different leaders in the same epoch.
 *
 * A vote does not require that the voter sees the master down; it only says who may act if somebody
 * must. Whoever voted for another gives that one time to do its work.
 *
 * C Sentinel also refuses epochs below the highest one it has seen in any group, so that elections of
 * different groups spoil each other. One vote per epoch *and group* is what safety needs, no more.
 */
import { array, bulk, integer, type Reply } from '../resp/reply.ts'
import { askPeer } from './ask.ts'
import { announceText } from './events.ts'
import { keepInformed } from './info.ts'
import { groupByMasterAddress } from './instances.ts'
import { save } from './memory/save.ts'
import type { Group, Peer, Turn } from './state.ts'
import { isSdown, isTilted } from './state.ts'

export interface Question {
  readonly host: string
  readonly port: number
  readonly epoch: number
  /** The candidate, or `*` when no vote is asked for. */
  readonly runId: string
}

/** Answers IS-MASTER-DOWN-BY-ADDR: our opinion, and our vote if one was asked for. */
export function answerAsk(turn: Turn, question: Question, askerName: string): Reply {
  const group = groupByMasterAddress(turn.state, question.host, question.port)
  if (group === undefined) return answer(false, '*', 0)
  const down = isSdown(group.master) && !isTilted(turn.state)
  const voted = question.runId !== '*' && castVote(turn, group, question.epoch, question.runId)
  if (down) askBack(turn, group, askerName)
  return voted ? answer(down, group.leader || '*', group.leaderEpoch) : answer(down, '*', 0)
}

/**
 * Votes for a candidate if this epoch's vote is still free. Returns false when no answer about votes
 * may be given at all, because what we would say could be forgotten.
 */
export function castVote(turn: Turn, group: Group, epoch: number, candidate: string): boolean {
  const { state } = turn
  if (!state.canSave) return false
  const isNewEpoch = epoch > state.currentEpoch
  if (isNewEpoch) state.currentEpoch = epoch
  const isFree = isFreeIn(group, epoch)
  if (isFree) recordVote(turn, group, epoch, candidate)
  if (isNewEpoch || isFree) save(turn)
  if (isNewEpoch) announceText(turn, 'warning', '+new-epoch', group, String(epoch))
  if (isFree) announceText(turn, 'warning', '+vote-for-leader', group, `${candidate} ${epoch}`)
  return true
}

/** What a candidate would be answered now, without a promise: nothing is changed by being asked. */
export function wouldVote(
  { state }: Turn,
  group: Group,
  epoch: number,
  candidate: string,
): boolean {
  return candidate !== '*' && state.canSave && !state.stopping && isFreeIn(group, epoch)
}

/** Our vote of this epoch has not been given, and the epoch is not over. */
function isFreeIn(group: Group, epoch: number): boolean {
  return epoch > group.leaderEpoch && epoch > group.configEpoch
}

function recordVote(turn: Turn, group: Group, epoch: number, candidate: string): void {
  group.leader = candidate
  group.leaderEpoch = epoch
  if (candidate === turn.state.myid) return
  group.yieldedTo = { leader: candidate, atMs: turn.now.monoMs }
  // If the master is well it is about to hand over, and we must not lose sight of it.
  if (!isSdown(group.master)) keepInformed(turn, group.master)
  // Our own candidacy may just have lost our own vote: look at it again at once.
  if (group.failover !== undefined) turn.state.timers.set(group, 'failover', turn.now.monoMs)
}

/**
 * Only a Sentinel that sees the master down asks. So a peer that asks us has just joined our opinion,
 * and its answer completes the quorum a round trip from now instead of an ask period.
 */
function askBack(turn: Turn, group: Group, askerName: string): void {
  const asker = findPeerByClientName(group, askerName)
  if (asker !== undefined && !asker.masterDown) askPeer(turn, asker)
}

/** Sentinels name their connections `sentinel-<first 8 of their id>-cmd`. */
function findPeerByClientName(group: Group, name: string): Peer | undefined {
  const prefix = /^sentinel-([0-9a-f]{8})-cmd$/.exec(name)?.[1]
  if (prefix === undefined) return undefined
  return [...group.peers.values()].find((peer) => peer.runId.startsWith(prefix))
}

function answer(down: boolean, leader: string, epoch: number): Reply {
  return array([integer(down ? 1 : 0), bulk(leader), integer(epoch)])
}
