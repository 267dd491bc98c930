/**
 * A failover, top to bottom: each state has one step, and `driveFailover` runs them until one has to
 * wait for the world. Every reply, lost connection, S_DOWN and deadline that concerns the group calls
 * it again, so that between two states there is never more than the round trip they need.
 *
 *   wait_start          election.ts      until the votes are in
 *   select_slave        promotion.ts     until fresh INFO has come from those that can give it
 *   send_slaveof_noone  promotion.ts     until the chosen one can be told
 *   wait_promotion      promotion.ts     until it says that it is a master
 *   reconf_slaves       reconfigure.ts   until the others follow it
 *   update_config       switch.ts        at once
 *
 * In a coordinated failover it is the master that is told, in send_slaveof_noone: see coordinated.ts.
 */
import { unreachable } from '../../base/assert.ts'
import { standForElection, stepElection } from '../election/election.ts'
import type { Failover, Group, Replica, Turn } from '../state.ts'
import { isTilted } from '../state.ts'
import { replaceDeadMaster } from './coordinated.ts'
import type { FailoverKind } from './failover-kinds.ts'
import { beginBlock, liftBlock } from './flapping.ts'
import { stepSelection, stepSlaveofNoOne, stepWaitPromotion } from './promotion.ts'
import { stepReconfigure } from './reconfigure.ts'
import { switchMaster } from './switch.ts'
import { isStrict } from './voters.ts'

/** Advances the group's failover as far as it can go now. Frozen in TILT. */
export function driveFailover(turn: Turn, group: Group): void {
  while (!isTilted(turn.state)) {
    const { failover } = group
    if (failover === undefined) return
    const before = failover.state
    replaceDeadMaster(turn, group, failover)
    stepFailover(turn, group, failover)
    if (group.failover?.state === before) return
  }
}

/** SENTINEL FAILOVER, to the replica that is named if one is: needs no O_DOWN, and unless it is coordinated no votes. */
export function requestFailover(
  turn: Turn,
  group: Group,
  kind: FailoverKind,
  target?: Replica,
): void {
  liftBlock(turn, group)
  // In a strict group no order loses anything: each fences the master first, and all need votes.
  standForElection(turn, group, isStrict(group) ? 'forced' : kind, target)
  driveFailover(turn, group)
}

function stepFailover(turn: Turn, group: Group, failover: Failover): void {
  switch (failover.state) {
    case 'wait_start':
      return stepElection(turn, group, failover)
    case 'select_slave':
      return stepSelection(turn, group, failover)
    case 'send_slaveof_noone':
      return stepSlaveofNoOne(turn, group, failover)
    case 'wait_promotion':
      return stepWaitPromotion(turn, group, failover)
    case 'reconf_slaves':
      return stepReconfigure(turn, group, failover)
    case 'update_config':
      return completeSwitch(turn, group, failover)
    default:
      return unreachable(failover.state)
  }
}

/** The leader's own switch: by now the promoted replica is the master for all others. */
function completeSwitch(turn: Turn, group: Group, failover: Failover): void {
  const { promoted, kind } = failover
  if (promoted === undefined) return
  switchMaster(turn, group, promoted)
  if (kind === 'automatic') beginBlock(turn, group)
}
