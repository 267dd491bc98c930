/**
 * S_DOWN, what this Sentinel sees, and O_DOWN, what the quorum sees. Crossing either line is acted on
 * in the same turn: when a master goes S_DOWN, its peers are asked about it at once, and its replicas
 * for their offsets, so that the answers are there when a leader has to choose.
 */

import { requestRecentInfo, scheduleInfo } from '../discovery/info-request.ts'
import { considerFailover } from '../election/failover-start.ts'
import { electorsOf } from '../election/quorum.ts'
import { announce, logQuietly } from '../events.ts'
import { driveFailover } from '../failover/failover.ts'
import type { Group, Instance, Master, Turn } from '../state.ts'
import { isOdown, isSdown, isTilted } from '../state.ts'
import { askPeers, dropOldOpinions, hasOpinions } from './ask.ts'
import { confer } from './confer.ts'
import { describeGround, type Ground, groundAgainst } from './suspicion.ts'

/** Checks one instance again, and arms the moment at which the verdict could change by itself. */
export function checkDown(turn: Turn, instance: Instance): void {
  // In TILT no measurement can be believed: the verdicts stay as they were until it ends.
  if (isTilted(turn.state)) return
  const ground = groundAgainst(turn, instance)
  const isDown = ground !== undefined && ground.atMs <= turn.now.monoMs
  if (isDown || ground === undefined) turn.state.timers.clear(instance, 'down')
  else turn.state.timers.set(instance, 'down', ground.atMs)
  if (isDown !== isSdown(instance)) setSdown(turn, instance, isDown ? ground : undefined)
}

/** Counts the quorum again. Losing it does not stop a failover that has begun. */
export function checkOdown(turn: Turn, group: Group): void {
  if (isTilted(turn.state)) return
  const { quorum } = group.config
  const count = isSdown(group.master) ? 1 + peersSeeingDown(group) : 0
  const isDown = count > 0 && count >= quorum
  if (isDown && !isOdown(group)) {
    group.odownSinceMs = turn.now.monoMs
    announce(turn, '+odown', group.master, { agreeing: count, needed: quorum })
  } else if (!isDown && isOdown(group)) {
    group.odownSinceMs = undefined
    announce(turn, '-odown', group.master)
  }
  considerFailover(turn, group)
}

/**
 * The periodic round for a group whose master is S_DOWN: drops old opinions, asks for missing ones. It goes on
 * until no opinion is left: a peer that is asked no more would be shown as `master_down` for ever.
 */
export function keepAsking(turn: Turn, group: Group): void {
  const isDown = isSdown(group.master)
  dropOldOpinions(turn, group)
  if (isDown && !isTilted(turn.state)) askPeers(turn, group)
  if (isDown || hasOpinions(group)) scheduleAsk(turn, group)
  checkOdown(turn, group)
}

function setSdown(turn: Turn, instance: Instance, ground: Ground | undefined): void {
  const isDown = ground !== undefined
  instance.sdownSinceMs = isDown ? turn.now.monoMs : undefined
  if (isDown) instance.lastSdownAtMs = turn.now.monoMs
  else {
    instance.sdownEndedAtMs = turn.now.monoMs
    instance.scriptKillSent = false
  }
  const isKnown = instance.kind !== 'sentinel' || instance.isProven
  const say = isKnown ? announce : logQuietly
  say(turn, isDown ? '+sdown' : '-sdown', instance)
  if (isDown && isKnown) giveReason(turn, instance, ground)
  if (isDown) holdProof(instance, ground)
  if (instance.kind === 'master' && isDown) onMasterDown(turn, instance)
  // A replica that is back is a new chance: whatever the back-off was for, it is over.
  if (instance.kind === 'replica' && !isDown) instance.group.notBeforeMs = 0
  // A peer that died may have been the leader we yielded to, or a replica the one we are waiting
  // for.
  checkOdown(turn, instance.group)
  driveFailover(turn, instance.group)
}

/** A companion of +sdown, because clients parse the payload of that. */
function giveReason(turn: Turn, instance: Instance, ground: Ground): void {
  const reason = describeGround(turn, instance, ground)
  announce(turn, '+sdown-evidence', instance, { reason })
}

/** From here on only a good reply makes the master well again, not the loss of a witness. */
function holdProof(instance: Instance, ground: Ground): void {
  if (instance.kind !== 'master' || instance.refusal === undefined) return
  if (ground.kind === 'proof') instance.refusal.isProof = true
}

function onMasterDown(turn: Turn, master: Master): void {
  const { group } = master
  // We do not ask while the master is well: opinions about an earlier death may still be there.
  dropOldOpinions(turn, group)
  askPeers(turn, group, true)
  confer(turn, group)
  scheduleAsk(turn, group)
  for (const replica of group.replicas.values()) {
    requestRecentInfo(turn, replica)
    scheduleInfo(turn, replica)
  }
}

function scheduleAsk(turn: Turn, group: Group): void {
  turn.state.timers.set(group, 'ask', turn.now.monoMs + turn.state.config.periods.askMs)
}

function peersSeeingDown(group: Group): number {
  return electorsOf(group).filter((peer) => peer.masterDown).length
}
