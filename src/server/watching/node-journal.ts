/**
 * [black-box] What this node puts on record of itself. The parts of the node say what happened to them; this file
 * looks at what none of them sees (journal/self-watch.ts), and says which errors are refusals.
 */
import type { Moment } from '../../base/clock.ts'
import type { JournalEvent } from '../../journal/event-table.ts'
import { SelfWatch } from '../../journal/self-watch.ts'
import type { NodeStats } from '../info/stats.ts'
import type { NodePort } from '../port.ts'

/** With these the node refuses what another one would do, or what it would do at another time. */
const REFUSALS = new Set([
  ...['READONLY', 'NOREPLICAS', 'NOSYNCREPLICAS', 'MISCONF', 'OOM', 'LOADING', 'MASTERDOWN'],
  ...['BUSY', 'NOMASTERLINK', 'NOPERM', 'NOAUTH', 'WRONGPASS', 'DENIED'],
])

export interface JournalHost {
  readonly port: NodePort
  readonly stats: NodeStats
  readonly now: Moment
}

export class NodeJournal {
  readonly #host: JournalHost
  readonly isOn: boolean
  readonly #watch: SelfWatch

  constructor(host: JournalHost) {
    this.#host = host
    this.isOn = host.port.note !== undefined
    this.#watch = new SelfWatch((now, event) => host.port.note?.(now, event))
  }

  note(event: JournalEvent): void {
    this.#host.port.note?.(this.#host.now, event)
  }

  /** First in every turn. `last`: when the turn before began. */
  turnBegins(last: Moment): void {
    if (this.isOn) this.#watch.turnBegins(last, this.#host.now)
  }

  wake(): void {
    if (!this.isOn || !this.#watch.isDue(this.#host.now)) return
    const { now, stats } = this.#host
    for (const [code, count] of stats.errors)
      if (REFUSALS.has(code)) this.#watch.counted(now, code, count)
    this.#watch.endRefusals(now)
  }

  /** The process ends. */
  finish(): void {
    this.#watch.endRefusals(this.#host.now, true)
  }

  nextWakeUpMs(): number | undefined {
    return this.isOn ? this.#watch.nextLookMs : undefined
  }
}
