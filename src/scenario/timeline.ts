/**
 * The course of a run for people: what was done, what the Sentinels said, which roles changed; and which steps did
 * nothing.
 */
import type { Action, ActionKind } from '../history/action.ts'
import type { Happening, HeardEvent, ProcessStatus } from '../history/happening.ts'
import { describe } from '../history/trace.ts'
import type { TimelineEntry } from './result.ts'
import type { RunHistory } from './world.ts'

/** Which instances are discovered at the start is the same in every run. */
const ROUTINE_EVENTS: ReadonlySet<HeardEvent> = new Set(['+slave', '+sentinel', '+monitor'])
const RUN_ID = /[0-9a-f]{40}/g
const SHOWN: ReadonlySet<Happening['kind']> = new Set([
  'fault',
  'refused',
  'status',
  'event',
  'view',
  'role',
  'violation',
])

export function createTimeline(history: RunHistory): TimelineEntry[] {
  const names = sentinelNames(history.happenings)
  const idle = idleSteps(history.happenings)
  return history.happenings.filter(isShown).map((happening) => ({
    atMs: happening.atMs,
    process: happening.process,
    kind: happening.kind,
    text: [
      describe(happening, history.nameOf).replace(RUN_ID, (id) => names.get(id) ?? id),
      ...(idle.get(happening) ?? []),
    ].join(', '),
  }))
}

/** What a process has to be for an action to change anything; the other actions always do. */
const NEEDS: Readonly<Partial<Record<ActionKind, readonly ProcessStatus[]>>> = {
  kill: ['running', 'paused'],
  stop: ['running', 'paused'],
  pause: ['running'],
  resume: ['paused'],
}

/** Steps that changed nothing for some of their processes, mostly because they name the wrong one. */
function idleSteps(happenings: readonly Happening[]): ReadonlyMap<Happening, readonly string[]> {
  const statuses = new Map<string, ProcessStatus>()
  const found = new Map<Happening, readonly string[]>()
  for (const happening of happenings) {
    const { kind, process } = happening
    if (kind === 'status' && process !== undefined) statuses.set(process, happening.status)
    if (kind === 'fault') found.set(happening, unchangedBy(happening.action, statuses))
  }
  return found
}

function unchangedBy(action: Action | undefined, statuses: ReadonlyMap<string, ProcessStatus>) {
  const needed = action && NEEDS[action.kind]
  if (action === undefined || needed === undefined || !('processes' in action)) return []
  return action.processes.flatMap((name) => {
    const status = statuses.get(name)
    return status === undefined || needed.includes(status)
      ? []
      : [`which changes nothing: ${name} is ${status}`]
  })
}

/**
 * Events name Sentinels by run id; the process that said something under a run id gives it its
 * name.
 */
function sentinelNames(happenings: readonly Happening[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const happening of happenings) {
    if ('sentinelId' in happening) names.set(happening.sentinelId, happening.process ?? '')
  }
  return names
}

function isShown(happening: Happening): boolean {
  if (!SHOWN.has(happening.kind)) return false
  if (happening.kind === 'status') return happening.atMs > 0 && happening.status !== 'running'
  return happening.kind !== 'event' || !ROUTINE_EVENTS.has(happening.name)
}
