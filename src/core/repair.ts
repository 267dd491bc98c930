/**
 * Instances that do not do what the group's configuration says: a master that should be a replica, a
 * replica that follows somebody else. Both are told again, but only by a Sentinel that can trust its
 * own view, because the other side may simply know of a newer failover.
 *
 * C Sentinel trusts its view after waiting: four hello periods for a false master, a failover-timeout
 * for a stray replica, during which two masters accept writes. A Sentinel that has just heard from a
 * majority of its peers, none of which knows of a newer configuration, need not wait.
 */
import { announce } from './events.ts'
import { scheduleInfo } from './info.ts'
import { isRiddle } from './names/names.ts'
import { majority, votersOf } from './quorum.ts'
import { isNoHistory } from './replication-id.ts'
import { follows, sendSlaveof } from './slaveof.ts'
import type { Group, Replica, Turn } from './state.ts'
import { isOdown, isSdown, isTilted } from './state.ts'

/** Called with each INFO of a replica that is not part of a running failover. */
export function repairReplica(turn: Turn, replica: Replica): void {
  const { group } = replica
  if (isTilted(turn.state) || group.failover !== undefined || !isMasterSane(turn, group)) return
  if (replica.roleReported === 'none') return
  if (replica.roleReported === 'master') repairFalseMaster(turn, replica)
  else if (isStray(turn, replica)) repairStray(turn, replica)
  else if (isStuckInFailover(turn, replica)) fix(turn, replica)
}

/** It wants to hand over to a node that does not take the role: for so long that nobody else ends it. */
function isStuckInFailover(turn: Turn, replica: Replica): boolean {
  const { failoverTimeoutMs } = replica.group.config
  if (replica.failoverReported !== 'running') return false
  const stood = turn.now.monoMs - replica.failoverReportedAtMs > failoverTimeoutMs
  return stood && isUpFor(turn, replica, failoverTimeoutMs)
}

/** A name nobody can resolve for us may be our master's, as long as there is somebody behind it. */
function isStray(turn: Turn, replica: Replica): boolean {
  if (follows(turn.state, replica, replica.group.master)) return false
  return !(isRiddle(turn, replica.masterHost) && replica.masterLinkUp)
}

/** The old master that came back, or a replica promoted by a failover that came to nothing. */
function repairFalseMaster(turn: Turn, replica: Replica): void {
  const waitMs = 4 * turn.state.config.periods.helloMs
  const knownFalse = isOldClaim(replica) && hasFreshView(turn, replica.group)
  const stood =
    turn.now.monoMs - replica.roleReportedAtMs > waitMs && isUpFor(turn, replica, waitMs)
  if (!knownFalse && !stood) return
  if (tellMaster(turn, replica)) announce(turn, 'notice', '+convert-to-slave', replica)
}

/**
 * The claim we took from it, and not a newer one: another Sentinel may have promoted this very node a
 * moment ago, and the hello that tells us is on its way. Its history knows. An old master goes on with
 * the one it wrote for us, or has restarted, with none before its own or with that one; a replica that
 * was promoted comes from the history of the master it followed.
 */
function isOldClaim({ deposed, replid, replid2 }: Replica): boolean {
  if (deposed === undefined || replid === '') return false
  if (isNoHistory(replid2)) return true
  return deposed !== '' && (replid === deposed || replid2 === deposed)
}

function repairStray(turn: Turn, replica: Replica): void {
  const { helloMs } = turn.state.config.periods
  const patientMs = replica.group.config.failoverTimeoutMs
  const waitMs = hasFreshView(turn, replica.group) ? Math.min(4 * helloMs, patientMs) : patientMs
  const stood = turn.now.monoMs - replica.masterChangedAtMs > waitMs
  if (stood && isUpFor(turn, replica, waitMs)) fix(turn, replica)
}

function fix(turn: Turn, replica: Replica): void {
  if (tellMaster(turn, replica)) announce(turn, 'notice', '+fix-slave-config', replica)
}

/**
 * The INFO behind the command shows at once whether it was obeyed. One that does not obey (it may not let
 * us) would be told again and again as fast as it answers.
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

/** A master seen well lately: nobody is turned towards a node that is itself in doubt. */
function isMasterSane(turn: Turn, group: Group): boolean {
  const { master } = group
  if (isSdown(master) || isOdown(group) || master.roleReported !== 'master') return false
  if (master.refusal !== undefined) return false
  const { infoMs } = turn.state.config.periods
  return master.infoAtMs !== undefined && turn.now.monoMs - master.infoAtMs < 2 * infoMs
}

/** A majority has spoken within three hello periods, and none of them knows of a newer master. */
function hasFreshView(turn: Turn, group: Group): boolean {
  const peers = [...group.peers.values()]
  if (peers.some((peer) => peer.helloConfigEpoch > group.configEpoch)) return false
  const limitMs = 3 * turn.state.config.periods.helloMs
  const heard = peers.filter((peer) => turn.now.monoMs - peer.helloReceivedAtMs <= limitMs)
  return 1 + heard.length >= majority(votersOf(group))
}

function isUpFor(turn: Turn, replica: Replica, durationMs: number): boolean {
  const { lastSdownAtMs } = replica
  return lastSdownAtMs === undefined || turn.now.monoMs - lastSdownAtMs > durationMs
}
