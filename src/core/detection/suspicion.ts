/**
 * When does an instance count as subjectively down, and on what grounds? Not "when was it last heard" but
 * "since when does it owe an answer": the clock starts at the first PING that stays unanswered, or at the
 * moment the kernel said that no process listens there, and neither later PINGs nor reconnections move
 * it. The complications are masters that are proven dead before that (evidence.ts), and masters that
 * answer and are useless all the same: one that says it is a replica, one that was restarted and has been
 * loading its data for longer than it may [master-reboot-down-after-period], one that refuses writes for
 * longer than we tolerate (gray-master.ts), and one that came back without its data (empty-master.ts).
 */

import { heirOf } from '../failover/node-failover-report.ts'
import { idleDownAtMs } from '../failover/voters.ts'
import type { Group, Instance, Master, Turn } from '../state.ts'
import { describeEmptied } from './empty-master.ts'
import { describeProof, headStartMs, provenDownAtMs } from './evidence.ts'
import { describeGray, grayDownAtMs } from './gray-master.ts'
import { lateMs } from './lateness.ts'

/** A reason why an instance is down from this moment on, unless we hear from it. */
export interface Ground {
  readonly kind: 'silence' | 'proof' | 'role' | 'reboot' | 'gray' | 'empty' | 'term'
  readonly atMs: number
}

/** The earliest ground; undefined if there is none. */
export function groundAgainst(turn: Turn, instance: Instance): Ground | undefined {
  const grounds = [silence(turn, instance)]
  if (instance.kind === 'master') grounds.push(...againstMaster(turn, instance))
  return grounds.reduce(earlier)
}

/** In words, for operators: why `+sdown` is announced now. */
export function describeGround(turn: Turn, instance: Instance, ground: Ground): string {
  const nowMs = turn.now.monoMs
  if (instance.kind === 'master') {
    if (ground.kind === 'proof') return describeProof(turn, instance)
    if (ground.kind === 'role') {
      return `says it is a replica for ${nowMs - instance.roleReportedAtMs} ms`
    }
    if (ground.kind === 'reboot') {
      return `loading since it was restarted ${nowMs - (instance.rebootedAtMs ?? nowMs)} ms ago`
    }
    if (ground.kind === 'gray') return describeGray(turn, instance)
    if (ground.kind === 'term') {
      return `says it is the master of no term (${instance.sync?.state ?? 'it has none'})`
    }
    if (ground.kind === 'empty') return describeEmptied(turn, instance)
  }
  const { pingPendingSinceMs = nowMs, command } = instance.link
  const ownMs = lateMs(turn.state.tilt.late, pingPendingSinceMs, instance.group.config.downAfterMs)
  const late = ownMs === 0 ? '' : `, of which we were late ourselves for ${ownMs} ms`
  const lasted = `no valid reply for ${nowMs - pingPendingSinceMs} ms${late}`
  return command?.up ? lasted : `${lasted}, no connection`
}

function silence({ state }: Turn, instance: Instance): Ground | undefined {
  const unanswered = instance.link.pingPendingSinceMs
  if (unanswered === undefined) return undefined
  const { downAfterMs } = instance.group.config
  const isMaster = instance.kind === 'master'
  const earlyMs = isMaster ? headStartMs(instance, unanswered, downAfterMs) : 0
  const silentMs = downAfterMs + lateMs(state.tilt.late, unanswered, downAfterMs) + 1
  return { kind: 'silence', atMs: unanswered + silentMs - earlyMs }
}

function againstMaster(turn: Turn, master: Master): (Ground | undefined)[] {
  const { roleReported, roleReportedAtMs, rebootedAtMs, group } = master
  const { downAfterMs, rebootDownAfterMs } = group.config
  const provenMs = provenDownAtMs(turn, master)
  const roleMs =
    roleReported === 'slave'
      ? roleReportedAtMs + downAfterMs + patienceMs(turn, group) + 1
      : undefined
  const isWatched = rebootedAtMs !== undefined && rebootDownAfterMs > 0
  return [
    ground('proof', provenMs),
    ground('role', roleMs),
    ground('reboot', isWatched ? rebootedAtMs + rebootDownAfterMs + 1 : undefined),
    ground('gray', grayDownAtMs(turn, master)),
    ground('empty', master.emptiedAtMs),
    ground('term', idleDownAtMs(master)),
  ]
}

/**
 * A master that follows a successor which is a master already has handed over: it will not change its
 * mind.
 */
function patienceMs(turn: Turn, group: Group): number {
  return heirOf(turn.state, group) === undefined ? 2 * turn.state.config.periods.infoMs : 0
}

function ground(kind: Ground['kind'], atMs: number | undefined): Ground | undefined {
  return atMs === undefined ? undefined : { kind, atMs }
}

function earlier(a: Ground | undefined, b: Ground | undefined): Ground | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return b.atMs < a.atMs ? b : a
}
