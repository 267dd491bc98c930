/**
 * What no part of a process sees by itself: that it stood still, that its clock was set, and which errors it answers.
 * Errors are counted anyway, so a look at the counts a few times a second costs no command anything.
 */
import type { Moment } from '../base/clock.ts'
import type { JournalEvent } from './event-table.ts'

const LOOK_MS = 250
/** A busy machine wakes any process so late now and then. */
const STALL_MS = 200
/** Clocks drift, and are corrected by little. */
const MOVED_MS = 100
/** A client that tries again once a second is still refused. */
const QUIET_MS = 5_000
const AT_ONCE = 0

/** Of one error code, while it is answered. */
interface Refusing {
  readonly sinceMs: number
  lastMs: number
  count: number
}

export class SelfWatch {
  readonly #note: (now: Moment, event: JournalEvent) => void
  readonly #refusing = new Map<string, Refusing>()
  /** By code: the count at the last look. */
  readonly #counts = new Map<string, number>()
  #nextLookMs = AT_ONCE

  constructor(note: (now: Moment, event: JournalEvent) => void) {
    this.#note = note
  }

  /** Monotonic. */
  get nextLookMs(): number {
    return this.#nextLookMs
  }

  /** First in every turn. `last`: when the turn before began. */
  turnBegins(last: Moment, now: Moment): void {
    const forMs = now.monoMs - last.monoMs
    // Nothing may have been due for a while: the process was idle until its next look.
    const lateMs = Math.min(forMs, now.monoMs - this.#nextLookMs)
    if (lateMs >= STALL_MS && this.#nextLookMs !== AT_ONCE)
      this.#note(now, { kind: 'stalled', forMs, lateMs })
    const byMs = now.wallMs - last.wallMs - forMs
    if (Math.abs(byMs) >= MOVED_MS) this.#note(now, { kind: 'clockMoved', byMs })
  }

  /** Whether it is time to look; if so, it is time again a moment later. */
  isDue({ monoMs }: Moment): boolean {
    if (monoMs < this.#nextLookMs) return false
    this.#nextLookMs = monoMs + LOOK_MS
    return true
  }

  /** How often an error has been answered; numbers that were set back to 0 begin anew. */
  counted(now: Moment, code: string, count: number): void {
    const known = this.#counts.get(code) ?? 0
    this.#counts.set(code, count)
    const more = count < known ? count : count - known
    if (more === 0) return
    let refusing = this.#refusing.get(code)
    if (refusing === undefined) {
      refusing = { sinceMs: now.monoMs, lastMs: now.monoMs, count: 0 }
      this.#refusing.set(code, refusing)
      this.#note(now, { kind: 'refusing', code, withinMs: LOOK_MS })
    }
    refusing.lastMs = now.monoMs
    refusing.count += more
  }

  /** Tells of refusals that have ended; all of them if the process ends. */
  endRefusals(now: Moment, isAtEnd = false): void {
    for (const [code, { sinceMs, lastMs, count }] of this.#refusing) {
      const quietMs = now.monoMs - lastMs
      if (!isAtEnd && quietMs < QUIET_MS) continue
      this.#refusing.delete(code)
      this.#note(now, { kind: 'refused', code, count, forMs: lastMs - sinceMs, quietMs })
    }
  }
}
