/**
 * The time of a cluster under test. All its members share one process with the test, and on a busy machine
 * that process may stand still for longer than a down-after. Then all stand still together, and nobody has
 * missed anybody: so time in which the process was late does not count. A heartbeat sees how late it is.
 *
 * A test may also move the time by hand: then nothing but `advance` does, and whatever the members wait for
 * comes as soon as it has.
 *
 * A member's own clocks are in member.ts.
 */
import type { Moment } from '../base/clock.ts'
import { nowMs, REAL_TIMERS, wallNowMs } from '../io/process/timers.ts'

export interface ClusterClock {
  /** Milliseconds since the cluster was made. */
  readonly nowMs: number
  read(): Moment
  /** Calls `fire` when so many milliseconds are over, unless the returned function is called before. */
  after(ms: number, fire: () => void): () => void
  /**
   * Lets so many milliseconds pass. Rejects once the clock is stopped: no deadline would ever come. A clock that is
   * moved by hand stands still as soon as `isAbandoned`.
   */
  pass(ms: number, isAbandoned?: () => boolean): Promise<void>
  readonly isStopped: boolean
  stop(): void
}

/** For whatever is asked of a cluster after its end, and still waited for at its end. */
export function alreadyStopped(): Error {
  return new Error(
    'the cluster is stopped: await what waits for it, and what is done to it, before stop()',
  )
}

const BEAT_MS = 4
/** Timers may be a little late without anything being wrong. */
const LATE_MS = 4

export class RunningClock implements ClusterClock {
  readonly #timer: NodeJS.Timeout
  readonly #wallAtStartMs = wallNowMs()
  /** The time of the cluster at the last beat, and the real one. */
  #countedMs = 0
  #beatMs = nowMs()
  #isStopped = false

  constructor() {
    this.#timer = REAL_TIMERS.setInterval(() => this.#beat(), BEAT_MS)
  }

  /** Without the milliseconds in which the process was late. */
  get nowMs(): number {
    return this.#countedMs + this.#sinceBeatMs()
  }

  read(): Moment {
    return momentOf(this.nowMs, this.#wallAtStartMs)
  }

  after(ms: number, fire: () => void): () => void {
    const timer = REAL_TIMERS.setTimeout(fire, ms)
    return () => REAL_TIMERS.clearTimeout(timer)
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  async pass(ms: number): Promise<void> {
    if (this.#isStopped) throw alreadyStopped()
    await new Promise<void>((resolve) => void this.after(ms, resolve))
  }

  stop(): void {
    this.#isStopped = true
    REAL_TIMERS.clearInterval(this.#timer)
  }

  #beat(): void {
    this.#countedMs += this.#sinceBeatMs()
    this.#beatMs = nowMs()
  }

  #sinceBeatMs(): number {
    return Math.min(nowMs() - this.#beatMs, BEAT_MS + LATE_MS)
  }
}

interface Awaited {
  readonly dueMs: number
  readonly fire: () => void
}

/** So many quiet looks in a row: what was sent has arrived, and what follows from it. */
const QUIET_LOOKS = 3

export class ManualClock implements ClusterClock {
  readonly #wallAtStartMs = wallNowMs()
  readonly #awaited = new Set<Awaited>()
  /** Grows with everything that arrives somewhere in the cluster. */
  readonly #arrivals: () => number
  #nowMs = 0
  #isStopped = false

  constructor(arrivals: () => number) {
    this.#arrivals = arrivals
  }

  get nowMs(): number {
    return this.#nowMs
  }

  read(): Moment {
    return momentOf(this.#nowMs, this.#wallAtStartMs)
  }

  /** What is due already waits for no hand: a script goes on where it has let others have their turn. */
  after(ms: number, fire: () => void): () => void {
    if (ms <= 0) return atOnce(fire)
    const awaited = { dueMs: this.#nowMs + Math.ceil(ms), fire }
    this.#awaited.add(awaited)
    return () => this.#awaited.delete(awaited)
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** From one deadline to the next; in between everything that is on its way arrives. */
  async pass(ms: number, isAbandoned = () => false): Promise<void> {
    if (this.#isStopped) throw alreadyStopped()
    const untilMs = this.#nowMs + ms
    await this.#quiet()
    for (let dueMs = this.#nextMs(); dueMs <= untilMs; dueMs = this.#nextMs()) {
      if (this.#isStopped || isAbandoned()) return
      this.#nowMs = Math.max(this.#nowMs, dueMs)
      this.#fireDue()
      await this.#quiet()
    }
    if (isAbandoned()) return
    // Another hand may have moved it further meanwhile.
    this.#nowMs = Math.max(this.#nowMs, untilMs)
    await this.#quiet()
  }

  stop(): void {
    this.#isStopped = true
    this.#awaited.clear()
  }

  #nextMs(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...[...this.#awaited].map(({ dueMs }) => dueMs))
  }

  #fireDue(): void {
    for (const awaited of [...this.#awaited]) {
      if (awaited.dueMs > this.#nowMs || !this.#awaited.delete(awaited)) continue
      awaited.fire()
    }
  }

  async #quiet(): Promise<void> {
    let seen = this.#arrivals()
    for (let looks = 0; looks < QUIET_LOOKS && !this.#isStopped; looks++) {
      await turn()
      if (this.#arrivals() === seen) continue
      seen = this.#arrivals()
      looks = -1
    }
  }
}

function atOnce(fire: () => void): () => void {
  const turn = REAL_TIMERS.setImmediate(fire)
  return () => REAL_TIMERS.clearImmediate(turn)
}

/** One look of the event loop at its sockets, and what follows from it. */
export async function turn(): Promise<void> {
  for (let phase = 0; phase < 3; phase++) {
    await new Promise<void>((resolve) => void REAL_TIMERS.setImmediate(resolve))
  }
}

function momentOf(elapsedMs: number, wallAtStartMs: number): Moment {
  const monoMs = Math.floor(elapsedMs)
  return { monoMs, wallMs: wallAtStartMs + monoMs }
}
