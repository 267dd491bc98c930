/**
 * When does an instance count as subjectively down? Not "when was it last heard" but "since when does
 * it owe an answer": the clock starts at the first PING that stays unanswered, or at the moment the
 * kernel said that nobody is there, and neither later PINGs nor reconnections move it. The complication
 * is a master that answers but says it is a replica: it is alive, yet useless as a master.
 */
import type { Instance, Turn } from './state.ts'

/** The earliest moment this instance is down unless something is heard from it; undefined: never. */
export function downAtMs(turn: Turn, instance: Instance): number | undefined {
  const { downAfterMs } = instance.group.config
  const unanswered = instance.link.pingPendingSinceMs
  const silent = unanswered === undefined ? undefined : unanswered + downAfterMs + 1
  const wrongRole =
    instance.kind === 'master' && instance.roleReported === 'slave'
      ? instance.roleReportedAtMs + downAfterMs + 2 * turn.state.config.periods.infoMs + 1
      : undefined
  if (silent === undefined) return wrongRole
  return wrongRole === undefined ? silent : Math.min(silent, wrongRole)
}
