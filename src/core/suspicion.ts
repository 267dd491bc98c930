/**
 * When does an instance count as subjectively down? Not "when was it last heard" but "since when does
 * it owe an answer": the clock starts at the first PING that stays unanswered, or at the moment the
 * kernel said that nobody is there, and neither later PINGs nor reconnections move it. The complications
 * are masters that answer and are useless all the same: one that says it is a replica, and one that was
 * restarted and has been loading its data for longer than it is given [master-reboot-down-after-period].
 */
import { heirOf } from './failover-report.ts'
import type { Group, Instance, Master, Turn } from './state.ts'

/** The earliest moment this instance is down unless something is heard from it; undefined: never. */
export function downAtMs(turn: Turn, instance: Instance): number | undefined {
  const { downAfterMs } = instance.group.config
  const unanswered = instance.link.pingPendingSinceMs
  const silent = unanswered === undefined ? undefined : unanswered + downAfterMs + 1
  return instance.kind === 'master' ? earliest(silent, uselessAtMs(turn, instance)) : silent
}

function uselessAtMs(turn: Turn, master: Master): number | undefined {
  const { roleReported, roleReportedAtMs, rebootedAtMs, group } = master
  const { downAfterMs, rebootDownAfterMs } = group.config
  const wrongRole =
    roleReported === 'slave'
      ? roleReportedAtMs + downAfterMs + patienceMs(turn, group) + 1
      : undefined
  const isWatched = rebootedAtMs !== undefined && rebootDownAfterMs > 0
  return earliest(wrongRole, isWatched ? rebootedAtMs + rebootDownAfterMs + 1 : undefined)
}

/** A master that follows an heir who is a master already has handed over: it will not think again. */
function patienceMs(turn: Turn, group: Group): number {
  return heirOf(turn.state, group) === undefined ? 2 * turn.state.config.periods.infoMs : 0
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Math.min(a, b)
}
