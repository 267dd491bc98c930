/** How an event of a Sentinel looks in its lane. */
import {
  abortReasonInWords,
  EVENTS,
  type EventName,
  type HeardEvent,
  isAbort,
  isEventName,
} from '../history/happening.ts'
import type { EventFacts } from './event-facts.ts'
import type { Single } from './lanes/lane-model.ts'

export function eventMoment(atMs: number, facts: EventFacts): Single {
  const { name, text } = facts
  const { topic, isRoutine } = isEventName(name) ? EVENTS[name] : UNKNOWN
  return { atMs, topic, labels: labelsOf(facts), text, isKey: !isRoutine }
}

const UNKNOWN = { topic: 'other', isRoutine: false } as const

function labelsOf(facts: EventFacts): [string, ...string[]] {
  const { name, vote, switched, quorum } = facts
  const about = facts.subject?.name ?? ''
  if (vote !== undefined) return [`votes for ${vote.leader}`, `votes ${vote.leader}`]
  if (switched !== undefined)
    return [`${name} ${switched.to}`, `+switch ${switched.to}`, `→ ${switched.to}`]
  if (quorum !== undefined) {
    const share = `${quorum.agreeing}/${quorum.needed}`
    return [`${name} ${about} ${share}`, `${name} ${share}`, name]
  }
  if (isAbort(name)) return [`-abort: ${abortReasonInWords(name)}`, '-abort']
  return labelsAbout(name, about)
}

/** Where there is little room, the name is dropped before it is cut; not where it is the point. */
const SHORT_ENOUGH: ReadonlySet<string> = new Set<EventName>([
  ...(['+sdown', '-sdown', '+odown', '-odown'] as const),
])

/** Whose master it is about goes without saying. */
const ALONE: ReadonlySet<HeardEvent> = new Set([
  '+try-failover',
  '+elected-leader',
  '+failover-end',
])

function labelsAbout(name: HeardEvent, about: string): [string, ...string[]] {
  const short = name.slice(0, name.indexOf('-', 1) === -1 ? undefined : name.indexOf('-', 1))
  if (about === '' || ALONE.has(name)) return [name, short]
  return [`${name} ${about}`, `${short} ${about}`, ...(SHORT_ENOUGH.has(short) ? [] : [short])]
}
