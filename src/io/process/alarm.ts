/**
 * The one real timer of a process. The machines say when they want to be woken; the alarm wakes them
 * then, perhaps late, but never early: Node's own timers run on a cached clock and may fire a
 * millisecond too soon, and a machine that is woken early has nothing to do and would have to be
 * woken again.
 *
 * Moving the deadline later costs nothing: the armed timer fires, sees that it is not time yet, and
 * arms itself again. A data node moves its deadline with every command.
 */
import { type Clock, REAL_CLOCK } from './clock.ts'
import { REAL_TIMERS } from './timers.ts'

/**
 * If the process is this late, input that has arrived meanwhile is handled before the alarm rings: Node
 * runs timers first, and an answer that waits in the kernel's buffer would be taken for a missing one.
 */
const LATE_MS = 10
/** setTimeout turns anything longer into 1 ms. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export class Alarm {
  readonly #ring: () => void
  readonly #clock: Clock
  readonly #note: ((lateMs: number) => void) | undefined
  #disarm: (() => void) | undefined
  #armedForMs = 0
  #atMs: number | undefined

  /** `note` is told by how many milliseconds each ring is late. */
  constructor(ring: () => void, clock: Clock = REAL_CLOCK, note?: (lateMs: number) => void) {
    this.#ring = ring
    this.#clock = clock
    this.#note = note
  }

  /** Rings once at `atMs` on the monotonic clock, in place of any earlier request; undefined: not at all. */
  set(atMs: number | undefined): void {
    this.#atMs = atMs
    if (atMs === undefined) return
    if (this.#disarm !== undefined && this.#armedForMs <= atMs) return
    this.#arm(atMs)
  }

  /** Disarms for good, so that the timer does not keep the process alive. */
  stop(): void {
    this.#disarm?.()
    this.#disarm = undefined
    this.#atMs = undefined
  }

  #arm(atMs: number): void {
    this.#disarm?.()
    const delayMs = Math.ceil(this.#clock.msUntil(atMs))
    this.#armedForMs = atMs
    const waitMs = Math.min(Math.max(delayMs, 0), MAX_TIMEOUT_MS)
    this.#disarm = this.#clock.after(waitMs, () => this.#fire())
  }

  #fire(): void {
    this.#disarm = undefined
    const atMs = this.#atMs
    if (atMs === undefined) return
    const lateMs = this.#clock.read().monoMs - atMs
    if (lateMs >= 0) this.#note?.(lateMs)
    if (lateMs < 0) this.#arm(atMs)
    else if (lateMs < LATE_MS) this.#ringNow()
    else REAL_TIMERS.setImmediate(() => this.#ringNow())
  }

  /** Rings, unless the alarm was stopped or put off meanwhile. */
  #ringNow(): void {
    const atMs = this.#atMs
    if (atMs === undefined || this.#clock.read().monoMs < atMs) return
    this.#atMs = undefined
    this.#ring()
  }
}
