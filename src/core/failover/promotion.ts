/**
 * From "elected" to "promoted". The replica is chosen on facts that are younger than the election:
 * every reachable replica is asked for INFO first, because the one with the most data is the one that
 * loses the fewest acknowledged writes, and offsets from before the master died would decide badly.
 */
import { sendHelloToAll } from '../discovery/hello-send.ts'
import { requestInfo, scheduleInfo } from '../discovery/info-request.ts'
import { announce } from '../events.ts'
import { save } from '../persistence/save.ts'
import { callReconfigScript } from '../scripts/script-calls.ts'
import {
  commandLink,
  type Failover,
  type Group,
  isSdown,
  type Replica,
  type State,
  type Turn,
} from '../state.ts'
import { log } from '../turn.ts'
import {
  acknowledgedHeir,
  canBeHandedTo,
  giveUp,
  handoverCandidates,
  hasGivenUp,
  isHandedOver,
  releaseClients,
  stepHandover,
} from './coordinated.ts'
import { abortFailover, enter, takeBackPromotion } from './failover-state.ts'
import { sendPromotion, stepFencing } from './fencing.ts'
import {
  barOf,
  inPromotionOrder,
  promotableReplicas,
  reasonAgainstNamed,
  reasonsAgainst,
  reasonsText,
} from './selection.ts'
import { takeAlong } from './shared-master.ts'
import { crashesAfter } from './simulate-failure.ts'
import { sendSlaveof } from './slaveof.ts'
import { isStrict } from './voters.ts'

/** How long we wait for a replica's INFO before the choice is made without it. */
const SELECTION_PATIENCE_MS = 200
/** How old a replica's offset may be when the election is won. */
const FRESH_MS = 50

/** select_slave: asks all replicas, then picks the best. */
export function stepSelection(turn: Turn, group: Group, failover: Failover): void {
  if (isStrict(group))
    return stepFencing(turn, group, failover, (one) => select(turn, failover, one))
  const deadlineMs = failover.stateChangedAtMs + SELECTION_PATIENCE_MS
  const awaited = [...group.replicas.values()].filter((one) => isAwaited(turn.state, one, failover))
  if (awaited.length > 0 && turn.now.monoMs < deadlineMs) {
    for (const replica of awaited) if (replica.infosPending === 0) requestInfo(turn, replica)
    turn.state.timers.set(group, 'failover', deadlineMs)
    return
  }
  // Waiting for a replica that hangs would cost a whole down-after more: those that answered go
  // first.
  const candidates = inPromotionOrder(turn.state, candidatesFor(turn, group, failover))
  const chosen = candidates.find((one) => !isAwaited(turn.state, one, failover)) ?? candidates[0]
  if (chosen !== undefined) return select(turn, failover, chosen)
  explainLack(turn, group, failover)
  abortFailover(turn, group, '-failover-abort-no-good-slave')
}

/** Where the operator's own rules or order are the reason, the log names them. */
function explainLack(turn: Turn, group: Group, { target }: Failover): void {
  const { promotionRules, zones } = group.config
  if (target === undefined && promotionRules.length === 0 && zones.length === 0) return
  const reason = target && reasonAgainstNamed(turn, target)
  const reasons = target && reason ? [[target, reason] as const] : reasonsAgainst(turn, group)
  log(turn, 'warning', `no replica can be promoted: ${reasonsText(turn.state, reasons)}`)
}

/** send_slaveof_noone: as soon as there is a connection for the command. */
export function stepSlaveofNoOne(turn: Turn, group: Group, failover: Failover): void {
  if (failover.kind === 'coordinated') return stepHandover(turn, group, failover)
  const { promoted } = failover
  if (promoted === undefined || isHopeless(turn, failover, promoted)) {
    abortFailover(turn, group, '-failover-abort-slave-timeout')
    return
  }
  armTimeout(turn, group, failover)
  const isSent = isStrict(group)
    ? sendPromotion(turn, group, promoted, failover)
    : sendSlaveof(turn, promoted, 'no one')
  if (!isSent) return
  // What the master said to an earlier order to hand over is not about this one.
  failover.refusal = undefined
  enter(turn, failover, 'wait_promotion')
  announce(turn, '+failover-state-wait-promotion', promoted)
  scheduleInfo(turn, promoted)
}

/** wait_promotion: until the promoted replica's INFO says master, which `info-reply.ts` notes. */
export function stepWaitPromotion(turn: Turn, group: Group, failover: Failover): void {
  const { promoted, kind } = failover
  const isCoordinated = kind === 'coordinated'
  if (isCoordinated && promoted && isDone(turn, group, failover, promoted)) {
    acceptPromotion(turn, group, failover, promoted)
  } else if (promoted === undefined || isHopeless(turn, failover, promoted)) {
    abortFailover(turn, group, '-failover-abort-slave-timeout')
  } else if (!isCoordinated && failover.refusal !== undefined) {
    passOver(turn, group, failover, promoted)
  } else if (isCoordinated && hasGivenUp(group, failover)) {
    giveUp(turn, group, 'gave up handing over, its log says why')
  } else if (saysMasterSince(promoted, failover.stateChangedAtMs)) {
    acceptPromotion(turn, group, failover, promoted)
  } else {
    armTimeout(turn, group, failover)
  }
}

export function notePromotionRefused(replica: Replica, refusal: string): void {
  const { failover } = replica.group
  if (failover?.state !== 'wait_promotion' || failover.promoted !== replica) return
  failover.refusal = refusal
}

