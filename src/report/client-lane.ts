/** A client: who acknowledges its writes, and when nobody does. */

import { formatDuration } from '../scenario/duration.ts'
import type { Happening } from '../sim/happening.ts'
import type { Write } from '../sim/write-log.ts'
import type { Course, Single } from './lane-model.ts'
import type { LaneState } from './lane-state.ts'
import type { ClientOutage } from './outages.ts'
import { SpanBuilder } from './spans.ts'
import { statusMoment } from './status.ts'

interface Change {
  readonly atMs: number
  /** Undefined: what it was before it was paused. */
  readonly state: LaneState | undefined
  /** Undefined: what it was before says enough. */
  readonly moment: Single | undefined
}

export function clientLane(
  told: readonly Happening[],
  writes: readonly Write[],
  outages: readonly ClientOutage[],
  endMs: number,
): Course {
  const changes = [...statusChanges(told), ...servedChanges(writes, outages)]
  changes.push(...outages.map(outageChange))
  changes.sort((a, b) => a.atMs - b.atMs)
  const spans = new SpanBuilder({ kind: 'down' })
  let awake: LaneState = { kind: 'starting' }
  for (const { atMs, state } of changes) {
    if (state?.kind === 'down') awake = { kind: 'starting' }
    else if (state !== undefined && state.kind !== 'paused') awake = state
    spans.enter(atMs, state ?? awake)
  }
  const moments = changes.flatMap(({ moment }) => (moment === undefined ? [] : [moment]))
  return { spans: spans.finish(endMs), moments }
}

function statusChanges(told: readonly Happening[]): Change[] {
  let before: LaneState = { kind: 'down' }
  return told.flatMap((happening): Change[] => {
    if (happening.kind !== 'status') return []
    const { atMs, status } = happening
    const [moment] = statusMoment(atMs, status, before)
    before = status === 'running' ? { kind: 'starting' } : { kind: status }
    return [{ atMs, state: status === 'running' ? undefined : before, moment }]
  })
}

/** It begins with the last acknowledgement, which is known only in hindsight. */
function outageChange({ fromMs, untilMs, code, isOver }: ClientOutage): Change {
  const length = formatDuration(untilMs - fromMs)
  const text = isOver
    ? `no write acknowledged for ${length}${code === undefined ? '' : `, but ${code}`}`
    : `no write acknowledged any more${code === undefined ? '' : `, but ${code}`}`
  const labels: [string, ...string[]] = isOver ? [`silence ${length}`, 'silence'] : ['silence']
  const moment: Single = { atMs: fromMs, topic: 'state', labels, text, isKey: true }
  return { atMs: fromMs, state: { kind: 'waiting', code }, moment }
}

/** Another node than before, or the same one after an outage. */
function servedChanges(writes: readonly Write[], outages: readonly ClientOutage[]): Change[] {
  const acknowledged = writes.flatMap(({ node, outcome }) =>
    outcome.kind === 'acknowledged' ? [{ node, atMs: outcome.atMs }] : [],
  )
  acknowledged.sort((a, b) => a.atMs - b.atMs)
  const ends = new Set(outages.map(({ untilMs }) => untilMs))
  let served: string | undefined
  return acknowledged.flatMap((one): Change[] => {
    const { atMs, node } = one
    const isNews = served !== node || ends.delete(atMs)
    served = node
    if (!isNews) return []
    const text = `${node} acknowledges its writes`
    const labels: [string, ...string[]] = [`served by ${node}`, `by ${node}`]
    const moment: Single = { atMs, topic: 'state', labels, text, isKey: true }
    return [{ atMs, state: { kind: 'served', by: node }, moment }]
  })
}
