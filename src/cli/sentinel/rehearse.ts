/**
 * When a Sentinel rehearses (rehearsal/rehearsal.ts): soon after its start, and then again and again, because the engine
 * drops what it has compiled of a function that is not called for some collections of garbage. In small pieces with
 * rests between, so that nobody waits for it.
 */
import type { LogLevel } from '../../core/log-level.ts'
import { nowMs, REAL_TIMERS } from '../../io/process/timers.ts'
import { reasonOf } from '../../io/start-error.ts'
import type { Rehearsal } from '../../rehearsal/rehearsal.ts'

/** A process that only lives for a moment, as in tests, is not to pay for it. */
const FIRST_MS = 5_000
const AGAIN_MS = 30 * 60_000
const PIECES_MS = 2
const REST_MS = 20

/** The time of the process that rehearses. */
export interface RehearsalTime {
  nowMs(): number
  /** Must not keep the process alive. */
  later(afterMs: number, work: () => void): void
}

const REAL_TIME: RehearsalTime = {
  nowMs,
  later: (afterMs, work) => void REAL_TIMERS.setTimeout(work, afterMs).unref(),
}

/** Imported when it is due: until then nothing of it is in memory. */
const LOAD = async () => (await import('../../rehearsal/rehearsal.ts')).rehearseFailovers

type Log = (level: LogLevel, text: string) => void

/** A rehearsal that fails is told, and is the last one. `load` brings what begins one. */
export function rehearseWhenCalm(log: Log, time = REAL_TIME, load: Load = LOAD): void {
  time.later(FIRST_MS, async () => {
    try {
      repeat(await load(), log, time)
    } catch (error) {
      giveUp(error, log)
    }
  })
}

type Load = () => Promise<() => Rehearsal>

function repeat(begin: () => Rehearsal, log: Log, time: RehearsalTime): void {
  const startedMs = time.nowMs()
  playOn(begin(), log, time, () => {
    log('debug', `failovers were rehearsed, for ${Math.round(time.nowMs() - startedMs)} ms`)
    time.later(AGAIN_MS, () => repeat(begin, log, time))
  })
}

function playOn(rehearsal: Rehearsal, log: Log, time: RehearsalTime, ended: () => void): void {
  const startedMs = time.nowMs()
  try {
    do if (rehearsal.next().done === true) return ended()
    while (time.nowMs() - startedMs < PIECES_MS)
  } catch (error) {
    return giveUp(error, log)
  }
  time.later(REST_MS, () => playOn(rehearsal, log, time, ended))
}

function giveUp(error: unknown, log: Log): void {
  log('warning', `failovers cannot be rehearsed: ${reasonOf(error)}; they work, and take longer`)
}
