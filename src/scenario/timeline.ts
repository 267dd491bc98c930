/** The course of a run for people: what was done, what the Sentinels said, who became what. */
import type { Happening } from '../sim/happening.ts'
import { describe } from '../sim/trace.ts'
import type { TimelineEntry } from './result.ts'
import type { History } from './world.ts'

/** Who finds whom at the start is the same in every run. */
const ROUTINE_EVENTS: ReadonlySet<string> = new Set(['+slave', '+sentinel', '+monitor'])
const RUN_ID = /[0-9a-f]{40}/g
const SHOWN: ReadonlySet<Happening['kind']> = new Set([
  'fault',
  'status',
  'event',
  'view',
  'role',
  'violation',
])

export function createTimeline(history: History): TimelineEntry[] {
  const names = sentinelNames(history.happenings)
  return history.happenings.filter(isShown).map((happening) => ({
    atMs: happening.atMs,
    process: happening.process,
    kind: happening.kind,
    text: describe(happening, history.nameOf).replace(RUN_ID, (id) => names.get(id) ?? id),
  }))
}

/** Events name Sentinels by run id; whoever said something under one has that name. */
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
