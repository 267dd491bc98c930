/**
 * Being elected: a new epoch, our own vote first and on disk, then the peers'. The outcome is looked at
 * again with every answer. An election that cannot be won any more is given up at once, so that the
 * next one, in a new epoch, need not wait for a time-out.
 */
import { askPeers } from './ask.ts'
import { crashesAfter } from './crash.ts'
import { announce, announceText } from './events.ts'
import type { FailoverKind } from './failover-kinds.ts'
import { abortFailover, enter } from './failover-state.ts'
import { requestInfo } from './info.ts'
import { votesNeeded } from './quorum.ts'
import type { Failover, Group, Peer, Turn } from './state.ts'
import { commandLink, isSdown } from './state.ts'
import { type Outcome, tally } from './tally.ts'
import { castVote } from './vote.ts'

/** Starts a failover in a new epoch and asks for votes; a forced one needs none. */
export function standForElection(turn: Turn, group: Group, kind: FailoverKind): void {
  const { state, now } = turn
  const epoch = state.currentEpoch + 1
  state.currentEpoch = epoch
  // Whom we gave time has had it: should it come back, it does not know that it was a leader.
  group.yieldedTo = undefined
  group.failover = {
    state: 'wait_start',
    epoch,
    startedAtMs: now.monoMs,
    stateChangedAtMs: now.monoMs,
    kind,
    promoted: undefined,
    hasOrdered: false,
    acceptedAtMs: undefined,
    refusal: undefined,
    release: 'due',
    heir: undefined,
  }
  announceText(turn, 'warning', '+new-epoch', group, String(epoch))
  announce(turn, 'warning', '+try-failover', group.master)
  castVote(turn, group, epoch, state.myid)
  if (kind !== 'forced') askPeers(turn, group)
  for (const replica of group.replicas.values()) requestInfo(turn, replica)
  state.timers.set(group, 'failover', now.monoMs + electionTimeoutMs(turn, group) + 1)
}

/** One look at the election. */
export function stepElection(turn: Turn, group: Group, failover: Failover): void {
  const outcome: Outcome =
    failover.kind === 'forced' ? { kind: 'won' } : countVotes(turn, group, failover)
  if (outcome.kind === 'won') {
    announce(turn, 'warning', '+elected-leader', group.master)
    if (crashesAfter(turn, 'election')) return
    enter(turn, failover, 'select_slave')
    announce(turn, 'warning', '+failover-state-select-slave', group.master)
  } else if (outcome.kind === 'lost') {
    giveWay(turn, group, outcome.leader)
  } else if (turn.now.monoMs - failover.startedAtMs > electionTimeoutMs(turn, group)) {
    abortFailover(turn, group, '-failover-abort-not-elected')
  }
}

function countVotes(turn: Turn, group: Group, failover: Failover): Outcome {
  const peers = [...group.peers.values()]
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
  if (isSdown(peer) || commandLink(peer) === undefined) return false
  return peer.askPending || peer.vote === undefined || peer.vote.epoch < failover.epoch
}

/** Somebody else won: it has the majority's word, and gets the time we would give our own choice. */
function giveWay(turn: Turn, group: Group, leader: string | undefined): void {
  abortFailover(turn, group, '-failover-abort-not-elected')
  if (leader !== undefined) group.yieldedTo = { leader, atMs: turn.now.monoMs }
}

function electionTimeoutMs(turn: Turn, group: Group): number {
  return Math.min(turn.state.config.periods.electionTimeoutMs, group.config.failoverTimeoutMs)
}
