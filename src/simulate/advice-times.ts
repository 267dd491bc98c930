/** Advice about down-after, too short or too long, and about failover-timeout. */

import {
  type AdviceFinding,
  type Evidence,
  type HistoryCase,
  seenIn,
  wordSeen,
} from './evidence.ts'
import { isRestart } from './incident.ts'
import { durationText } from './text-table.ts'

export function adviseTimes(evidence: Evidence): AdviceFinding[] {
  return [...adviseLonger(evidence), ...adviseShorter(evidence), ...adviseFailoverTimeout(evidence)]
}

/** Values that people choose, in milliseconds. */
const STEPS_MS: readonly number[] = [
  ...[500, 1_000, 2_000, 3_000, 5_000, 8_000, 10_000, 15_000, 20_000, 30_000],
]
/** Fewer needless failovers than one in this many histories cannot be blamed on a setting. */
const RARE = 50
/** A down-after of this length makes up most of an outage. */
const LONG_MS = 10_000
const SHORTER_MS = 5_000

function adviseLonger(evidence: Evidence): AdviceFinding[] {
  const { cases, group } = evidence
  const { downAfterMs } = group
  // A process that refuses connections is replaced after refused-after, however long down-after is.
  const isProven = ({ kind }: HistoryCase) => group.detection === 'evidence' && isRestart(kind)
  const needless = cases.filter((one) => one.needless > 0 && !isProven(one))
  if (needless.length * RARE < cases.length || needless.length === 0) return []
  const worst = needless.reduce((a, b) => (b.needless > a.needless ? b : a))
  const better = longerThan(downAfterMs, needless)
  return [
    {
      setting: `down-after ${durationText(downAfterMs)}`,
      effect: 'a master is replaced for trouble that would have passed',
      seen: `In ${needless.length} of ${cases.length} histories a failover was needless.`,
      histories: needless.length,
      seed: worst.seed,
      tryThis:
        better === undefined
          ? 'nothing here: their trouble was longer than a down-after should be'
          : `down-after ${durationText(better.downAfterMs)}, which would have spared ${better.spared} of them; every other failover takes ${durationText(better.downAfterMs - downAfterMs)} longer`,
    },
  ]
}

/** The shortest value that would have prevented most of them, and at most six times the present one. */
function longerThan(
  downAfterMs: number,
  needless: readonly HistoryCase[],
): { readonly downAfterMs: number; readonly spared: number } | undefined {
  const candidates = STEPS_MS.filter((ms) => ms > downAfterMs && ms <= 6 * downAfterMs)
  const spared = candidates.map((ms) => ({
    downAfterMs: ms,
    spared: needless.filter(({ unusableMs }) => unusableMs < 0.8 * ms).length,
  }))
  return spared.find((each) => each.spared * 2 > needless.length)
}

function adviseShorter({ cases, group }: Evidence): AdviceFinding[] {
  const { downAfterMs } = group
  if (downAfterMs < LONG_MS) return []
  // A proven death is agreed on long before.
  const waited = cases.filter(({ outcome, odownMs = 0 }) => {
    return outcome === 'came' && odownMs > downAfterMs / 2
  })
  const passed = cases.filter(({ failovers, unusableMs }) => {
    return failovers === 0 && unusableMs > SHORTER_MS && unusableMs < downAfterMs
  })
  if (waited.length === 0 && passed.length === 0) return []
  return [
    {
      setting: `down-after ${durationText(downAfterMs)}`,
      effect: 'a master that falls silent is replaced only after that time',
      seen: wordWaited(waited.length, passed.length, cases.length),
      histories: waited.length + passed.length,
      seed: waited[0]?.seed ?? passed[0]?.seed,
      tryThis: `down-after ${durationText(SHORTER_MS)}, and see with --compare what it costs in needless failovers`,
    },
  ]
}

function wordWaited(waited: number, passed: number, all: number): string {
  const out = `trouble of ${durationText(SHORTER_MS)} or more was waited out`
  if (waited === 0) return `In ${passed} of ${all} histories ${out}.`
  const rest = passed === 0 ? '' : `, and in ${passed} ${out}`
  return `In ${waited} of ${all} histories clients waited for it to pass${rest}.`
}

/** A failover that was given up is not tried again for twice the failover-timeout. */
function adviseFailoverTimeout(evidence: Evidence): AdviceFinding[] {
  const { group } = evidence
  const { downAfterMs, failoverTimeoutMs } = group
  const doubt = group.doubts.find(({ code }) => code === 'W_FAILOVER_TIMEOUT_SHORT')
  const seen = seenIn(evidence, ({ abandoned }) => abandoned > 0)
  const setting = `failover-timeout ${durationText(failoverTimeoutMs)}`
  const text = 'a failover was begun and given up'
  if (doubt !== undefined) {
    const tryThis = `failover-timeout ${durationText(3 * downAfterMs)}`
    return [
      { setting, effect: doubt.message, seen: wordSeen(evidence, seen, text), ...seen, tryThis },
    ]
  }
  const late = seenIn(evidence, ({ abandoned, outageMs = 0 }) => {
    return abandoned > 0 && outageMs > downAfterMs + LATE_MS
  })
  const shorterMs = Math.max(SHORT_TIMEOUT_MS, 3 * downAfterMs)
  if (late.histories === 0 || failoverTimeoutMs <= shorterMs) return []
  return [
    {
      setting,
      effect: 'a failover that fails is tried again only after twice that time',
      seen: wordSeen(evidence, late, `${text}, and the outage went on`),
      ...late,
      tryThis: `failover-timeout ${durationText(shorterMs)}`,
    },
  ]
}

const LATE_MS = 10_000
const SHORT_TIMEOUT_MS = 15_000
