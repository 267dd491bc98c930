/** Holds what happened against what was expected. Pure: the same history gets the same verdict. */
import { unreachable } from '../base/assert.ts'
import { withNames } from '../sim/trace.ts'
import { type Change, ClusterView, changesOf } from './cluster-view.ts'
import { countOf, formatDuration } from './duration.ts'
import type { GroupFacts, JudgedExpectation } from './result.ts'
import type {
  Expectation,
  MomentClaim,
  StateClaim,
  StateTiming,
  Throughout,
  TimeRef,
  TotalClaim,
  Within,
} from './scenario-file.ts'
import { examine } from './state-claims.ts'
import { createTrack, firstOffence, stretchAt, type Track, trueSince } from './track.ts'
import { wordExpectation } from './wording.ts'
import type { History } from './world.ts'

type Verdict = Omit<JudgedExpectation, 'text'>

export interface Case {
  readonly history: History
  readonly sentinels: readonly string[]
  readonly facts: readonly GroupFacts[]
}

export function judge(expectations: readonly Expectation[], given: Case): JudgedExpectation[] {
  const changes = changesOf(given.history)
  return expectations.map((expectation) => ({
    text: wordExpectation(expectation),
    ...judgeOne(expectation, given, changes),
  }))
}

function judgeOne(expectation: Expectation, given: Case, changes: readonly Change[]): Verdict {
  switch (expectation.kind) {
    case 'state': {
      const track = trackOf(expectation.claim, given, changes)
      return judgeState(track, expectation.timing, given.history)
    }
    case 'moment':
      return judgeMoment(expectation, given.history)
    case 'total':
      return judgeTotal(expectation.claim, given.facts)
    default:
      return unreachable(expectation)
  }
}

function trackOf(claim: StateClaim, given: Case, changes: readonly Change[]): Track {
  const view = new ClusterView(given.history.nameOf)
  return createTrack(changes, view, (now) => examine(claim, now, given))
}

function judgeState(track: Track, timing: StateTiming, history: History): Verdict {
  const { fromMs, untilMs } = windowOf(timing, history)
  if (timing.kind === 'within') {
    const sinceMs = trueSince(track, untilMs)
    if (sinceMs === undefined) return failed(stretchAt(track, untilMs)?.because ?? '')
    return met(Math.max(sinceMs, fromMs), fromMs)
  }
  const offence = firstOffence(track, { fromMs, untilMs }, timing.kind === 'always')
  if (offence === undefined) return { passed: true, metAtMs: undefined, finding: '' }
  return failed(`at ${formatDuration(Math.max(offence.fromMs, fromMs))}: ${offence.because}`)
}

function judgeMoment(
  { claim, timing }: Extract<Expectation, { kind: 'moment' }>,
  history: History,
): Verdict {
  const { fromMs, untilMs } = windowOf(timing, history)
  const isWanted = timing.kind === 'within'
  const moments = momentsOf(claim, fromMs, history).filter((moment) => moment.atMs <= untilMs)
  const who = claim.kind === 'event' ? claim.at : claim.clients
  const atMs = isWanted ? allHad(moments, who) : anyHad(moments, who)
  if (isWanted) {
    return atMs === undefined ? failed('it did not happen') : met(atMs, fromMs)
  }
  if (atMs === undefined) return { passed: true, metAtMs: undefined, finding: '' }
  return failed(`it happened at ${formatDuration(atMs)}`)
}

/** When the last of those named had it; nobody named: when anyone had. */
function allHad(
  moments: readonly Moment[],
  who: readonly string[] | undefined,
): number | undefined {
  if (who === undefined) return moments[0]?.atMs
  const firsts = who.map((name) => moments.find((moment) => moment.who === name)?.atMs)
  if (firsts.some((atMs) => atMs === undefined)) return undefined
  return Math.max(...firsts.map((atMs) => atMs ?? 0))
}

function anyHad(
  moments: readonly Moment[],
  who: readonly string[] | undefined,
): number | undefined {
  return moments.find((moment) => who === undefined || who.includes(moment.who))?.atMs
}

interface Moment {
  readonly atMs: number
  readonly who: string
}

function momentsOf(claim: MomentClaim, fromMs: number, history: History): readonly Moment[] {
  if (claim.kind === 'event') {
    return history.happenings.flatMap((happening) => {
      if (happening.kind !== 'event' || happening.atMs < fromMs) return []
      if (happening.name !== claim.name) return []
      const payload = withNames(happening.payload, history.nameOf)
      const isMeant = claim.matching === undefined || payload.includes(claim.matching)
      return isMeant ? [{ atMs: happening.atMs, who: happening.process ?? '' }] : []
    })
  }
  const moments = history.writes.flatMap(({ client, attemptedAtMs, outcome }) =>
    outcome.kind === 'acknowledged' && attemptedAtMs >= fromMs
      ? [{ atMs: outcome.atMs, who: client }]
      : [],
  )
  return moments.sort((a, b) => a.atMs - b.atMs)
}

function judgeTotal(claim: TotalClaim, facts: readonly GroupFacts[]): Verdict {
  const group = facts.find((known) => known.group === claim.group)
  if (group === undefined) return failed(`there is no group ${claim.group}`)
  switch (claim.kind) {
    case 'lostWrites':
      return judgeLost(claim, group)
    case 'failovers':
      return count(group.failovers, claim.atMost, countOf(group.failovers, 'failover'))
    case 'dualWrites':
      return count(group.dualWritesMs, claim.atMostMs, formatDuration(group.dualWritesMs))
    default:
      return unreachable(claim)
  }
}

function judgeLost(claim: TotalClaim & { kind: 'lostWrites' }, group: GroupFacts): Verdict {
  const { lost, writes } = group
  if (lost === undefined) return failed('the Sentinels agree on no master that could be asked')
  const minority = lost.byCutOff + lost.byDeposed
  const lostBy = { majority: lost.byMajority, minority, any: lost.byMajority + minority }
  const number = lostBy[claim.acknowledgedBy]
  return count(number, claim.atMost, `${number} of ${writes.acknowledged}`)
}

function count(found: number, atMost: number, finding: string): Verdict {
  return { passed: found <= atMost, metAtMs: undefined, finding }
}

function met(atMs: number, fromMs: number): Verdict {
  return { passed: true, metAtMs: atMs, finding: `after ${formatDuration(atMs - fromMs)}` }
}

function failed(finding: string): Verdict {
  return { passed: false, metAtMs: undefined, finding }
}

/** First and last millisecond of the time an expectation speaks of. */
export function windowOf(
  timing: Within | Throughout,
  history: Pick<History, 'labels' | 'endMs'>,
): { readonly fromMs: number; readonly untilMs: number } {
  const fromMs = momentOf(timing.after, history.labels)
  if (timing.kind === 'within') return { fromMs, untilMs: fromMs + timing.withinMs }
  const { until } = timing
  return { fromMs, untilMs: until === undefined ? history.endMs : momentOf(until, history.labels) }
}

function momentOf(ref: TimeRef, labels: ReadonlyMap<string, number>): number {
  return (ref.label === undefined ? 0 : (labels.get(ref.label) ?? 0)) + ref.offsetMs
}
