/**
 * One time for Sentinels whose clocks disagree. What a Sentinel hears cannot have been said later,
 * and an answer comes after the question was heard: each such exchange bounds the difference of two
 * clocks from both sides, to within a round trip. So the order of events follows from causes, and
 * wall clocks matter only for Sentinels that never talked.
 */
import type { SentinelLife } from './life.ts'

/** Clocks are read to the millisecond: bounds that are further apart are of no one exchange. */
const READ_TO_MS = 1

/** How a life's monotonic clock becomes the common time, which is the wall clock of one of them. */
export interface ClockTie {
  /** Common time minus monotonic time. */
  readonly offsetMs: number
  /** How far the wall clock is ahead of the common time. */
  readonly aheadMs: number
  /** How far the offset may be wrong; undefined: nothing ties this clock to another. */
  readonly withinMs: number | undefined
}

/** `to`'s offset minus `from`'s is at least `low` and at most `high`. */
interface Bound {
  readonly from: SentinelLife
  readonly to: SentinelLife
  readonly low: number
  readonly high: number
}

/** The first life gives the common time. */
export function commonTime(lives: readonly SentinelLife[]): ReadonlyMap<SentinelLife, ClockTie> {
  const ties = new Map<SentinelLife, ClockTie>()
  const bounds = boundsOf(lives)
  for (const life of lives) {
    if (ties.has(life)) continue
    // Nothing ties it to those before it, so its own wall clock is used.
    ties.set(life, { offsetMs: wallOffset(life), aheadMs: 0, withinMs: undefined })
    spread(bounds, ties)
  }
  return ties
}

/** Ties everything that can be tied, the surest first. */
function spread(bounds: readonly Bound[], ties: Map<SentinelLife, ClockTie>): void {
  for (;;) {
    const open = bounds.filter(({ from, to }) => ties.has(from) && !ties.has(to))
    const [next] = open.sort((one, other) => one.high - one.low - (other.high - other.low))
    if (next === undefined) return
    const base = ties.get(next.from)?.offsetMs ?? 0
    const withinMs = Math.max(READ_TO_MS, Math.ceil((next.high - next.low) / 2))
    const offsetMs = base + Math.round((next.low + next.high) / 2)
    const wall = wallOffset(next.to)
    ties.set(next.to, { offsetMs, aheadMs: wall - offsetMs, withinMs })
  }
}

function wallOffset({ lastWallMs, lastMonoMs }: SentinelLife): number {
  return lastWallMs - lastMonoMs
}

/** In both directions of every pair that has talked. */
function boundsOf(lives: readonly SentinelLife[]): readonly Bound[] {
  const repeated = repeatedQuestions(lives)
  return lives.flatMap((one) =>
    lives.flatMap((other): Bound[] => {
      if (one.myid >= other.myid) return []
      const { low, high } = narrowest(one, other, repeated)
      if (!Number.isFinite(low) || !Number.isFinite(high) || low > high + READ_TO_MS) return []
      const there = { from: one, to: other, low, high }
      return [there, { from: other, to: one, low: -high, high: -low }]
    }),
  )
}

/**
 * What more than one life of a Sentinel asked or heard: the first time of one of them is a repetition, and would tie it
 * to an answer from before it began.
 */
function repeatedQuestions(lives: readonly SentinelLife[]): ReadonlySet<string> {
  const repeated = new Set<string>()
  for (const questions of [
    lives.map(({ talk }) => talk.asked),
    lives.map(({ talk }) => talk.heard),
  ]) {
    const seen = new Set<string>()
    for (const question of questions.flatMap((one) => [...one.keys()])) {
      if (seen.has(question)) repeated.add(question)
      seen.add(question)
    }
  }
  return repeated
}

/** Bounds of the offset of `other` minus that of `one`. */
function narrowest(
  one: SentinelLife,
  other: SentinelLife,
  repeated: ReadonlySet<string>,
): { low: number; high: number } {
  let low = Number.NEGATIVE_INFINITY
  let high = Number.POSITIVE_INFINITY
  for (const { sentAtMs, heardAtMs, answeredAtMs } of exchanges(one, other, repeated)) {
    low = Math.max(low, sentAtMs - heardAtMs)
    if (answeredAtMs !== undefined) high = Math.min(high, answeredAtMs - heardAtMs)
  }
  for (const { sentAtMs, heardAtMs, answeredAtMs } of exchanges(other, one, repeated)) {
    high = Math.min(high, heardAtMs - sentAtMs)
    if (answeredAtMs !== undefined) low = Math.max(low, heardAtMs - answeredAtMs)
  }
  return { low, high }
}

interface Exchange {
  readonly sentAtMs: number
  readonly heardAtMs: number
  readonly answeredAtMs: number | undefined
}

function exchanges(
  asking: SentinelLife,
  asked: SentinelLife,
  repeated: ReadonlySet<string>,
): readonly Exchange[] {
  return [...asking.talk.asked].flatMap(([question, { sentAtMs, answeredAtMs }]) => {
    const heardAtMs = asked.talk.heard.get(question)
    if (heardAtMs === undefined || repeated.has(question)) return []
    return [{ sentAtMs, heardAtMs, answeredAtMs }]
  })
}
