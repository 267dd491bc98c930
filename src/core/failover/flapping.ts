/**
 * [failover-block] Against flapping: for a while after an automatic failover there is no other. A service whose
 * masters die one after the other is better looked at by a person than moved on again and again. An
 * operator's order is never blocked, and lifts the block.
 *
 * Each Sentinel counts by itself, from the switch as it saw it. The leader knows why it acted. The others only hear of
 * the new master; they take the failover for automatic if the old master was of no use to them. So after
 * an operator's failover of a master that lived, no Sentinel is blocked.
 */

import type { Moment } from '../../base/clock.ts'
import { announce } from '../events.ts'
import { GROUP_OPTIONS } from '../group-options.ts'
import type { SavedGroup } from '../persistence/saved.ts'
import type { Group, Turn } from '../state.ts'
import { commandLink, isSdown } from '../state.ts'

/** An automatic failover has ended just now. */
export function beginBlock(turn: Turn, group: Group): void {
  const { failoverBlockMs } = group.config
  if (failoverBlockMs === 0) return
  group.blockedUntilMs = turn.now.monoMs + failoverBlockMs
  announce(turn, '+failover-block', group.master, { ms: failoverBlockMs })
}

/** Whether an observer should take the change of master that it hears of for automatic. */
export function seemsAutomatic({ now }: Turn, { master, config }: Group): boolean {
  if (isSdown(master) || commandLink(master) === undefined) return true
  const { pingPendingSinceMs } = master.link
  return (
    pingPendingSinceMs !== undefined && now.monoMs - pingPendingSinceMs > config.downAfterMs / 2
  )
}

export function liftBlock(turn: Turn, group: Group): void {
  const isBlocked = blockedForMs(turn, group) > 0
  group.blockedUntilMs = undefined
  if (isBlocked) announce(turn, '-failover-block', group.master)
}

/** For how long no automatic failover begins; 0: there is no block. */
export function blockedForMs({ now }: Turn, { blockedUntilMs, config }: Group): number {
  if (blockedUntilMs === undefined || config.failoverBlockMs === 0) return 0
  return Math.max(0, Math.ceil(blockedUntilMs - now.monoMs))
}

/** Why no failover begins although the master is down, and until when; undefined: no block is the reason. */
export function blockObstacle(
  turn: Turn,
  group: Group,
): { readonly text: string; readonly untilMs: number } | undefined {
  const leftMs = blockedForMs(turn, group)
  if (leftMs === 0) return undefined
  const { name, failoverBlockMs } = group.config
  const option = GROUP_OPTIONS.failoverBlockMs.name
  const why = `the last failover ended less than ${failoverBlockMs} ms ago (${option})`
  const cure = `SENTINEL FAILOVER ${name} lifts the block`
  return { text: `${why}; ${cure}`, untilMs: turn.now.monoMs + leftMs }
}

/** What a restart must not forget of the block; nothing if there is none. */
export function savedBlock(now: Moment, { blockedUntilMs, config }: Group) {
  const leftMs = (blockedUntilMs ?? 0) - now.monoMs
  if (config.failoverBlockMs === 0 || leftMs <= 0) return {}
  return { blockedUntilWallMs: Math.ceil(now.wallMs + leftMs) }
}

/** After a restart. Whatever the wall clock did meanwhile, a block lasts no longer than it is set to. */
export function restoreBlock({ now }: Turn, group: Group, saved: SavedGroup): void {
  if (saved.blockedUntilWallMs === undefined) return
  const leftMs = Math.min(saved.blockedUntilWallMs - now.wallMs, group.config.failoverBlockMs)
  if (leftMs > 0) group.blockedUntilMs = now.monoMs + leftMs
}
