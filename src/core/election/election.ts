/**
 * Being elected: a new epoch, our own vote first and on disk, then the peers'. The outcome is computed
 * again with every answer. An election that cannot be won any more is given up at once, so that the
 * next one, in a new epoch, need not wait for a time-out.
 */
import { askPeers } from '../detection/ask.ts'
import { requestInfo, requestRecentInfo } from '../discovery/info-request.ts'
import { announce } from '../events.ts'
import type { FailoverKind } from '../failover/failover-kinds.ts'
import { abortFailover, enter } from '../failover/failover-state.ts'
import { crashesAfter } from '../failover/simulate-failure.ts'
import type { Failover, Group, Peer, Replica, Turn } from '../state.ts'
import { commandLink, isSdown } from '../state.ts'
import { electorsOf, isElsewhere, needsVotes, votesNeeded } from './quorum.ts'
import { type ElectionOutcome, tally } from './tally.ts'
import { castVote } from './vote.ts'

/** Starts a failover in a new epoch and asks for votes; a forced one needs none. */
export function standForElection(
  turn: Turn,
  group: Group,
  kind: FailoverKind,
  target?: Replica,
): void {
  const { state, now } = turn
  const epoch = state.currentEpoch + 1
  state.currentEpoch = epoch
  // The leader we voted for has used up its time: if it comes back, it does not know that it was a
  // leader.
  group.yieldedTo = undefined
  group.failover = {
    state: 'wait_start',
    epoch,
    startedAtMs: now.monoMs,
    stateChangedAtMs: now.monoMs,
    kind,
    promoted: undefined,
    target,
    hasOrdered: false,
    acceptedAtMs: undefined,
    refusal: undefined,
    release: 'due',
    heir: undefined,
    fencing: undefined,
  }
  announce(turn, '+new-epoch', group, { epoch })
  announce(turn, '+try-failover', group.master)
  castVote(turn, group, epoch, state.myid)
  if (needsVotes(group, kind)) askPeers(turn, group)
  // After an order the old master may have written on until now.
  const ask = kind === 'automatic' ? requestRecentInfo : requestInfo
  for (const replica of group.replicas.values()) ask(turn, replica)
  state.timers.set(group, 'failover', now.monoMs + electionTimeoutMs(turn, group) + 1)
}

/** Checks the election once. */
export function stepElection(turn: Turn, group: Group, failover: Failover): void {
  const outcome: ElectionOutcome = needsVotes(group, failover.kind)
    ? countVotes(turn, group, failover)
    : { kind: 'won' }
  if (outcome.kind === 'won') {
    announce(turn, '+elected-leader', group.master)
    if (crashesAfter(turn, 'election')) return
    enter(turn, failover, 'select_slave')
    announce(turn, '+failover-state-select-slave', group.master)
  } else if (outcome.kind === 'lost') {
    giveWay(turn, group, outcome.leader)
  } else if (turn.now.monoMs - failover.startedAtMs > electionTimeoutMs(turn, group)) {
    abortFailover(turn, group, '-failover-abort-not-elected')
  }
}

function countVotes(turn: Turn, group: Group, failover: Failover): ElectionOutcome {
  const peers = electorsOf(group)
  return tally({
    me: turn.state.myid,
    epoch: failover.epoch,
    needed: votesNeeded(group),
    ownVote: group.leaderEpoch === failover.epoch ? group.leader : undefined,
    votes: peers.flatMap((peer) => (peer.vote === undefined ? [] : [peer.vote])),
    outstanding: peers.filter((peer) => mayStillVote(peer, failover)).length,
  })
}

function mayStillVote(peer: Peer, failover: Failover): boolean {
  if (isSdown(peer) || isElsewhere(peer) || commandLink(peer) === undefined) return false
  return peer.askPending || peer.vote === undefined || peer.vote.epoch < failover.epoch
}

/**
 * Another candidate won: it has the votes of the majority, and gets the time we would give our own
 * choice.
 */
function giveWay(turn: Turn, group: Group, leader: string | undefined): void {
  abortFailover(turn, group, '-failover-abort-not-elected')
  if (leader !== undefined) group.yieldedTo = { leader, atMs: turn.now.monoMs }
}

function electionTimeoutMs(turn: Turn, group: Group): number {
  return Math.min(turn.state.config.periods.electionTimeoutMs, group.config.failoverTimeoutMs)
}
