/** Compares what happened with what was expected. Pure: the same history gets the same verdict. */
import { unreachable } from '../../base/assert.ts'
import { formatDuration } from '../duration.ts'
import type { JudgedExpectation } from '../result.ts'
import type { Expectation, StateClaim, StateTiming } from '../scenario-file.ts'
import { ClusterView, changesOf, type ViewChange } from './cluster-view.ts'
import { judgeTotal, type Totals } from './judge-totals.ts'
import { allHad, anyHad, momentsOf, namedBy } from './moment-claims.ts'
import { type ClaimedMembers, type ClaimFinding, examine } from './state-claims.ts'
import { failed, met, PASSED, type Verdict } from './verdict.ts'
import { endsBeforeItBegins, undoneStep, type Window, windowOf } from './window.ts'
import { wordExpectation } from './wording.ts'

export interface JudgedCase extends Totals {
  readonly members: ClaimedMembers
  /** Every deadline is postponed by this much: for engines whose time is real. */
  readonly graceMs: number
}

export function judge(
  expectations: readonly Expectation[],
  given: JudgedCase,
): JudgedExpectation[] {
  const changes = changesOf(given.history)
  return expectations.map((expectation) => ({
    text: wordExpectation(expectation),
    ...judgeOne(expectation, given, changes),
  }))
}

function judgeOne(
  expectation: Expectation,
  given: JudgedCase,
  changes: readonly ViewChange[],
): Verdict {
  const undone = undoneStep(expectation, given.history.labels)
  if (undone !== undefined) return failed(`the step "${undone}" was not done`)
  // In no time at all everything holds, and nothing happens.
  if (endsBeforeItBegins(expectation, given.history))
    return failed('its time ended before it began')
  switch (expectation.kind) {
    case 'state': {
      const track = trackOf(expectation.claim, given, changes)
      return judgeState(track, expectation.timing, given)
    }
    case 'moment':
      return judgeMoment(expectation, given)
    case 'total':
      return judgeTotal(expectation.claim, given)
    default:
      return unreachable(expectation)
  }
}

function trackOf(claim: StateClaim, given: JudgedCase, changes: readonly ViewChange[]): Track {
  const view = new ClusterView(given.history.nameOf)
  return createTrack(changes, view, (now) => examine(claim, now, given.members))
}

function judgeState(track: Track, timing: StateTiming, { history, graceMs }: JudgedCase): Verdict {
  const { fromMs, untilMs } = windowOf(timing, history, graceMs)
  if (timing.kind === 'within') {
    const sinceMs = trueByDeadline(track, { fromMs: untilMs - graceMs, untilMs })
    if (sinceMs === undefined) return failed(periodAt(track, untilMs)?.because ?? '')
    return met(Math.max(sinceMs, fromMs), fromMs)
  }
  const offence = firstOffence(track, { fromMs, untilMs }, timing.kind === 'always')
  if (offence === undefined) return PASSED
  return failed(`at ${formatDuration(Math.max(offence.fromMs, fromMs))}: ${offence.because}`)
}

function judgeMoment(
  { claim, timing }: Extract<Expectation, { kind: 'moment' }>,
  { history, graceMs }: JudgedCase,
): Verdict {
  const { fromMs, untilMs } = windowOf(timing, history, graceMs)
  const moments = momentsOf(claim, fromMs, history).filter((moment) => moment.atMs <= untilMs)
  const who = namedBy(claim)
  if (timing.kind === 'within') {
    const last = allHad(moments, who)
    return last === undefined ? failed('it did not happen') : met(last.atMs, fromMs)
  }
  const first = anyHad(moments, who)
  return first === undefined ? PASSED : failed(`it happened at ${formatDuration(first.atMs)}`)
}

// When a claim was true in the course of a run. Times are whole milliseconds; of several changes
// within one millisecond only the last counts.

/** The finding from `fromMs` until the next period. The first period begins with the run. */
interface FindingPeriod extends ClaimFinding {
  readonly fromMs: number
}

type Track = readonly FindingPeriod[]

function createTrack(
  changes: readonly ViewChange[],
  view: ClusterView,
  examine: (view: ClusterView) => ClaimFinding,
): Track {
  const periods: FindingPeriod[] = [{ fromMs: 0, ...examine(view) }]
  changes.forEach((change, index) => {
    view.apply(change)
    if (changes[index + 1]?.atMs !== change.atMs) extend(periods, change.atMs, examine(view))
  })
  return periods
}

function extend(periods: FindingPeriod[], fromMs: number, finding: ClaimFinding): void {
  const last = periods.at(-1)
  if (last?.holds === finding.holds && last.because === finding.because) return
  if (last?.fromMs === fromMs) periods.pop()
  periods.push({ fromMs, ...finding })
}

/** The period at a moment. */
function periodAt(track: Track, atMs: number): FindingPeriod | undefined {
  return track.findLast((period) => period.fromMs <= atMs)
}

/**
 * Since when the claim has been true without a break at `atMs`; undefined if it is not true then.
 */
function trueSince(track: Track, atMs: number): number | undefined {
  const until = track.filter((period) => period.fromMs <= atMs)
  const lastFalse = until.findLastIndex((period) => !period.holds)
  return until[lastFalse + 1]?.fromMs
}

/**
 * Since when the claim has been true at its deadline, or at the first moment of the grace after it. What later steps do
 * to it within the grace is not asked: without a grace that is no part of its time.
 */
function trueByDeadline(track: Track, grace: Window): number | undefined {
  const inTimeMs = trueSince(track, grace.fromMs)
  if (inTimeMs !== undefined) return inTimeMs
  return track.find(
    ({ fromMs, holds }) => holds && fromMs > grace.fromMs && fromMs <= grace.untilMs,
  )?.fromMs
}

/** The first period of a window in which the claim is not as wanted. */
function firstOffence(track: Track, window: Window, wanted: boolean): FindingPeriod | undefined {
  return track.find((period, index) => {
    const endMs = track[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY
    const isInside = period.fromMs <= window.untilMs && endMs > window.fromMs
    return isInside && period.holds !== wanted
  })
}
