/**
 * INFO: when to ask. C Sentinel asks every ten seconds and waits for the next round to learn the
 * result of its own commands. Here INFO is requested at the moment the answer can be there: right
 * after a command in the same pipeline, then at growing distances while a change is expected.
 */
import { expectsHandover } from '../failover/node-failover-report.ts'
import { nextRoundMs } from '../grid.ts'
import type { DataInstance, Failover, Master, Replica, Turn } from '../state.ts'
import { commandLink, isOdown, isSdown } from '../state.ts'
import { send } from '../turn.ts'

/** While something is wrong or a failover runs. */
const FAST_MS = 1_000
/** In its first second without a master a replica finds out whether it can follow it again. */
const CUT_OFF_MS = 250
/**
 * For this long after a restart of its master, a replica may not have noticed yet that it was cut
 * off.
 */
const REBOOT_MS = 5_000
const EXPECTING_MIN_MS = 10
const NEW_LINK_MIN_MS = 200
/**
 * The wait until the next INFO, as a share of the time waited so far; a smaller share while clients wait,
 * too.
 */
const WAIT_SHARE = 1 / 2
const WRITES_WAIT_SHARE = 1 / 10
/** More INFOs in flight would help nothing: the instance hangs. */
const IN_FLIGHT_MAX = 3
const RECENT_MS = 25

/** Asks now, even while an INFO is on its way: its answer may be older than the cause for this one. */
export function requestInfo(turn: Turn, instance: DataInstance): void {
  const connection = commandLink(instance)
  if (connection === undefined || instance.infosPending >= IN_FLIGHT_MAX) return
  instance.infosPending++
  instance.infoAskedAtMs = turn.now.monoMs
  send(turn, connection, { kind: 'info' }, ['INFO'])
}

/**
 * For a failover, whose steps follow each other within milliseconds: what a replica was asked a moment ago it is not asked
 * again. Each answer is some kilobytes, which the node that is to be promoted writes and we read while clients wait.
 */
export function requestRecentInfo(turn: Turn, instance: DataInstance): void {
  const { infoAskedAtMs } = instance
  if (infoAskedAtMs !== undefined && turn.now.monoMs - infoAskedAtMs <= RECENT_MS) return
  requestInfo(turn, instance)
}

/** The periodic round: asks unless an answer is still due, and arms the next round. */
export function keepInformed(turn: Turn, instance: DataInstance): void {
  if (instance.infosPending === 0) requestInfo(turn, instance)
  scheduleInfo(turn, instance)
}

/** A merely periodic INFO comes on the grid; if a change is expected, at the moment it may be there. */
export function scheduleInfo(turn: Turn, instance: DataInstance): void {
  const { state, now } = turn
  const { infoMs } = state.config.periods
  const periodMs = infoPeriodMs(turn, instance)
  const isCalm = periodMs >= infoMs
  const atMs = isCalm
    ? nextRoundMs(now.monoMs, infoMs, state.slot + instance.slot)
    : now.monoMs + periodMs
  state.timers.set(instance, 'info', atMs)
}

function infoPeriodMs(turn: Turn, instance: DataInstance): number {
  const { infoMs } = turn.state.config.periods
  return Math.ceil(
    Math.min(
      infoMs,
      expectedChangePeriodMs(turn, instance),
      isTroubled(turn, instance) ? FAST_MS : infoMs,
      newLinkPeriodMs(turn, instance),
      isNewlyCutOff(instance) || mayBeRefused(turn, instance) ? CUT_OFF_MS : infoMs,
    ),
  )
}

/** While a promotion, a resynchronisation or the rest of a stream is expected: at growing distances from the command. */
function expectedChangePeriodMs(turn: Turn, instance: DataInstance): number {
  const sinceMs = expectsChangeSinceMs(instance)
  if (sinceMs === undefined) return Infinity
  const { failover } = instance.group
  const doWritesWait = failover?.kind === 'coordinated' || failover?.fencing !== undefined
  const share = doWritesWait ? WRITES_WAIT_SHARE : WAIT_SHARE
  return Math.min(FAST_MS, Math.max(EXPECTING_MIN_MS, (turn.now.monoMs - sinceMs) * share))
}

function expectsChangeSinceMs(instance: DataInstance): number | undefined {
  if (instance.kind === 'master') return handoverSinceMs(instance)
  if (instance.reconf === 'sent' || instance.reconf === 'inprog') return instance.reconfSentAtMs
  const { failover } = instance.group
  if (failover?.state === 'select_slave') return catchUpSinceMs(failover)
  if (failover?.state !== 'wait_promotion' || !instance.promoted) return undefined
  return failover.stateChangedAtMs
}

/** On an order in a strict group, a replica may receive the rest of the stream of the fenced master. */
function catchUpSinceMs({ kind, fencing }: Failover): number | undefined {
  // The master says itself when its heir has everything.
  if (kind !== 'forced' || fencing?.handover?.state === 'asked') return undefined
  return fencing?.othersSinceMs === undefined ? fencing?.sinceMs : undefined
}

/** A master that was told to hand over may do it, or give up. */
function handoverSinceMs({ group: { failover } }: Master): number | undefined {
  const isHandover = failover?.kind === 'coordinated' && failover.state === 'wait_promotion'
  return isHandover ? failover.stateChangedAtMs : undefined
}

function isTroubled(turn: Turn, instance: DataInstance): boolean {
  const { group } = instance
  if (isSdown(group.master) || isOdown(group) || group.failover !== undefined) return true
  if (group.master.gray !== undefined || group.master.emptiedAtMs !== undefined) return true
  if (instance.failoverReported === 'running') return true
  if (expectsHandover(turn, group, group.config.failoverTimeoutMs)) return true
  return instance.kind === 'replica' && (isCutOff(instance) || claimsMaster(instance))
}

/** Its master is a new process: whether the replica follows it, or refuses to be emptied by it, shows now. */
function mayBeRefused({ now }: Turn, { kind, group }: DataInstance): boolean {
  const { newLifeAtMs } = group.master
  return kind === 'replica' && newLifeAtMs !== undefined && now.monoMs - newLifeAtMs < REBOOT_MS
}

function isCutOff(replica: Replica): boolean {
  return replica.masterLinkDownMs > 0 || isNewlyCutOff(replica)
}

/**
 * INFO gives the age of a broken link in whole seconds, so this is its first one; or the link was
 * never up.
 */
function isNewlyCutOff(instance: DataInstance): boolean {
  if (instance.kind !== 'replica' || instance.infoAtMs === undefined) return false
  return !instance.masterLinkUp && instance.masterLinkDownMs === 0 && !claimsMaster(instance)
}

function claimsMaster(instance: DataInstance): boolean {
  return instance.infoAtMs !== undefined && instance.roleReported === 'master'
}

/** A new connection is asked more often: replicas attach and roles settle in the first seconds. */
function newLinkPeriodMs(turn: Turn, instance: DataInstance): number {
  const connection = commandLink(instance)
  if (connection === undefined) return Infinity
  return Math.max(NEW_LINK_MIN_MS, (turn.now.monoMs - connection.openedAtMs) / 2)
}
