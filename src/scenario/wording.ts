/** Expectations in plain words, as reports show them. */
import { unreachable } from '../base/assert.ts'
import { countOf, formatDuration } from './duration.ts'
import type { Expectation, MomentClaim, StateClaim, TimeRef, TotalClaim } from './scenario-file.ts'

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

function wordState(claim: StateClaim): string {
  switch (claim.kind) {
    case 'master': {
      const who = `${list(claim.accordingTo)} name`
      return claim.negated
        ? `${who} one master, and not ${claim.node}`
        : `${who} ${claim.node} as master`
    }
    case 'oneMaster':
      return `exactly one of ${list(claim.among)} is a master`
    case 'replica':
      return `${claim.node} is a connected replica of ${claim.of ?? 'the master'}`
    case 'refusesWrites':
      return `${claim.node} refuses writes with ${claim.code}`
    default:
      return unreachable(claim)
  }
}

function wordMoment(claim: MomentClaim): string {
  if (claim.kind === 'writesWork') {
    return `writes of ${claim.clients === undefined ? 'a client' : list(claim.clients)} work`
  }
  const matching = claim.matching === undefined ? '' : ` with "${claim.matching}"`
  return `${claim.name}${matching} at ${claim.at === undefined ? 'a Sentinel' : list(claim.at)}`
}

function wordTotal(claim: TotalClaim): string {
  switch (claim.kind) {
    case 'lostWrites': {
      const side = claim.acknowledgedBy === 'any' ? '' : ` by the ${claim.acknowledgedBy} side`
      return claim.atMost === 0
        ? `no write acknowledged${side} is lost`
        : `at most ${claim.atMost} of the writes acknowledged${side} are lost`
    }
    case 'failovers':
      return claim.atMost === 0 ? 'no failover' : `at most ${countOf(claim.atMost, 'failover')}`
    case 'dualWrites':
      return claim.atMostMs === 0
        ? 'no two nodes acknowledge writes at the same time'
        : `two nodes acknowledge writes for at most ${formatDuration(claim.atMostMs)}`
    default:
      return unreachable(claim)
  }
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

function list(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? 'nobody'
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
