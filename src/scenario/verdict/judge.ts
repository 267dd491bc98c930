/** Holds what happened against what was expected. Pure: the same history gets the same verdict. */
import { unreachable } from '../../base/assert.ts'
import { formatDuration } from '../duration.ts'
import type { JudgedExpectation } from '../result.ts'
import type { Expectation, StateClaim, StateTiming } from '../scenario-file.ts'
import { type Change, ClusterView, changesOf } from './cluster-view.ts'
import { judgeTotal, type Totals } from './judge-totals.ts'
import { allHad, anyHad, momentsOf, namedBy } from './moment-claims.ts'
import { examine, type Members } from './state-claims.ts'
import { createTrack, firstOffence, stretchAt, type Track, trueSince } from './track.ts'
import { failed, met, PASSED, type Verdict } from './verdict.ts'
import { undoneStep, windowOf } from './window.ts'
import { wordExpectation } from './wording.ts'

export interface Case extends Totals {
  readonly members: Members
  /** Every deadline is put off by so much: for engines whose time is real. */
  readonly graceMs: number
}

export function judge(expectations: readonly Expectation[], given: Case): JudgedExpectation[] {
  const changes = changesOf(given.history)
  return expectations.map((expectation) => ({
    text: wordExpectation(expectation),
    ...judgeOne(expectation, given, changes),
  }))
}

function judgeOne(expectation: Expectation, given: Case, changes: readonly Change[]): Verdict {
  const undone = undoneStep(expectation, given.history.labels)
  if (undone !== undefined) return failed(`the step "${undone}" was not done`)
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

function trackOf(claim: StateClaim, given: Case, changes: readonly Change[]): Track {
  const view = new ClusterView(given.history.nameOf)
  return createTrack(changes, view, (now) => examine(claim, now, given.members))
}

function judgeState(track: Track, timing: StateTiming, { history, graceMs }: Case): Verdict {
  const { fromMs, untilMs } = windowOf(timing, history, graceMs)
  if (timing.kind === 'within') {
    const sinceMs = trueSince(track, untilMs)
    if (sinceMs === undefined) return failed(stretchAt(track, untilMs)?.because ?? '')
    return met(Math.max(sinceMs, fromMs), fromMs)
  }
  const offence = firstOffence(track, { fromMs, untilMs }, timing.kind === 'always')
  if (offence === undefined) return PASSED
  return failed(`at ${formatDuration(Math.max(offence.fromMs, fromMs))}: ${offence.because}`)
}

function judgeMoment(
  { claim, timing }: Extract<Expectation, { kind: 'moment' }>,
  { history, graceMs }: Case,
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
