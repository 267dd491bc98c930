/**
 * [black-box] What this node puts on record of itself. The parts of the node say what happened to them; this file
 * notices what none of them sees: that the node stood still, that its clock was set, and which errors it answers.
 * Errors are counted anyway, so a look at the counts a few times a second costs no command anything.
 */
import type { Moment } from '../../base/clock.ts'
import type { JournalEvent } from '../../journal/event-table.ts'
import type { NodeStats } from '../info/stats.ts'
import type { NodePort } from '../port.ts'

/** With these the node refuses what another one would do, or what it would do at another time. */
const REFUSALS = new Set([
  ...['READONLY', 'NOREPLICAS', 'NOSYNCREPLICAS', 'MISCONF', 'OOM', 'LOADING', 'MASTERDOWN'],
  ...['BUSY', 'NOMASTERLINK', 'NOPERM', 'NOAUTH', 'WRONGPASS', 'DENIED'],
])
const LOOK_MS = 250
/** A busy machine wakes any process so late now and then. */
const STALL_MS = 200
/** Clocks drift, and are corrected by little. */
const MOVED_MS = 100
/** A client that tries again once a second is still refused. */
const QUIET_MS = 5_000
const AT_ONCE = 0

export interface JournalHost {
  readonly port: NodePort
  readonly stats: NodeStats
  readonly now: Moment
}

/** Of one error code, while it is answered. */
interface Refusing {
  readonly sinceMs: number
  lastMs: number
  count: number
}

export class NodeJournal {
  readonly #host: JournalHost
  readonly isOn: boolean
  readonly #refusing = new Map<string, Refusing>()
  /** By code: the count at the last look. */
  readonly #counts = new Map<string, number>()
  #nextLookMs = AT_ONCE

  constructor(host: JournalHost) {
    this.#host = host
    this.isOn = host.port.note !== undefined
  }

  note(event: JournalEvent): void {
    this.#host.port.note?.(this.#host.now, event)
  }

  /** First in every turn. `last`: when the turn before began. */
  turnBegins(last: Moment): void {
    if (!this.isOn) return
    const { monoMs, wallMs } = this.#host.now
    const forMs = monoMs - last.monoMs
    // Nothing may have been due for a while: the node was idle until its next look.
    const lateMs = Math.min(forMs, monoMs - this.#nextLookMs)
    if (lateMs >= STALL_MS && this.#nextLookMs !== AT_ONCE)
      this.note({ kind: 'stalled', forMs, lateMs })
    const byMs = wallMs - last.wallMs - forMs
    if (Math.abs(byMs) >= MOVED_MS) this.note({ kind: 'clockMoved', byMs })
  }

  wake(): void {
    const { monoMs } = this.#host.now
    if (!this.isOn || monoMs < this.#nextLookMs) return
    this.#nextLookMs = monoMs + LOOK_MS
    for (const [code, count] of this.#host.stats.errors)
      if (REFUSALS.has(code)) this.#look(code, count, monoMs)
    for (const [code, refusing] of this.#refusing)
      if (monoMs - refusing.lastMs >= QUIET_MS) this.#ended(code, refusing)
  }

  /** The process ends. */
  finish(): void {
    for (const [code, refusing] of this.#refusing) this.#ended(code, refusing)
  }

  nextWakeUpMs(): number | undefined {
    return this.isOn ? this.#nextLookMs : undefined
  }

  #look(code: string, count: number, nowMs: number): void {
    const known = this.#counts.get(code) ?? 0
    this.#counts.set(code, count)
    // CONFIG RESETSTAT begins at 0 again.
    const more = count < known ? count : count - known
    if (more === 0) return
    let refusing = this.#refusing.get(code)
    if (refusing === undefined) {
      refusing = { sinceMs: nowMs, lastMs: nowMs, count: 0 }
      this.#refusing.set(code, refusing)
      this.note({ kind: 'refusing', code, withinMs: LOOK_MS })
    }
    refusing.lastMs = nowMs
    refusing.count += more
  }

  #ended(code: string, { sinceMs, lastMs, count }: Refusing): void {
    this.#refusing.delete(code)
    const quietMs = this.#host.now.monoMs - lastMs
    this.note({ kind: 'refused', code, count, forMs: lastMs - sinceMs, quietMs })
  }
}