/**
 * Nothing has happened there, so another replica is chosen at once, by the same votes. C Sentinel waits for as long as
 * for a replica that is slow, and chooses the same one again.
 */
function passOver(turn: Turn, group: Group, failover: Failover, refusing: Replica): void {
  refusing.disobeyed = true
  takeBackPromotion(failover)
  if (candidatesFor(turn, group, failover).every(({ disobeyed }) => disobeyed)) {
    return abortFailover(turn, group, '-failover-abort-no-good-slave')
  }
  enter(turn, failover, 'select_slave')
  announce(turn, '+failover-state-select-slave', group.master)
}

/** From here on clients are sent to the promoted replica, and every Sentinel is told. */
function acceptPromotion(turn: Turn, group: Group, failover: Failover, promoted: Replica): void {
  group.configEpoch = failover.epoch
  enter(turn, failover, 'reconf_slaves')
  save(turn)
  announce(turn, '+promoted-slave', promoted)
  if (crashesAfter(turn, 'promotion')) return
  announce(turn, '+failover-state-reconf-slaves', group.master)
  callReconfigScript(turn, group, 'leader', group.master, promoted)
  sendHelloToAll(turn, group)
  takeAlong(turn, group, group.master, promoted, 'leader')
  demoteUselessMaster(turn, group, failover)
  // Clients that are sent to ask should find every Sentinel informed.
  releaseClients(turn, group, failover)
}

/** The successor first: a dead master may have handed over. Otherwise the replicas that qualify. */
function candidatesFor(turn: Turn, group: Group, failover: Failover): Replica[] {
  const { target } = failover
  if (target !== undefined) return isStillFit(turn, failover, target) ? [target] : []
  if (failover.kind === 'coordinated') return handoverCandidates(turn, group)
  const fit = promotableReplicas(turn, group)
  const heir = acknowledgedHeir(turn, group, failover)
  return heir !== undefined && fit.includes(heir) ? [heir] : fit
}

function isStillFit(turn: Turn, { kind }: Failover, target: Replica): boolean {
  if (reasonAgainstNamed(turn, target) !== undefined) return false
  return kind !== 'coordinated' || canBeHandedTo(turn.state, target)
}

function select(turn: Turn, failover: Failover, chosen: Replica): void {
  announce(turn, '+selected-slave', chosen)
  chosen.promoted = true
  failover.promoted = chosen
  enter(turn, failover, 'send_slaveof_noone')
  announce(turn, '+failover-state-send-slaveof-noone', chosen)
}

/** It could still answer, and has not since the election was won. */
function isAwaited(state: State, replica: Replica, failover: Failover): boolean {
  const { target } = failover
  if (isSdown(replica) || commandLink(replica) === undefined) return false
  if (target === undefined ? barOf(state, replica) !== undefined : replica !== target) return false
  return replica.infoAtMs === undefined || replica.infoAtMs < freshSinceMs(failover)
}

/**
 * Answers to questions sent with the vote requests or just before are fresh, unless the votes took long. After an order
 * the master may have written on, so only those count that came since.
 */
function freshSinceMs({ kind, startedAtMs, stateChangedAtMs }: Failover): number {
  const sinceMs = stateChangedAtMs - FRESH_MS
  return kind === 'automatic' ? sinceMs : Math.max(startedAtMs, sinceMs)
}

function saysMasterSince(replica: Replica, sinceMs: number): boolean {
  const { sync, group } = replica
  // A restarted node calls itself a master without having a term.
  if (isStrict(group) && !(sync?.state === 'master' && sync.term === group.failover?.epoch)) {
    return false
  }
  return (
    replica.roleReported === 'master' &&
    replica.infoAtMs !== undefined &&
    replica.infoAtMs >= sinceMs
  )
}

/**
 * Coordinated: what has happened counts, however late we see it and whatever the new master's state is
 * now.
 */
function isDone(turn: Turn, group: Group, failover: Failover, promoted: Replica): boolean {
  const isMaster = saysMasterSince(promoted, failover.stateChangedAtMs)
  return isMaster || isHandedOver(turn, group, promoted)
}

/** It took too long, or died meanwhile: then another replica can be chosen at once. */
function isHopeless(turn: Turn, failover: Failover, promoted: Replica): boolean {
  const waitedMs = turn.now.monoMs - failover.stateChangedAtMs
  return isSdown(promoted) || waitedMs > promoted.group.config.failoverTimeoutMs
}

function armTimeout(turn: Turn, group: Group, failover: Failover): void {
  const atMs = failover.stateChangedAtMs + group.config.failoverTimeoutMs + 1
  turn.state.timers.set(group, 'failover', atMs)
}

/**
 * A master that was replaced because it refuses writes, or because it lost its data, is alive. Few refuse
 * every write: a full one still acknowledges deletions, and writes that fit into its last memory; an
 * emptied one takes them all. So, unlike a dead master, it is not left alone until the switch, which waits
 * for the other replicas. The moment its successor is promoted it is told to follow it, and its clients are
 * disconnected.
 *
 * The writes between the promotion and this order, a round trip, are lost all the same. Only a coordinated
 * failover loses none.
 */
function demoteUselessMaster(turn: Turn, { master }: Group, failover: Failover): void {
  const { promoted, kind } = failover
  const isUseless = master.gray !== undefined || master.emptiedAtMs !== undefined
  if (!isUseless || promoted === undefined || kind === 'coordinated') return
  sendSlaveof(turn, master, promoted)
}
