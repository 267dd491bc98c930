/** How an event of a Sentinel looks in its lane. */
import type { EventFacts } from './event-facts.ts'
import type { Single, Topic } from './lane-model.ts'

/** They complete the record, and tell nobody anything who reads the others. */
const ROUTINE: ReadonlySet<string> = new Set([
  ...['+slave', '+sentinel', '+monitor', '+new-epoch', '+config-update-from', '+failover-end'],
  ...['+role-change', '-role-change', '+slave-reconf-sent', '+slave-reconf-inprog'],
  ...['+slave-reconf-done', '+slave-reconf-sent-be', '+failover-state-select-slave'],
  ...['+failover-state-send-slaveof-noone', '+failover-state-wait-promotion'],
  ...['+failover-state-reconf-slaves', '-cmd-link-reconnection', '-pubsub-link-reconnection'],
])

const TOPICS: Readonly<Record<string, Topic>> = {
  '+sdown': 'suspicion',
  '-sdown': 'suspicion',
  '+odown': 'suspicion',
  '-odown': 'suspicion',
  '+try-failover': 'election',
  '+vote-for-leader': 'election',
  '+elected-leader': 'election',
  '+new-epoch': 'election',
  '+selected-slave': 'promotion',
  '+promoted-slave': 'promotion',
  '+switch-master': 'switch',
  '+config-update-from': 'switch',
  '+convert-to-slave': 'switch',
  '+tilt': 'tilt',
  '-tilt': 'tilt',
}

export function eventMoment(atMs: number, facts: EventFacts): Single {
  const { name, text } = facts
  const isAbort = name.startsWith('-failover-abort-')
  const topic = TOPICS[name] ?? (isAbort ? 'election' : 'other')
  return { atMs, topic, labels: labelsOf(facts), text, isKey: !ROUTINE.has(name) }
}

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
  if (name.startsWith('-failover-abort-')) {
    const reason = name.slice('-failover-abort-'.length).replaceAll('-', ' ')
    return [`-abort: ${reason}`, '-abort']
  }
  return labelsAbout(name, about)
}

/** Where there is little room, the name is dropped before it is cut; not where it is the point. */
const SHORT_ENOUGH: ReadonlySet<string> = new Set(['+sdown', '-sdown', '+odown', '-odown'])

/** Whose master it is about goes without saying. */
const ALONE: ReadonlySet<string> = new Set(['+try-failover', '+elected-leader', '+failover-end'])

function labelsAbout(name: string, about: string): [string, ...string[]] {
  const short = name.slice(0, name.indexOf('-', 1) === -1 ? undefined : name.indexOf('-', 1))
  if (about === '' || ALONE.has(name)) return [name, short]
  return [`${name} ${about}`, `${short} ${about}`, ...(SHORT_ENOUGH.has(short) ? [] : [short])]
}
