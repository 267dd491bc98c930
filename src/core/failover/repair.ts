/**
 * Instances that do not do what the group's configuration says: a master that should be a replica, a
 * replica that follows another node. Both get the command again, but only from a Sentinel that can
 * trust its own view, because the other side may simply know of a newer failover.
 *
 * C Sentinel trusts its view after waiting: four hello periods for a false master, a failover-timeout
 * for a stray replica, during which two masters accept writes. A Sentinel that has just heard from a
 * majority of its peers, none of which knows of a newer configuration, need not wait.
 */

import { scheduleInfo } from '../discovery/info-request.ts'
import { isNoHistory } from '../discovery/replication-id.ts'
import { electorCount, electorsOf, majority } from '../election/quorum.ts'
import { announce } from '../events.ts'
import { isRiddle } from '../names/names.ts'
import type { Group, Replica, Turn } from '../state.ts'
import { isOdown, isSdown, isTilted } from '../state.ts'
import { groupItBelongsTo } from './foreign.ts'
import { follows, sendSlaveof } from './slaveof.ts'

/** Called with each INFO of a replica that is not part of a running failover. */
export function repairReplica(turn: Turn, replica: Replica): void {
  const { group } = replica
  if (isTilted(turn.state) || group.failover !== undefined || !isMasterSane(turn, group)) return
  if (replica.roleReported === 'none') return
  if (replica.roleReported === 'master') repairFalseMaster(turn, replica)
  else if (isStray(turn, replica)) repairStray(turn, replica)
  else if (isStuckInFailover(turn, replica)) fix(turn, replica)
}

/**
 * It wants to hand over to a node that does not take the role, and has for so long that no other
 * Sentinel will end it.
 */
function isStuckInFailover(turn: Turn, replica: Replica): boolean {
  const { failoverTimeoutMs } = replica.group.config
  if (replica.failoverReported !== 'running') return false
  const stood = turn.now.monoMs - replica.failoverReportedAtMs > failoverTimeoutMs
  return stood && isUpFor(turn, replica, failoverTimeoutMs)
}

/**
 * A name that cannot be resolved for us may be our master's, as long as the replica has a link to
 * it.
 */
function isStray(turn: Turn, replica: Replica): boolean {
  if (follows(turn.state, replica, replica.group.master)) return false
  return !(isRiddle(turn, replica.masterHost) && replica.masterLinkUp)
}

/** An old master that came back, or a replica promoted by a failover that was given up. */
function repairFalseMaster(turn: Turn, replica: Replica): void {
  const waitMs = 4 * turn.state.config.periods.helloMs
  if (isAnotherAtWork(turn, replica.group, waitMs)) return
  if (groupItBelongsTo(turn.state, replica) !== undefined) return
  const knownFalse = isOldClaim(replica) && hasFreshView(turn, replica.group)
  const stood =
    turn.now.monoMs - replica.roleReportedAtMs > waitMs && isUpFor(turn, replica, waitMs)
  if (!knownFalse && !stood) return
  if (tellMaster(turn, replica)) announce(turn, '+convert-to-slave', replica)
}

/** The leader that we voted for may have promoted it a moment ago, however long it has said so for other reasons. */
function isAnotherAtWork({ now }: Turn, { yieldedTo }: Group, forMs: number): boolean {
  return yieldedTo !== undefined && now.monoMs - yieldedTo.atMs < forMs
}

/**
 * Whether its claim is an old one: another Sentinel may have promoted this very node a moment ago, and the
 * hello that tells us is on its way. Its history tells. A node that has been a master ever since it started has no
 * earlier history; an old master continues the history it wrote for us, or has restarted with that one before its
 * own. A replica that was promoted comes from the history of the master it followed.
 */
function isOldClaim({ deposed, replid, replid2 }: Replica): boolean {
  if (replid === '') return false
  if (isNoHistory(replid2)) return true
  return deposed !== undefined && deposed !== '' && (replid === deposed || replid2 === deposed)
}

function repairStray(turn: Turn, replica: Replica): void {
  const { helloMs } = turn.state.config.periods
  const patientMs = replica.group.config.failoverTimeoutMs
  const waitMs = hasFreshView(turn, replica.group) ? Math.min(4 * helloMs, patientMs) : patientMs
  const stood = turn.now.monoMs - replica.masterChangedAtMs > waitMs
  if (stood && isUpFor(turn, replica, waitMs)) fix(turn, replica)
}

function fix(turn: Turn, replica: Replica): void {
  if (tellMaster(turn, replica)) announce(turn, '+fix-slave-config', replica)
}

/**
 * The INFO after the command shows at once whether the node obeyed. A node that does not obey (it may not
 * permit us to) would otherwise be told again as fast as it answers.
 */
const TELL_AGAIN_MS = 1_000

function tellMaster(turn: Turn, replica: Replica): boolean {
  const toldBeforeMs = turn.now.monoMs - (replica.toldAtMs ?? -Infinity)
  if (toldBeforeMs < TELL_AGAIN_MS) return false
  const sent = sendSlaveof(turn, replica, replica.group.config)
  if (!sent) return false
  replica.toldAtMs = turn.now.monoMs
  scheduleInfo(turn, replica)
  return true
}

/** A master that was well recently: no replica is turned towards a node that is itself in doubt. */
function isMasterSane(turn: Turn, group: Group): boolean {
  const { master } = group
  if (isSdown(master) || isOdown(group) || master.roleReported !== 'master') return false
  if (master.refusal !== undefined) return false
  const { infoMs } = turn.state.config.periods
  return master.infoAtMs !== undefined && turn.now.monoMs - master.infoAtMs < 2 * infoMs
}

/**
 * A majority has spoken to us within three hello periods, and none knows of a newer master. What comes from a Sentinel
 * that is down may have been on its way for as long as that.
 */
function hasFreshView(turn: Turn, group: Group): boolean {
  const peers = electorsOf(group)
  if (peers.some((peer) => peer.helloConfigEpoch > group.configEpoch)) return false
  const limitMs = 3 * turn.state.config.periods.helloMs
  const heard = peers.filter((peer) => {
    const { helloReceivedAtMs, helloMaster, sdownEndedAtMs = -Infinity } = peer
    const isStale = isSdown(peer) || helloReceivedAtMs < sdownEndedAtMs
    return !isStale && helloMaster !== undefined && turn.now.monoMs - helloReceivedAtMs <= limitMs
  })
  return 1 + heard.length >= majority(electorCount(group))
}

function isUpFor(turn: Turn, replica: Replica, durationMs: number): boolean {
  const { lastSdownAtMs } = replica
  return lastSdownAtMs === undefined || turn.now.monoMs - lastSdownAtMs > durationMs
}
