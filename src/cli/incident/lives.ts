/** What records tell of the lives of Sentinels: the segments are played, one after the other; and of nodes: they are read. */
import { dirname } from 'node:path'
import { SentinelLife } from '../../blackbox/incident/life.ts'
import type { NodeLife } from '../../blackbox/incident/node-time.ts'
import { readJournal } from '../../io/blackbox/journal-reader.ts'
import {
  type SegmentSource,
  type SegmentSummary,
  summaryOf,
} from '../../io/blackbox/segment-reader.ts'
import type { JournalEntry, JournalHead } from '../../journal/entry-text.ts'
import { playSegment } from '../replay/play.ts'

/** Which part of a life a segment holds, by the monotonic clock of that life. */
export interface PlayedSegment {
  readonly source: SegmentSource
  readonly life: SentinelLife
  readonly fromMs: number
  readonly untilMs: number
}

export interface Lives {
  /** The longest first: its clock is the common one. */
  readonly lives: readonly SentinelLife[]
  /** What is damaged, with file and offset. */
  readonly faults: readonly string[]
  readonly played: readonly PlayedSegment[]
}

/** Clocks disagree, and a summary does not say when its last block ended. */
const NEAR_MS = 5 * 60_000

/**
 * Those that can tell of an incident: one of the Sentinels decided something about then. The others are most of a month,
 * and to play them would take minutes.
 */
function telling(segments: readonly SegmentSource[]): readonly SegmentSource[] {
  const summaries = segments.map(summaryOf)
  const byOwnClocks = nearDecisions(summaries)
  const byOurs = nearDecisions(summaries.map((one, at) => one && behind(one, segments[at])))
  const byEnds = nearDecisions(beforeTheirEnds(segments, summaries))
  const found = segments.filter((_, at) => byOwnClocks[at] || byOurs[at] || byEnds[at])
  return found.length > 0 ? found : segments.slice(-1)
}

/** Whether each is near to one in which something was decided, or cannot be judged. */
function nearDecisions(summaries: readonly (SegmentSummary | undefined)[]): readonly boolean[] {
  const decided = summaries.filter((one) => one !== undefined && !one.isQuiet)
  return summaries.map((own) => own === undefined || decided.some((one) => one && isNear(own, one)))
}

function isNear(one: SegmentSummary, other: SegmentSummary): boolean {
  return one.fromMs - NEAR_MS <= other.untilMs && other.fromMs <= one.untilMs + NEAR_MS
}

/** By our own clock. That of the Sentinel may have been set since, so this is no better than its own. */
function behind(one: SegmentSummary, { aheadMs = 0 }: Partial<SegmentSource> = {}): SegmentSummary {
  return earlier(one, aheadMs)
}

function earlier(one: SegmentSummary, byMs: number): SegmentSummary {
  return { ...one, fromMs: one.fromMs - byMs, untilMs: one.untilMs - byMs }
}

/**
 * The times before the end of the record, which is a folder. Records that were copied together ended together, whatever
 * their clocks said; others show a segment too many.
 */
function beforeTheirEnds(
  segments: readonly SegmentSource[],
  summaries: readonly (SegmentSummary | undefined)[],
): readonly (SegmentSummary | undefined)[] {
  const records = segments.map(({ path }) => dirname(path))
  const ends = new Map<string, number>()
  for (const [at, record] of records.entries()) {
    const untilMs = summaries[at]?.untilMs ?? Number.NEGATIVE_INFINITY
    ends.set(record, Math.max(untilMs, ends.get(record) ?? untilMs))
  }
  return summaries.map((one, at) => one && earlier(one, ends.get(records[at] ?? '') ?? 0))
}

export interface NodeLives {
  readonly nodes: readonly NodeLife[]
  readonly faults: readonly string[]
}

/** The segments of each run of a node or a proxy, in the order in which they were written. */
export function nodeLivesIn(journals: readonly SegmentSource[]): NodeLives {
  const read = journals.map(readJournal)
  const faults = read.flatMap(({ fault }) => fault ?? [])
  const runs = new Map<string, { head: JournalHead; entries: JournalEntry[] }>()
  for (const { head, entries } of read) {
    if (head === undefined) continue
    const run = runs.get(head.runId) ?? { head, entries: [] }
    runs.set(head.runId, run)
    run.entries.push(...entries)
  }
  return { nodes: [...runs.values()], faults }
}

/** The segments of each Sentinel in the order in which they were written. */
export function livesIn(all: readonly SegmentSource[]): Lives {
  const segments = telling(all)
  const lives = new Map<string, SentinelLife>()
  const faults: string[] = []
  const played: PlayedSegment[] = []
  for (const segment of segments) {
    const steps = playSegment(segment)
    let step = steps.next()
    let own: SentinelLife | undefined
    let fromMs = 0
    for (; step.done !== true; step = steps.next()) {
      const { state } = step.value
      const { wallMs, monoMs } = state.startedAt
      const key = `${state.myid} ${wallMs} ${monoMs}`
      const life = lives.get(key) ?? new SentinelLife(state)
      lives.set(key, life)
      life.note(step.value)
      if (own === undefined) fromMs = step.value.now.monoMs
      own = life
    }
    if (own !== undefined) {
      played.push({ source: segment, life: own, fromMs, untilMs: own.lastMonoMs })
    }
    if (step.value.fault !== undefined) faults.push(step.value.fault)
  }
  const length = ({ startedAt, lastMonoMs }: SentinelLife) => lastMonoMs - startedAt.monoMs
  const sorted = [...lives.values()].sort((one, other) => length(other) - length(one))
  return { lives: sorted, faults, played }
}
