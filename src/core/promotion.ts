/**
 * From "elected" to "promoted". The replica is chosen on facts that are younger than the election:
 * every reachable replica is asked for INFO first, because the one with the most data is the one that
 * loses the fewest acknowledged writes, and offsets from before the master died would decide badly.
 */
import {
  acknowledgedHeir,
  giveUp,
  handoverCandidates,
  hasGivenUp,
  isHandedOver,
  releaseClients,
  stepHandover,
} from './coordinated.ts'
import { crashesAfter } from './crash.ts'
import { announce } from './events.ts'
import { abortFailover, enter } from './failover-state.ts'
import { sendHelloToAll } from './hello-send.ts'
import { requestInfo, scheduleInfo } from './info.ts'
import { save } from './memory/save.ts'
import { callReconfigScript } from './scripts/script-calls.ts'
import { comparePromotion, promotableReplicas } from './selection.ts'
import { sendSlaveof } from './slaveof.ts'
import type { Failover, Group, Replica, Turn } from './state.ts'
import { commandLink, isSdown } from './state.ts'
import { demoteUselessMaster } from './useless-demotion.ts'

/** How long a replica may take to answer INFO before the choice is made without it. */
const SELECTION_PATIENCE_MS = 200
/** How old what a replica said of its offset may be when the election is won. */
const FRESH_MS = 50

/** select_slave: asks all replicas, then picks the best. */
export function stepSelection(turn: Turn, group: Group, failover: Failover): void {
  const deadlineMs = failover.stateChangedAtMs + SELECTION_PATIENCE_MS
  const awaited = [...group.replicas.values()].filter((one) => isAwaited(one, failover))
  if (awaited.length > 0 && turn.now.monoMs < deadlineMs) {
    for (const replica of awaited) if (replica.infosPending === 0) requestInfo(turn, replica)
    turn.state.timers.set(group, 'failover', deadlineMs)
    return
  }
  // One that hangs would cost a whole down-after more: whoever answered goes first.
  const candidates = candidatesFor(turn, group, failover).sort(comparePromotion)
  const chosen = candidates.find((one) => !isAwaited(one, failover)) ?? candidates[0]
  if (chosen === undefined) abortFailover(turn, group, '-failover-abort-no-good-slave')
  else select(turn, failover, chosen)
}

/** send_slaveof_noone: as soon as there is a connection to say it on. */
export function stepSlaveofNoOne(turn: Turn, group: Group, failover: Failover): void {
  if (failover.kind === 'coordinated') return stepHandover(turn, group, failover)
  const { promoted } = failover
  if (promoted === undefined || isHopeless(turn, failover, promoted)) {
    abortFailover(turn, group, '-failover-abort-slave-timeout')
    return
  }
  armTimeout(turn, group, failover)
  if (!sendSlaveof(turn, promoted, 'no one')) return
  enter(turn, failover, 'wait_promotion')
  announce(turn, 'notice', '+failover-state-wait-promotion', promoted)
  scheduleInfo(turn, promoted)
}

/** wait_promotion: until INFO of the promoted replica says master, which is noted in `observe.ts`. */
export function stepWaitPromotion(turn: Turn, group: Group, failover: Failover): void {
  const { promoted, kind } = failover
  const isCoordinated = kind === 'coordinated'
  if (isCoordinated && promoted && isDone(turn, group, failover, promoted)) {
    acceptPromotion(turn, group, failover, promoted)
  } else if (promoted === undefined || isHopeless(turn, failover, promoted)) {
    abortFailover(turn, group, '-failover-abort-slave-timeout')
  } else if (isCoordinated && hasGivenUp(group, failover)) {
    giveUp(turn, group, 'gave up handing over, its log says why')
  } else if (saysMasterSince(promoted, failover.stateChangedAtMs)) {
    acceptPromotion(turn, group, failover, promoted)
  } else {
    armTimeout(turn, group, failover)
  }
}

/** From here on clients are sent to the promoted replica, and every Sentinel is told. */
function acceptPromotion(turn: Turn, group: Group, failover: Failover, promoted: Replica): void {
  group.configEpoch = failover.epoch
  enter(turn, failover, 'reconf_slaves')
  save(turn)
  announce(turn, 'warning', '+promoted-slave', promoted)
  if (crashesAfter(turn, 'promotion')) return
  announce(turn, 'warning', '+failover-state-reconf-slaves', group.master)
  callReconfigScript(turn, group, 'leader', group.master, promoted)
  sendHelloToAll(turn, group)
  demoteUselessMaster(turn, group, failover)
  // Those who are sent to ask should find everybody told.
  releaseClients(turn, group, failover)
}

/** The heir first: a dead master may have handed over. Else whoever is fit for what is to be done. */
function candidatesFor(turn: Turn, group: Group, failover: Failover): Replica[] {
  if (failover.kind === 'coordinated') return handoverCandidates(turn, group)
  const fit = promotableReplicas(turn, group)
  const heir = acknowledgedHeir(turn, group, failover)
  return heir !== undefined && fit.includes(heir) ? [heir] : fit
}

function select(turn: Turn, failover: Failover, chosen: Replica): void {
  announce(turn, 'warning', '+selected-slave', chosen)
  chosen.promoted = true
  failover.promoted = chosen
  enter(turn, failover, 'send_slaveof_noone')
  announce(turn, 'notice', '+failover-state-send-slaveof-noone', chosen)
}

/** Could still answer, and has not since the election was won. */
function isAwaited(replica: Replica, failover: Failover): boolean {
  if (isSdown(replica) || commandLink(replica) === undefined || replica.priority === 0) return false
  return replica.infoAtMs === undefined || replica.infoAtMs < freshSinceMs(failover)
}

/** What was asked with the votes is fresh, unless those took long: the answers are there when they are. */
function freshSinceMs({ startedAtMs, stateChangedAtMs }: Failover): number {
  return Math.max(startedAtMs, stateChangedAtMs - FRESH_MS)
}

function saysMasterSince(replica: Replica, sinceMs: number): boolean {
  return (
    replica.roleReported === 'master' &&
    replica.infoAtMs !== undefined &&
    replica.infoAtMs >= sinceMs
  )
}

/** Coordinated: what has come about counts, however late it is seen and however the new master is now. */
function isDone(turn: Turn, group: Group, failover: Failover, promoted: Replica): boolean {
  const isMaster = saysMasterSince(promoted, failover.stateChangedAtMs)
  return isMaster || isHandedOver(turn, group, promoted)
}

/** Took too long, or died meanwhile: another replica can be chosen at once then. */
function isHopeless(turn: Turn, failover: Failover, promoted: Replica): boolean {
  const waitedMs = turn.now.monoMs - failover.stateChangedAtMs
  return isSdown(promoted) || waitedMs > promoted.group.config.failoverTimeoutMs
}

function armTimeout(turn: Turn, group: Group, failover: Failover): void {
  const atMs = failover.stateChangedAtMs + group.config.failoverTimeoutMs + 1
  turn.state.timers.set(group, 'failover', atMs)
}
