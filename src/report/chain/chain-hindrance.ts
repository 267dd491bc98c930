/** Why a suspicion led to nothing, as far as that can be seen from outside. */

import { wordList } from '../../base/word-list.ts'
import { votesNeeded } from '../../history/happening.ts'
import { createNaming } from '../names.ts'
import { hindranceOf } from './chain-states.ts'
import { type ChainSentence, electorateOf, groupOf, link, type Story } from './chain-words.ts'

export function tellHindrance(story: Story): ChainSentence[] {
  const { incident } = story
  if (incident.attempts.length > 0) return []
  if (incident.agreements.length === 0) return tellNoQuorum(story)
  return [...tellSaid(story), ...tellTilt(story)].slice(0, 3).concat(tellTooFew(story))
}

function tellNoQuorum(story: Story): ChainSentence[] {
  const { suspicions, master, startMs } = story.incident
  const needed = groupOf(story)?.quorum
  const who = suspicions.map(({ sentinel }) => sentinel)
  const silent = story.file.topology.sentinels
    .map(({ name }) => name)
    .filter((name) => !who.includes(name))
  const states = silent.map((name) => {
    const hindrance = hindranceOf(name, startMs, story.history)
    return `${name} ${hindrance ?? 'did not notice anything'}`
  })
  const others = states.length === 0 ? '' : ` ${wordList(states)}.`
  const count =
    `${who.length === 1 ? 'Only' : ''} ${wordList(who)} ${who.length === 1 ? 'holds' : 'hold'}`.trim()
  const quorum = needed === undefined ? 'a quorum' : `the quorum of ${needed}`
  const agreed = needed !== undefined && who.length >= needed
  const text = agreed
    ? `${count} ${master} down, but they did not hear of each other in that time: no +odown, hence no failover.`
    : `${count} ${master} down, which is not ${quorum}: no +odown, hence no failover.${others}`
  return [link(suspicions.at(-1)?.atMs ?? startMs, text, suspicions.at(-1)?.sentinel)]
}

/** What Sentinels logged about why they wait; the same words from several are one sentence. */
function tellSaid({ incident, history }: Story): ChainSentence[] {
  const naming = createNaming(history)
  const untilMs = incident.recoveredAtMs ?? history.endMs
  const reasons = new Map<string, { readonly atMs: number; readonly who: Set<string> }>()
  for (const { atMs, process, ...one } of history.happenings) {
    if (one.kind !== 'log' || atMs < incident.startMs || atMs > untilMs) continue
    const said = /^no failover of master (\S+) .* yet: (.*)$/s.exec(one.text)
    if (said === null || said[1] !== incident.group || process === undefined) continue
    const reason = naming.text(said[2] ?? '')
    const known = reasons.get(reason) ?? { atMs, who: new Set<string>() }
    reasons.set(reason, known)
    known.who.add(process)
  }
  return [...reasons].map(([reason, { atMs, who }]) => {
    const verb = who.size === 1 ? 'does' : 'do'
    return link(atMs, `${wordList([...who])} ${verb} not begin a failover: ${reason}.`, [...who][0])
  })
}

function tellTilt({ incident, history }: Story): ChainSentence[] {
  const agreed = incident.agreements.map(({ sentinel }) => sentinel)
  const tilted = history.happenings.filter(
    (one) => one.kind === 'event' && one.name === '+tilt' && agreed.includes(one.process ?? ''),
  )
  return tilted.map((one) =>
    link(
      one.atMs,
      `${one.process} is in TILT: it begins no failover until its clock is steady.`,
      one.process,
    ),
  )
}

function tellTooFew(story: Story): ChainSentence[] {
  const { incident, file, history } = story
  const running = file.topology.sentinels.filter(
    ({ name }) => !isAbsent(hindranceOf(name, incident.startMs, history)),
  )
  const { known, quorum } = electorateOf(story)
  const needed = votesNeeded({ known, quorum })
  if (running.length >= needed) return []
  const text = `Only ${running.length} of ${known} Sentinels run, and a failover needs the votes of ${needed}.`
  return [link(incident.agreements[0]?.atMs, text)]
}

function isAbsent(hindrance: string | undefined): boolean {
  return hindrance === 'was down' || hindrance === 'was not there yet'
}
