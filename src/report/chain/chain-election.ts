/** Which Sentinels stood for election, which voted, and which replica the leader chose. */

import { countOf } from '../../base/count-of.ts'
import { wordList } from '../../base/word-list.ts'
import { type AbortReason, votesNeeded } from '../../history/happening.ts'
import { formatDuration } from '../../scenario/duration.ts'
import { downBetween } from './chain-states.ts'
import { type ChainSentence, electorateOf, groupOf, link, type Story } from './chain-words.ts'
import type { Attempt } from './incidents.ts'

/** Further attempts only repeat the story. */
const MOST_ATTEMPTS = 12

export function tellAttempts(story: Story): ChainSentence[] {
  const { attempts } = story.incident
  const told = attempts.slice(0, MOST_ATTEMPTS).flatMap((attempt) => tellAttempt(attempt, story))
  const last = attempts.at(-1)
  if (attempts.length <= MOST_ATTEMPTS || last === undefined) return told
  const more = countOf(attempts.length - MOST_ATTEMPTS, 'more attempt')
  return [...told, link(last.atMs, `${more} like these, the last one here.`, last.sentinel)]
}

function tellAttempt(attempt: Attempt, story: Story): ChainSentence[] {
  const { atMs, sentinel } = attempt
  return [
    link(atMs, beginning(attempt, story), sentinel),
    ...(isForced(attempt, story) ? [] : tellElection(attempt, story)),
    ...tellSelection(attempt, story),
    ...tellAbort(attempt, story),
    ...tellDeath(attempt, story),
  ]
}

/** Where it is not known how an attempt came about: no Sentinel held the master down, so an operator ordered it. */
function isForced({ kind }: Attempt, { incident }: Story): boolean {
  return kind === undefined ? incident.suspicions.length === 0 : kind === 'forced'
}

function beginning(attempt: Attempt, story: Story): string {
  const { sentinel, epoch, kind } = attempt
  const where = epoch === undefined ? '' : ` in epoch ${epoch}`
  if (isForced(attempt, story))
    return `${sentinel} begins the failover${where}, as an operator ordered, without asking for votes: +try-failover.`
  const why = kind === 'coordinated' ? ' for the handover that an operator ordered' : ''
  return `${sentinel} stands for election${where}${why}: +try-failover.`
}

function tellElection(attempt: Attempt, story: Story): ChainSentence[] {
  const { electedAtMs, sentinel, atMs } = attempt
  if (electedAtMs === undefined) return []
  const electorate = electorateOf(story, attempt)
  const need = `${votesNeeded(electorate)} of ${electorate.known} are needed`
  const after = formatDuration(electedAtMs - atMs)
  const text = `${sentinel} is elected after ${after}, ${votesIn(attempt, electedAtMs)} (${need}): +elected-leader.`
  return [link(electedAtMs, text, sentinel)]
}

/** A vote is seen when it is given, which is before it is counted; later votes did not help. */
function votesIn({ votes }: Attempt, electedAtMs: number): string {
  const inTime = votes.filter(({ atMs }) => atMs <= electedAtMs).map((one) => one.sentinel)
  const late = votes.filter(({ atMs }) => atMs > electedAtMs).map((one) => one.sentinel)
  if (inTime.length === 0) return 'by votes that were not recorded'
  const tooLate = late.length === 0 ? '' : `; ${wordList(late)} voted the same, too late to matter`
  return `with the ${inTime.length === 1 ? 'vote' : 'votes'} of ${wordList(inTime)}${tooLate}`
}

function tellSelection(attempt: Attempt, story: Story): ChainSentence[] {
  const { selected, passedOver, kind, sentinel } = attempt
  if (selected === undefined) return []
  // In a coordinated failover the choice is made again when the master dies: no replica has refused then.
  const refusing = kind === 'coordinated' ? [] : passedOver
  const choices = [...refusing, selected]
  return choices.map(({ node, atMs }, at) => {
    const before = choices[at - 1]
    const why =
      before === undefined
        ? reasonFor(node, atMs, story)
        : ` instead, for ${before.node} refused to be the master`
    return link(atMs, `${sentinel} selects ${node}${why}: +selected-slave.`, sentinel)
  })
}

/**
 * Priorities are in the file, and it is known which replicas ran. No event reveals what the Sentinel
 * knew of offsets, so if they decided, the report can only say that.
 */
