/**
 * [key-load-delay] Loading slowed down, so that a test can look at a node that loads: so many microseconds
 * for each key, or below zero one microsecond for every so many keys. Nothing sleeps: the answers of the
 * disk are held back, and clients are answered meanwhile as ever.
 */
import type { Moment } from '../../base/clock.ts'
import type { Settings } from '../settings/settings.ts'
import type { FileAnswer, FileRequestId } from './files.ts'
import { keysDelayMs } from './save-pace.ts'

interface HeldAnswer {
  readonly id: FileRequestId
  readonly answer: FileAnswer
}

export class LoadPace {
  readonly #settings: Settings
  readonly #now: () => Moment
  /** Monotonic. */
  #untilMs = 0
  #held: HeldAnswer[] = []

  constructor(settings: Settings, now: () => Moment) {
    this.#settings = settings
    this.#now = now
  }

  /** So many keys more have been loaded. Returns whether the next answer will be held back for it. */
  loaded(keys: number): boolean {
    const delay = this.#settings.int('key-load-delay')
    if (delay === 0 || keys === 0) return false
    this.#untilMs = Math.max(this.#untilMs, this.#now().monoMs) + keysDelayMs(delay, keys)
    return true
  }

  /** Whether the answer was kept, to be given later. */
  holds(id: FileRequestId, answer: FileAnswer): boolean {
    if (this.#now().monoMs >= this.#untilMs) return false
    this.#held.push({ id, answer })
    return true
  }

  /** Answers to be given now. */
  due(): readonly HeldAnswer[] {
    if (this.#held.length === 0 || this.#now().monoMs < this.#untilMs) return []
    const due = this.#held
    this.#held = []
    return due
  }

  nextWakeUpMs(): number | undefined {
    return this.#held.length === 0 ? undefined : this.#untilMs
  }
}
