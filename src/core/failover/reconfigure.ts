/**
 * Pointing the other replicas at the new master, at most `parallel-syncs` at a time, because each of
 * them may be unable to serve while it synchronises. The next one starts when the one before answers.
 */

import { scheduleInfo } from '../discovery/info-request.ts'
import { announce } from '../events.ts'
import type { Failover, Group, Replica, Turn } from '../state.ts'
import { isSdown } from '../state.ts'
import { awaitsRelease } from './coordinated.ts'
import { enter } from './failover-state.ts'
import { ownReplicas } from './foreign.ts'
import { follows, sendSlaveof } from './slaveof.ts'
import { isStrict } from './voters.ts'

/** reconf_slaves: until every replica follows, is down, or the time is up. */
export function stepReconfigure(turn: Turn, group: Group, failover: Failover): void {
  const { promoted } = failover
  if (promoted === undefined) return
  const replicas = ownReplicas(turn.state, group)
  for (const replica of replicas) noteProgress(turn, replica, promoted)
  for (const replica of replicas) giveUpOnSilent(turn, replica)
  // The voters of a strict group follow already. They save this one after the other: a node that saves its
  // configuration acknowledges nothing meanwhile, and the new master needs somebody.
  const mustSave = isStrict(group) && awaitsRelease(group, failover)
  const next = mustSave ? [] : reachableFirst(replicas)
  for (const replica of next) startNext(turn, group, replica, promoted)
  // A promoted replica that dies at once must become the master on record, or it could not be
  // replaced.
  const isDone = isSdown(promoted) || replicas.every(isSettled)
  if (isDone && !awaitsRelease(group, failover)) finish(turn, group, failover)
  else if (isOverdue(turn, group, failover)) finishLate(turn, group, failover, promoted)
  else turn.state.timers.set(group, 'failover', overdueAtMs(group, failover))
}

/** INFO shows two steps: first that the replica points at the new master, then that the link is up. */
function noteProgress(turn: Turn, replica: Replica, promoted: Replica): void {
  const toldAfter = (replica.infoAtMs ?? 0) >= replica.reconfSentAtMs
  if (replica.reconf === 'sent' && toldAfter && follows(turn.state, replica, promoted)) {
    replica.reconf = 'inprog'
    announce(turn, '+slave-reconf-inprog', replica)
  }
  if (replica.reconf === 'inprog' && replica.masterLinkUp) {
    replica.reconf = 'done'
    announce(turn, '+slave-reconf-done', replica)
  }
}

function giveUpOnSilent(turn: Turn, replica: Replica): void {
  if (replica.reconf !== 'sent') return
  const limitMs = turn.state.config.periods.slaveReconfTimeoutMs
  if (turn.now.monoMs - replica.reconfSentAtMs <= limitMs) return
  announce(turn, '-slave-reconf-sent-timeout', replica)
  replica.reconf = 'done'
}

/** A replica that is down may never answer: it must not take its turn before those that will. */
function reachableFirst(replicas: readonly Replica[]): readonly Replica[] {
  return [...replicas].sort((a, b) => Number(isSdown(a)) - Number(isSdown(b)))
}

function startNext(turn: Turn, group: Group, replica: Replica, promoted: Replica): void {
  if (replica.promoted || replica.reconf !== 'none') return
  const busy = [...group.replicas.values()].filter(isMoving)
  // The new master answers nothing before enough voters follow it.
  if (busy.length >= group.config.parallelSyncs && !isStrict(group)) return
  if (!sendSlaveof(turn, replica, promoted)) return
  replica.reconf = 'sent'
  replica.reconfSentAtMs = turn.now.monoMs
  announce(turn, '+slave-reconf-sent', replica)
  scheduleInfo(turn, replica)
  const { slaveReconfTimeoutMs } = turn.state.config.periods
  turn.state.timers.set(replica, 'reconf', turn.now.monoMs + slaveReconfTimeoutMs + 1)
}

/** It takes one of the `parallel-syncs` places; if it dies meanwhile, it gives the place up. */
function isMoving(replica: Replica): boolean {
  return (replica.reconf === 'sent' || replica.reconf === 'inprog') && !isSdown(replica)
}

function isSettled(replica: Replica): boolean {
  return replica.promoted || replica.reconf === 'done' || isSdown(replica)
}

function finish(turn: Turn, group: Group, failover: Failover): void {
  announce(turn, '+failover-end', group.master)
  enter(turn, failover, 'update_config')
}

/**
 * The time is up: replicas that lag behind get the command once more, without waiting for the result,
 * and the switch happens.
 */
function finishLate(turn: Turn, group: Group, failover: Failover, promoted: Replica): void {
  announce(turn, '+failover-end-for-timeout', group.master)
  announce(turn, '+failover-end', group.master)
  for (const replica of ownReplicas(turn.state, group)) {
    if (replica.promoted || replica.reconf === 'done' || replica.reconf === 'sent') continue
    if (!sendSlaveof(turn, replica, promoted)) continue
    announce(turn, '+slave-reconf-sent-be', replica)
  }
  enter(turn, failover, 'update_config')
}

function isOverdue(turn: Turn, group: Group, failover: Failover): boolean {
  return turn.now.monoMs >= overdueAtMs(group, failover)
}

function overdueAtMs(group: Group, failover: Failover): number {
  return failover.stateChangedAtMs + group.config.failoverTimeoutMs + 1
}
