/**
 * A handover that is called off leaves nothing behind: a moment later the master takes writes again. Its own
 * time limit would end the pause as well, but clients would wait for all of the failover-timeout.
 */
import { isAbort } from '../../core/event-table.ts'
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'
import { forgetEnded, readSubject } from './sentinel-past.ts'

/** A round trip, and the master's own upkeep. */
const LIFTED_MS = 1_000

interface Due {
  readonly sentinel: string
  readonly node: string
  readonly group: string
  readonly sinceMs: number
  readonly dueMs: number
}

export function pausesAreLifted(scene: CheckerView): Checker {
  const heldSinceMs = new Map<string, number>()
  const ordered = new Map<string, string>()
  let dues: Due[] = []
  const overdue = (nowMs: number): string | undefined => {
    const over = dues.filter(({ dueMs }) => nowMs > dueMs)
    dues = dues.filter((due) => !over.includes(due))
    const late = over.find((due) => isLate(due, heldSinceMs.get(due.node), scene))
    return (
      late &&
      `${late.node} still holds writes back ${LIFTED_MS} ms after ${late.sentinel} called its handover off`
    )
  }
  return {
    name: 'a pause is lifted when a handover is called off',
    observe: (happening) => {
      const late = overdue(happening.atMs)
      const { process = '', atMs } = happening
      if (happening.kind === 'writesHeld') {
        if (happening.isHeld) heldSinceMs.set(process, atMs)
        else heldSinceMs.delete(process)
      }
      if (happening.kind === 'status' && happening.status === 'down') heldSinceMs.delete(process)
      if (happening.kind === 'candidacy') {
        const { group, isPlanned, forced, master } = happening
        // Another handover has begun: the master may hold writes back for that one.
        dues = dues.filter((due) => due.group !== group)
        if (isPlanned === true && !forced) ordered.set(`${process} ${group}`, scene.nameOf(master))
        else ordered.delete(`${process} ${group}`)
      }
      const due = dueIn(happening, ordered)
      forgetEnded(ordered, happening)
      // The handover of another Sentinel may hold them back as well.
      const isOwn = ![...ordered.keys()].some((key) => key.endsWith(` ${due?.group}`))
      if (due !== undefined && isOwn) dues.push(due)
      return late
    },
    elapsed: overdue,
  }
}

function dueIn(happening: Happening, ordered: ReadonlyMap<string, string>): Due | undefined {
  const { process = '', atMs } = happening
  if (happening.kind !== 'event' || !isAbort(happening.name)) return undefined
  const group = readSubject(happening.payload)?.group ?? ''
  const node = ordered.get(`${process} ${group}`)
  if (node === undefined) return undefined
  return { sentinel: process, node, group, sinceMs: atMs, dueMs: atMs + LIFTED_MS }
}

function isLate(due: Due, heldSinceMs: number | undefined, scene: CheckerView): boolean {
  const { sentinel, node, sinceMs } = due
  if (heldSinceMs === undefined || heldSinceMs > sinceMs) return false
  if (scene.roleOf(node)?.role.kind !== 'master') return false
  // The order itself counts as a trouble of the Sentinel.
  const isThere = (scene.runsSinceMs(sentinel) ?? Infinity) <= sinceMs
  const { troubles } = scene
  return isThere && troubles.isCalm(node, sinceMs) && troubles.isWayCalm(sentinel, node, sinceMs)
}
