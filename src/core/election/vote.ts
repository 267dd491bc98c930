/**
 * One vote per epoch and group, first come first served, and on disk before anyone hears of it: that
 * is all it takes for two majorities never to elect different leaders in the same epoch.
 *
 * A vote does not require that the voter sees the master down; it only says which Sentinel may act if
 * one must. A Sentinel that voted for another gives that one time to do its work.
 *
 * Clones stand at the same moment, in the same epoch and under one id (see clones.ts), so a vote is told only to
 * the host that asked for it first. A candidate that asks again from another address of its host loses our vote of
 * this epoch, no more; clones behind one address cannot be told apart.
 *
 * C Sentinel also refuses epochs below the highest one it has seen in any group, so elections of
 * different groups spoil each other. One vote per epoch *and group* is what safety needs, no more.
 */
import { parseHostAndPort } from '../../base/ip.ts'
import { array, bulk, integer, type Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import { askPeer } from '../detection/ask.ts'
import { askForEpoch } from '../detection/confer.ts'
import { doubtSinceMs } from '../detection/evidence.ts'
import { sendPing } from '../detection/ping.ts'
import { keepInformed } from '../discovery/info-request.ts'
import { announce } from '../events.ts'
import { groupsByMasterAddress } from '../instances.ts'
import { withholdsVote } from '../pause/pause.ts'
import { save } from '../persistence/save.ts'
import type { Group, Peer, State, Turn } from '../state.ts'
import { isSdown, isTilted } from '../state.ts'
import { admitEpoch, isBelievable, learnEpoch } from './new-epoch.ts'

export interface DownQuestion {
  readonly host: string
  readonly port: number
  readonly epoch: number
  /** The candidate, or `*` if no vote is requested. */
  readonly runId: string
}

/** Answers IS-MASTER-DOWN-BY-ADDR: our opinion, and our vote if one was asked for. */
export function answerAsk(turn: Turn, question: DownQuestion, { name, address }: Client): Reply {
  const group = groupMeant(turn.state, question)
  if (group === undefined) return answer(false, '*', 0)
  const down = isSdown(group.master) && !isTilted(turn.state)
  const host = parseHostAndPort(address)?.host ?? ''
  const isAsked = question.runId !== '*' && !isClone(turn.state, group, question, host)
  const voted = isAsked && consider(turn, group, question, name)
  if (voted && group.leader === question.runId) group.candidateHost ??= host
  if (!isTilted(turn.state)) askBack(turn, group, name)
  return voted ? answer(down, toldLeader(group), group.leaderEpoch) : answer(down, '*', 0)
}

/** Where several groups have this master, the one whose vote binds us most: whoever asks may mean any of them. */
function groupMeant(state: State, { host, port }: DownQuestion): Group | undefined {
  const groups = groupsByMasterAddress(state, host, port)
  return groups.toSorted((one, other) => other.leaderEpoch - one.leaderEpoch)[0]
}

/** Is the candidate not the process that has our vote, under the same id, or this process itself? */
function isClone(
  { myid }: State,
  { leader, leaderEpoch, candidateHost }: Group,
  { epoch, runId }: DownQuestion,
  host: string,
): boolean {
  const hasVote = leader === runId && epoch <= leaderEpoch
  return runId === myid || (hasVote && candidateHost !== undefined && candidateHost !== host)
}

/**
 * Once an epoch has given the group its configuration, a vote of it elects nobody: who still asks for it was restored from
 * a backup, and would lead a second time in an epoch in which others have followed it already.
 */
function toldLeader({ leader, leaderEpoch, configEpoch }: Group): string {
  return leader === '' || leaderEpoch <= configEpoch ? '*' : leader
}

/** Votes in the candidate's epoch, if that can be believed; if not, asks the candidate itself. */
function consider(turn: Turn, group: Group, question: DownQuestion, askerName: string): boolean {
  const { epoch, runId } = question
  const name = `${askerName || 'a client'} for ${runId}`
  const speaker = { door: 'vote request', name, peer: undefined } as const
  if (withholdsVote(group, epoch, runId)) learnEpoch(turn, group, epoch, speaker)
  else if (admitEpoch(turn, group, epoch, speaker)) return castVote(turn, group, epoch, runId)
  askForEpoch(turn, group, runId)
  return false
}

/**
 * Votes for a candidate if this epoch's vote is still free. Returns false if no answer about votes
 * may be given at all, because what we would say could be forgotten.
 */
export function castVote(turn: Turn, group: Group, epoch: number, candidate: string): boolean {
  const { state } = turn
  if (!state.canSave) return false
  const isNewEpoch = epoch > state.currentEpoch
  if (isNewEpoch) state.currentEpoch = epoch
  const isFree = isFreeIn(group, epoch)
  if (isFree) recordVotes(turn, group, epoch, candidate)
  if (isNewEpoch || isFree) save(turn)
  if (isNewEpoch) announce(turn, '+new-epoch', group, { epoch })
  if (isFree) announce(turn, '+vote-for-leader', group, { leader: candidate, epoch })
  return true
}

/**
 * SENTINEL CONFER: what we see of that master, with a new PING to it now, and whether we would vote
 * as asked.
 */
export function answerConfer(turn: Turn, question: DownQuestion): Reply {
  const { epoch, runId } = question
  const { state } = turn
  const group = groupMeant(state, question)
  if (group === undefined) return counsel(state, { isRefused: false, isGranted: false })
  sendPing(turn, group.master.link)
  if (!isBelievable(turn, group, epoch, 'stranger')) askForEpoch(turn, group, runId)
  // In TILT nothing that was seen can be believed, by others no more than by ourselves.
  const isRefused = group.master.refusal !== undefined && !isTilted(state)
  return counsel(state, { isRefused, isGranted: wouldVote(turn, group, epoch, runId) })
}

/** The answer a candidate would get now, without a promise: the question changes nothing. */
function wouldVote(turn: Turn, group: Group, epoch: number, candidate: string): boolean {
  const { canSave, stopping } = turn.state
  if (candidate === '*' || !canSave || stopping || !isFreeIn(group, epoch)) return false
  if (withholdsVote(group, epoch, candidate)) return false
  return isBelievable(turn, group, epoch, 'stranger')
}

/** Whether our vote of this epoch is still free, and the epoch is not over. */
function isFreeIn(group: Group, epoch: number): boolean {
  return epoch > group.leaderEpoch && epoch > group.configEpoch
}

/**
 * In all groups of that master: one may move on, and the others must not give the vote a second time. They leave the
 * failover to the candidate, even if that is this Sentinel, in the name of this group.
 */
function recordVotes(turn: Turn, group: Group, epoch: number, candidate: string): void {
  const { host, port } = group.config
  for (const one of groupsByMasterAddress(turn.state, host, port)) {
    if (!isFreeIn(one, epoch)) continue
    one.leader = candidate
    one.leaderEpoch = epoch
    one.candidateHost = undefined
    if (one !== group || candidate !== turn.state.myid) yieldTo(turn, one, candidate)
  }
}

function yieldTo(turn: Turn, group: Group, candidate: string): void {
  group.yieldedTo = { leader: candidate, atMs: turn.now.monoMs }
  // If the master is well it is about to hand over, and we must not lose sight of it.
  if (!isSdown(group.master)) keepInformed(turn, group.master)
  // Our own candidacy may just have lost our own vote: check it again at once.
  if (group.failover !== undefined) turn.state.timers.set(group, 'failover', turn.now.monoMs)
}

/**
 * Hardly a Sentinel asks that does not see the master down. So a peer that asks us has just joined our opinion, or has
 * come to it first, and its answer completes the quorum a round trip from now instead of an ask period. While we are
 * only in doubt we ask it once, or two of us could ask each other without end.
 */
function askBack(turn: Turn, group: Group, askerName: string): void {
  const asker = findPeerByClientName(group, askerName)
  if (asker === undefined || asker.masterDown) return
  if (isSdown(group.master)) return askPeer(turn, asker, true)
  const sinceMs = doubtSinceMs(turn, group.master)
  if (sinceMs !== undefined && (asker.opinionAtMs ?? 0) <= sinceMs) askPeer(turn, asker)
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

function counsel(
  { currentEpoch }: State,
  { isRefused, isGranted }: { readonly isRefused: boolean; readonly isGranted: boolean },
): Reply {
  return array([integer(isRefused ? 1 : 0), integer(isGranted ? 1 : 0), integer(currentEpoch)])
}
