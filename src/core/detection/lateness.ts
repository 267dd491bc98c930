/**
 * Our own lateness. A Sentinel that has too much to do, or shares a busy machine, handles deadlines late and
 * reads answers long after they came. That time says nothing about a master: it owes an answer only for the
 * time in which we would have read it. What we lost shows in the deadlines: the earliest one that still waits
 * should have been handled by then.
 *
 * Only so much is allowed for, so that a Sentinel that is late all the time still finds a dead master. C
 * Sentinel allows for nothing below the two seconds of TILT.
 */

export interface Lateness {
  /** Since when, or from when on, a deadline waits to be handled; undefined: there is none. */
  dueMs: number | undefined
  /** The times in which we were late, oldest first. */
  readonly spells: Spell[]
}

interface Spell {
  readonly fromMs: number
  untilMs: number
}

/** Timers of a process that is well are exact to a few milliseconds. */
const LATE_MS = 20
/** Enough for several down-afters; older spells were forgiven long ago. */
const SPELLS_MAX = 64
/** How many down-afters of lateness are allowed for. */
const ALLOWED_SHARE = 4

export function punctual(): Lateness {
  return { dueMs: undefined, spells: [] }
}

/** Compares the deadline that waits with the present moment. Comes before everything else in a step. */
export function noteLateness({ dueMs, spells }: Lateness, nowMs: number): void {
  if (dueMs === undefined || nowMs - dueMs < LATE_MS) return
  const last = spells.at(-1)
  // The same deadline still waits.
  if (last !== undefined && last.untilMs > dueMs) last.untilMs = nowMs
  else spells.push({ fromMs: dueMs, untilMs: nowMs })
  if (spells.length > SPELLS_MAX) spells.shift()
}

/** Notes which deadline comes next. One that was set for a moment in the past is due from now on. */
export function noteNextDeadline(late: Lateness, nextMs: number | undefined, nowMs: number): void {
  const isOverdue = late.dueMs !== undefined && late.dueMs <= nowMs
  if (nextMs === undefined || nextMs > nowMs) late.dueMs = nextMs
  else if (!isOverdue) late.dueMs = nowMs
}

/** For how many milliseconds since that moment we were late, as far as that is allowed for. */
export function lateMs({ spells }: Lateness, sinceMs: number, downAfterMs: number): number {
  let sumMs = 0
  for (const { fromMs, untilMs } of spells) {
    sumMs += Math.max(0, untilMs - Math.max(fromMs, sinceMs))
  }
  return Math.min(sumMs, ALLOWED_SHARE * downAfterMs)
}
