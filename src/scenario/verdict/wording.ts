/** Expectations in plain words, as reports show them. */
import { unreachable } from '../../base/assert.ts'
import { countOf } from '../../base/count-of.ts'
import { wordList } from '../../base/word-list.ts'
import { formatDuration } from '../duration.ts'
import type {
  Bounds,
  Condition,
  EventClaim,
  Expectation,
  MomentClaim,
  RunPart,
  StateClaim,
  TimeRef,
  TotalClaim,
} from '../scenario-file.ts'

export function wordExpectation(expectation: Expectation): string {
  switch (expectation.kind) {
    case 'state':
      return `${wordState(expectation.claim)}, ${wordTiming(expectation.timing)}`
    case 'moment':
      return `${wordMoment(expectation.claim)}, ${wordTiming(expectation.timing)}`
    case 'total':
      return wordTotal(expectation.claim)
    default:
      return unreachable(expectation)
  }
}

export function wordCondition(condition: Condition): string {
  return condition.kind === 'state' ? wordState(condition.claim) : wordMoment(condition.claim)
}

function wordState(claim: StateClaim): string {
  switch (claim.kind) {
    case 'master': {
      const who = `${wordList(claim.accordingTo)} name`
      return claim.negated
        ? `${who} one master, and not ${claim.node}`
        : `${who} ${claim.node} as master`
    }
    case 'oneMaster':
      return `exactly one of ${wordList(claim.among)} is a master`
    case 'replica':
      return `${claim.node} is a connected replica of ${claim.of ?? 'the master'}`
    case 'role':
      return `${claim.node} is a ${claim.role}`
    case 'converged':
      return `all of ${claim.group} are of one mind`
    case 'refusesWrites':
      return `${claim.node} refuses writes with ${claim.code}`
    default:
      return unreachable(claim)
  }
}

function wordMoment(claim: MomentClaim): string {
  switch (claim.kind) {
    case 'writesWork': {
      const group = claim.group === undefined ? '' : ` of ${claim.group}`
      return `writes of ${claim.clients === undefined ? `a client${group}` : wordList(claim.clients)} work`
    }
    case 'leader':
      return `${claim.at === undefined ? 'a Sentinel' : wordList(claim.at)} leads a failover`
    case 'event':
      return wordEvent(claim)
    default:
      return unreachable(claim)
  }
}

function wordEvent({ name, group, matching, at }: EventClaim): string {
  const of = group === undefined ? '' : ` of ${group}`
  const part = matching === undefined ? '' : ` with "${matching}"`
  return `${name}${of}${part} at ${at === undefined ? 'a Sentinel' : wordList(at)}`
}

function wordTotal(claim: TotalClaim): string {
  switch (claim.kind) {
    case 'lostWrites':
      return wordLost(claim)
    case 'failovers':
      return claim.atMost === 0 ? 'no failover' : wordBounds(claim, 'failover')
    case 'dualWrites':
      return claim.atMostMs === 0
        ? 'no two nodes acknowledge writes at the same time'
        : `two nodes acknowledge writes for at most ${formatDuration(claim.atMostMs)}`
    case 'staleReads':
      return claim.atMost === 0
        ? 'no read gives an older value than one acknowledged before'
        : `${wordBounds(claim, 'read')} of older values than acknowledged ones`
    case 'anomalies':
      return claim.atMost === 0
        ? 'shared keys have a linear history'
        : `${wordBounds(claim, 'key')} without a linear history`
    case 'settled':
      return `all that runs agrees and holds the same, within ${formatDuration(claim.withinMs)} after the end`
    case 'outage': {
      const whose = claim.clients === undefined ? claim.group : wordList(claim.clients)
      const limit = formatDuration(claim.atMostMs)
      return `writes of ${whose} fail for at most ${limit}${wordSpan(claim)}`
    }
    case 'events':
      return `${wordEvent(claim.event)}, ${wordBounds(claim, 'time')}${wordSpan(claim)}`
    default:
      return unreachable(claim)
  }
}

const CAUSES = {
  asynchronous: 'before it was replicated',
  'split-brain': 'to a split brain',
  'empty-restart': 'to a restart with nothing',
} as const

function wordLost(claim: TotalClaim & { readonly kind: 'lostWrites' }): string {
  const { acknowledgedBy, atMost, cause } = claim
  const side = acknowledgedBy === 'any' ? '' : ` by the ${acknowledgedBy} side`
  const why = cause === undefined ? '' : ` ${CAUSES[cause]}`
  return atMost === 0
    ? `no write acknowledged${side} is lost${why}`
    : `${wordNumbers(claim)} of the writes acknowledged${side} are lost${why}`
}

function wordNumbers({ atLeast, atMost }: Bounds): string {
  if (atMost === undefined) return `at least ${atLeast}`
  if (atLeast === 0) return `at most ${atMost}`
  return atLeast === atMost ? `${atMost}` : `${atLeast} to ${atMost}`
}

function wordBounds({ atLeast, atMost }: Bounds, noun: string): string {
  if (atMost === undefined) return `at least ${countOf(atLeast, noun)}`
  if (atLeast === 0) return `at most ${countOf(atMost, noun)}`
  return atLeast === atMost ? countOf(atMost, noun) : `${atLeast} to ${countOf(atMost, noun)}`
}

function wordSpan({ after, until }: RunPart): string {
  if (after === undefined && until === undefined) return ''
  const from = wordRef(after ?? { label: undefined, offsetMs: 0 })
  return `, from ${from} ${until === undefined ? 'to the end' : `to ${wordRef(until)}`}`
}

type Timing = Extract<Expectation, { kind: 'state' }>['timing']

function wordTiming(timing: Timing): string {
  if (timing.kind === 'within') {
    return `within ${formatDuration(timing.withinMs)} after ${wordRef(timing.after)}`
  }
  const until = timing.until === undefined ? 'to the end' : `to ${wordRef(timing.until)}`
  return `${timing.kind} from ${wordRef(timing.after)} ${until}`
}

function wordRef({ label, offsetMs }: TimeRef): string {
  if (label === undefined) return offsetMs === 0 ? 'the start' : formatDuration(offsetMs)
  return offsetMs === 0 ? `"${label}"` : `"${label}" + ${formatDuration(offsetMs)}`
}
