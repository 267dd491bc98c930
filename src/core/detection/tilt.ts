/**
 * TILT: when the process was stalled or its clock jumped, nothing measured meanwhile can be believed. A
 * Sentinel in TILT keeps collecting but does not act: it declares no instance down, starts no failover,
 * and tells peers that it sees nothing down, until the clocks have behaved for a whole period. Acting on
 * a stale view is worse than acting late: it can fail over a healthy master.
 *
 * Durations are measured on the monotonic clock, so a wall-clock jump alone would not mislead us; it is
 * still a sign that this machine was suspended or is being tampered with, and operators know it as TILT.
 */

import { announce } from '../events.ts'
import { driveFailover } from '../failover/failover.ts'
import { GRID_MS, nextRoundMs } from '../grid.ts'
import { doubtClocks } from '../pause/pause.ts'
import { askWhatIsLeft } from '../pause/share-pause.ts'
import type { Turn } from '../state.ts'
import { instancesOf } from '../state.ts'
import { log } from '../turn.ts'
import { checkDown, checkOdown } from './down.ts'

/** How often the clocks are compared when nothing else happens. */
const HEARTBEAT_MS = GRID_MS

/** Compares both clocks with the previous step. Comes before everything else in a step. */
export function checkClocks(turn: Turn): void {
  const { tilt, config } = turn.state
  const stalledMs = turn.now.monoMs - tilt.last.monoMs
  const driftMs = turn.now.wallMs - tilt.last.wallMs - stalledMs
  const jumpedMs = Math.abs(driftMs)
  tilt.last = turn.now
  const limitMs = config.periods.tiltTriggerMs
  if (stalledMs > limitMs || jumpedMs > limitMs) {
    enterTilt(turn, causes(stalledMs, driftMs, limitMs).join(', and '))
  }
}

function causes(stalledMs: number, driftMs: number, limitMs: number): readonly string[] {
  return [
    ...(stalledMs > limitMs ? [`this process stood still for ${seconds(stalledMs)}`] : []),
    ...(Math.abs(driftMs) > limitMs ? [jumpText(driftMs)] : []),
  ]
}

/** The monotonic clock of Linux stops while a machine is suspended; the wall clock is then set forward. */
function jumpText(jumpedMs: number): string {
  return jumpedMs > 0
    ? `the clock jumped forward by ${seconds(jumpedMs)} (it was set, or this machine was suspended)`
    : `the clock jumped back by ${seconds(-jumpedMs)}`
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

/** The heartbeat: compares the clocks when nothing else happens, and leaves TILT when it is time. */
export function onHeartbeat(turn: Turn): void {
  const { state, now } = turn
  state.timers.set(state.tilt, 'tilt', nextRoundMs(now.monoMs, HEARTBEAT_MS, 0))
  const { sinceMs } = state.tilt
  if (sinceMs !== undefined && now.monoMs - sinceMs >= state.config.periods.tiltMs) leaveTilt(turn)
}

/** The cause is for the log: the event says what redis-sentinel says. */
function enterTilt(turn: Turn, cause: string): void {
  const { tilt } = turn.state
  tilt.sinceMs = turn.now.monoMs
  tilt.total++
  for (const group of turn.state.groups.values()) doubtClocks(group)
  log(turn, 'warning', `TILT: ${cause}`)
  announce(turn, '+tilt', undefined)
}

/** Everything that was frozen is checked again. */
function leaveTilt(turn: Turn): void {
  turn.state.tilt.sinceMs = undefined
  announce(turn, '-tilt', undefined)
  for (const group of turn.state.groups.values()) {
    askWhatIsLeft(turn, group)
    for (const instance of instancesOf(group)) checkDown(turn, instance)
    checkOdown(turn, group)
    driveFailover(turn, group)
  }
}
