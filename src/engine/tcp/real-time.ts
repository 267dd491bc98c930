/**
 * Lets a world whose network and processes are scheduled on virtual time run in real time. Whatever
 * happens on a real socket or timer enters here: first the world catches up with the present time,
 * then the input is taken, and then one timer is set for the next thing that is due. So everything
 * in the world happens at a whole millisecond, as late as the machine is, never early.
 */
import { REAL_TIMERS, nowMs as readNowMs } from '../../io/process/timers.ts'

/** The world, as far as its time is concerned. */
export interface Scheduled {
  /** When the next thing is due; undefined: only when something comes from outside. */
  readonly nextMs: number | undefined
  /** Lets everything happen that is due by then. */
  catchUp(atMs: number): void
}

/** setTimeout turns anything longer into 1 ms. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export class RealTime {
  #world: Scheduled | undefined
  #startedAtMs = 0
  #timer: NodeJS.Timeout | undefined
  /**
   * What the timer is set for. A timer that is set for earlier finds nothing due and is set anew.
   */
  #armedForMs = Number.POSITIVE_INFINITY
  #isInside = false
  #latestMs = 0

  /** The run begins now. */
  begin(world: Scheduled): void {
    this.#world = world
    this.#startedAtMs = readNowMs()
    this.enter(() => undefined)
  }

  /** Milliseconds since the beginning, with fractions; 0 before it. */
  get preciseMs(): number {
    return this.#world === undefined ? 0 : readNowMs() - this.#startedAtMs
  }

  /** Whole milliseconds since the beginning, rounded down. */
  get nowMs(): number {
    return Math.floor(this.preciseMs)
  }

  /** How far the world was behind the clock at the worst moment so far. */
  get latestMs(): number {
    return this.#latestMs
  }

  /** Takes an input from outside. After `end` nothing happens any more. */
  enter(input: () => void): void {
    if (this.#isInside) return input()
    const world = this.#world
    if (world === undefined) return
    this.#isInside = true
    try {
      this.#catchUp(world)
      input()
      // Traffic within a host takes no time: what was sent just now may have arrived.
      world.catchUp(this.nowMs)
    } finally {
      this.#isInside = false
    }
    this.#arm()
  }

  /** Nothing enters any more, and no timer is left. */
  end(): void {
    this.#world = undefined
    REAL_TIMERS.clearTimeout(this.#timer)
  }

  #catchUp(world: Scheduled): void {
    const { nowMs } = this
    const dueMs = world.nextMs
    if (dueMs !== undefined) this.#latestMs = Math.max(this.#latestMs, nowMs - dueMs)
    world.catchUp(nowMs)
  }

  #arm(): void {
    const dueMs = this.#world?.nextMs
    if (dueMs === undefined || this.#armedForMs <= dueMs) return
    REAL_TIMERS.clearTimeout(this.#timer)
    this.#armedForMs = dueMs
    const delayMs = Math.max(0, Math.ceil(dueMs - this.preciseMs))
    this.#timer = REAL_TIMERS.setTimeout(() => this.#ring(), Math.min(delayMs, MAX_TIMEOUT_MS))
  }

  #ring(): void {
    this.#armedForMs = Number.POSITIVE_INFINITY
    this.enter(() => undefined)
  }
}
