/**
 * The time of a cluster under test. All its members share one process with the test, and on a busy machine
 * that process may stand still for longer than a down-after. Then all stand still together, and nobody has
 * missed anybody: so time in which the process was late does not count. A heartbeat sees how late it is.
 *
 * A member's own clocks are in member.ts.
 */
import type { Moment } from '../base/clock.ts'

const BEAT_MS = 4
/** Timers may be a little late without anything being wrong. */
const LATE_MS = 4

export class ClusterClock {
  readonly #timer: NodeJS.Timeout
  readonly #wallAtStartMs = Date.now()
  /** The time of the cluster at the last beat, and the real one. */
  #countedMs = 0
  #beatMs = performance.now()

  constructor() {
    this.#timer = setInterval(() => this.#beat(), BEAT_MS)
  }

  /** Milliseconds since the cluster was made, without those in which the process was late. */
  get nowMs(): number {
    return this.#countedMs + this.#sinceBeatMs()
  }

  read(): Moment {
    const elapsedMs = Math.floor(this.nowMs)
    return { monoMs: elapsedMs, wallMs: this.#wallAtStartMs + elapsedMs }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #beat(): void {
    this.#countedMs += this.#sinceBeatMs()
    this.#beatMs = performance.now()
  }

  #sinceBeatMs(): number {
    return Math.min(performance.now() - this.#beatMs, BEAT_MS + LATE_MS)
  }
}
