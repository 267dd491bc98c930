/** SENTINEL DEBUG: other periods for the protocol, in force at once. */
import type { Periods } from './config.ts'
import { checkDown } from './down.ts'
import { driveFailover } from './failover.ts'
import { pingIntervalMs } from './ping.ts'
import { scheduleScripts } from './scripts/script-queue.ts'
import type { Instance, Turn } from './state.ts'
import { instancesOf } from './state.ts'

/**
 * Every deadline knows only the period it was set with, so those that would come too late by the new one
 * are moved forward. One that comes too early does no harm: the next one is set by the new period.
 */
export function changePeriods(turn: Turn, periods: Periods): void {
  const { state, now } = turn
  state.config = { ...state.config, periods }
  for (const group of state.groups.values()) {
    for (const instance of instancesOf(group)) hasten(turn, instance)
    if (group.deadlines.has('ask')) state.timers.advance(group, 'ask', now.monoMs + periods.askMs)
    driveFailover(turn, group)
  }
  scheduleScripts(turn)
}

function hasten(turn: Turn, instance: Instance): void {
  const { timers, config } = turn.state
  const nowMs = turn.now.monoMs
  const { link } = instance
  const { infoMs, helloMs } = config.periods
  timers.advance(link, 'ping', nowMs + pingIntervalMs(turn.state, link))
  timers.advance(instance, 'hello', nowMs + helloMs)
  if (instance.kind !== 'sentinel') timers.advance(instance, 'info', nowMs + infoMs)
  checkDown(turn, instance)
}