function reasonFor(node: string, atMs: number, story: Story): string {
  const { incident, file } = story
  const replicas = file.topology.nodes.filter(
    ({ name, group }) => group === incident.group && name !== incident.master,
  )
  const running = replicas.filter(({ name }) => isRunning(name, atMs, story))
  const able = running.filter((one) => priorityOf(one) !== 0)
  if (able.length <= 1) return ', the only replica that could be promoted'
  if (groupOf(story)?.replication === 'strict') return strictReason(node, able)
  const own = able.find(({ name }) => name === node)
  const best = able.filter((one) => priorityOf(one) === (own === undefined ? 0 : priorityOf(own)))
  const others = wordList(able.filter(({ name }) => name !== node).map(({ name }) => name))
  if (best.length === 1) {
    const least = Math.min(...able.map(priorityOf))
    const priority = own === undefined ? least : priorityOf(own)
    if (priority === least)
      return ` before ${others}, for it has the lower replica-priority, ${priority}`
    return `, though others have a better replica-priority: they were out of its reach`
  }
  return ` before ${others}: the priorities are equal, so the replication offset decided, or the run id where offsets were equal`
}

/** [replication: strict] Every voter may be promoted, and what it has comes before all else. */
function strictReason(node: string, able: readonly NodeOfStory[]): string {
  const others = wordList(able.filter(({ name }) => name !== node).map(({ name }) => name))
  return ` before ${others}: of the voters that were fenced it has the newest history, or as new a one and the better priority`
}

type NodeOfStory = Story['file']['topology']['nodes'][number]

const DEFAULT_PRIORITY = 100

function priorityOf({ directives }: NodeOfStory): number {
  const text = directives.get('replica-priority') ?? directives.get('slave-priority')
  return text === undefined ? DEFAULT_PRIORITY : Number(text)
}

function isRunning(process: string, atMs: number, { history }: Story): boolean {
  const last = history.happenings.findLast(
    (one) => one.kind === 'status' && one.process === process && one.atMs <= atMs,
  )
  return last?.kind === 'status' && last.status === 'running'
}

function tellAbort(attempt: Attempt, story: Story): ChainSentence[] {
  const { aborted, sentinel } = attempt
  if (aborted === undefined) return []
  const rivals =
    aborted.event === '-failover-abort-not-elected' ? wordRivals(attempt, story.incident) : ''
  const text = `${sentinel} gives up, ${wordAbort(attempt, aborted.event, story)}: ${aborted.event}.${rivals}`
  return [link(aborted.atMs, text, sentinel)]
}

/** A leader that dies says nothing; another Sentinel has to start again. */
function tellDeath(
  { atMs, sentinel, aborted }: Attempt,
  { incident, history }: Story,
): ChainSentence[] {
  const untilMs = incident.promotion?.atMs ?? incident.recoveredAtMs ?? history.endMs
  const downAtMs = downBetween(sentinel, atMs, aborted?.atMs ?? untilMs, history)
  if (downAtMs === undefined) return []
  return [link(downAtMs, `${sentinel} goes down in the middle of it.`, sentinel)]
}

/** The votes were split: others stood in the same epoch. */
function wordRivals({ epoch, sentinel }: Attempt, { attempts }: Story['incident']): string {
  const rivals = attempts.filter((one) => one.epoch === epoch && one.sentinel !== sentinel)
  if (epoch === undefined || rivals.length === 0) return ''
  const parts = rivals.map(({ sentinel: rival, votes }) =>
    votes.length === 0
      ? `${rival}`
      : `${rival}, with the ${votes.length === 1 ? 'vote' : 'votes'} of ${wordList(votes.map((one) => one.sentinel))}`,
  )
  return ` The votes of epoch ${epoch} were split: there also stood ${parts.join('; ')}.`
}

/** A vote that was given need not have arrived, nor have been saved. */
function wordDefeat(votes: Attempt['votes'], needed: number): string {
  const who = wordList(votes.map(({ sentinel }) => sentinel))
  if (votes.length >= needed)
    return `not elected: ${who} voted for it, but that did not count in time`
  const got =
    votes.length === 0 ? 'no vote' : `the ${votes.length === 1 ? 'vote' : 'votes'} of ${who}`
  return `not elected: it had ${got}, and ${needed} are needed`
}

function wordAbort(attempt: Attempt, event: AbortReason, story: Story): string {
  const { votes, selected } = attempt
  if (event === '-failover-abort-not-elected')
    return wordDefeat(votes, votesNeeded(electorateOf(story, attempt)))
  if (event === '-failover-abort-no-good-slave') {
    return 'for no replica could be promoted: each is down, out of reach, of priority 0, or was cut off from the master for too long'
  }
  if (event === '-failover-abort-slave-timeout') {
    const { failoverTimeoutMs } = groupOf(story) ?? {}
    const limit =
      failoverTimeoutMs === undefined ? '' : ` within ${formatDuration(failoverTimeoutMs)}`
    return `for ${selected?.node ?? 'the chosen replica'} did not become a master${limit}`
  }
  return 'before the end'
}
