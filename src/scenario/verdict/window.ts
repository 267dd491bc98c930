/** The part of a run that an expectation is about, once it is known when its steps were done. */
import { assert } from '../../base/assert.ts'
import type { Expectation, RunPart, Throughout, TimeRef, Within } from '../scenario-file.ts'
import type { RunHistory } from '../world.ts'

/** The first and last millisecond of the part. */
export interface Window {
  readonly fromMs: number
  readonly untilMs: number
}

type Times = Pick<RunHistory, 'labels' | 'endMs'>

/** When the named steps were done, and the last one of all. */
interface StepTimes extends Pick<RunHistory, 'labels'> {
  readonly lastMs: number
}

/** `graceMs` is what deadlines are postponed by, where time is real and machines are slow. */
export function windowOf(timing: Within | Throughout, times: Times, graceMs: number): Window {
  const fromMs = momentOf(timing.after, times.labels)
  if (timing.kind === 'within') return { fromMs, untilMs: fromMs + timing.withinMs + graceMs }
  const untilMs = endOf(timing.until, times)
  // It has to be so this long after a step: that is a deadline, too.
  const isDeadline = timing.kind === 'always' && timing.after.offsetMs > 0
  // A grace longer than the time itself leaves its last moment: in no time at all everything holds.
  if (!isDeadline) return { fromMs, untilMs }
  return { fromMs: Math.min(fromMs + graceMs, Math.max(fromMs, untilMs)), untilMs }
}

export function spanOf({ after, until }: RunPart, times: Times): Window {
  return {
    fromMs: after === undefined ? 0 : momentOf(after, times.labels),
    untilMs: endOf(until, times),
  }
}

/**
 * The last millisecond before that moment: what a step does is no longer part of the time until it.
 */
function endOf(until: TimeRef | undefined, { labels, endMs }: Times): number {
  return until === undefined ? endMs : momentOf(until, labels) - 1
}

/**
 * The last moment that a verdict needs; undefined: it needs none, or refers to one that never came.
 */
export function lastMomentOf(
  expectation: Expectation,
  { labels, lastMs }: StepTimes,
  graceMs: number,
): number | undefined {
  if (undoneStep(expectation, labels) !== undefined) return undefined
  if (expectation.kind !== 'total') {
    const endless = { labels, endMs: Number.POSITIVE_INFINITY }
    const { fromMs, untilMs } = windowOf(expectation.timing, endless, graceMs)
    return untilMs === endless.endMs ? fromMs : Math.max(fromMs, untilMs)
  }
  const refs = refsOf(expectation).map((ref) => momentOf(ref, labels))
  const { claim } = expectation
  // In a shorter run, an outage that the last step begins could not become too long.
  if (claim.kind === 'outage' && claim.until === undefined) refs.push(lastMs + claim.atMostMs)
  return refs.length === 0 ? undefined : Math.max(...refs)
}

/** Whether the moment that ends its time came before the one that begins it: the steps were done in that order. */
export function endsBeforeItBegins(expectation: Expectation, { labels }: Times): boolean {
  const [after, until] = refsOf(expectation)
  return (
    after !== undefined && until !== undefined && momentOf(until, labels) < momentOf(after, labels)
  )
}

/** The first step that an expectation refers to and that was not done. */
export function undoneStep(
  expectation: Expectation,
  labels: RunHistory['labels'],
): string | undefined {
  const names = refsOf(expectation).flatMap(({ label }) => (label === undefined ? [] : [label]))
  return names.find((label) => !labels.has(label))
}

function refsOf(expectation: Expectation): readonly TimeRef[] {
  if (expectation.kind === 'total') {
    const { claim } = expectation
    if (claim.kind !== 'outage' && claim.kind !== 'events') return []
    return [claim.after, claim.until].filter((ref) => ref !== undefined)
  }
  const { timing } = expectation
  const until = timing.kind === 'within' ? undefined : timing.until
  return until === undefined ? [timing.after] : [timing.after, until]
}

/** Only for steps that were done. */
export function momentOf({ label, offsetMs }: TimeRef, labels: RunHistory['labels']): number {
  if (label === undefined) return offsetMs
  const atMs = labels.get(label)
  assert(atMs !== undefined, `the step ${label} was done`)
  return atMs + offsetMs
}
