/**
 * [rdb-key-save-delay] A snapshot that is written slowly, so that a test can look at a node while it saves, rewrites or
 * copies: so many microseconds for each key, or below zero one microsecond for every so many keys. Nothing sleeps: the
 * next slice comes later, and clients are answered meanwhile as ever.
 */
import type { Moment } from '../../base/clock.ts'
import type { Snapshot } from '../rdb/snapshot.ts'
import type { Settings } from '../settings/settings.ts'

/** How long a slice may make the snapshot wait, if it has more keys than one. */
const SLICE_MICROS = 10_000

export class SavePace {
  readonly #settings: Settings
  readonly #now: () => Moment
  #untilMs = 0

  constructor(settings: Settings, now: () => Moment) {
    this.#settings = settings
    this.#now = now
  }

  /**
   * When the next slice may be written. Monotonic. Without a delay at once: a test that has seen enough takes it away,
   * where one of Redis kills the process that saves.
   */
  get untilMs(): number {
    return this.#delay === 0 ? 0 : this.#untilMs
  }

  get isHeld(): boolean {
    return this.#now().monoMs < this.untilMs
  }

  /** Writes a slice. */
  advance(snapshot: Snapshot, sliceBytes: number): void {
    const delay = this.#delay
    if (delay === 0) return snapshot.advance(sliceBytes)
    const before = snapshot.keysWritten
    snapshot.advance(sliceBytes, keysAtOnce(delay))
    const delayMs = keysDelayMs(delay, snapshot.keysWritten - before)
    this.#untilMs = Math.max(this.#untilMs, this.#now().monoMs) + delayMs
  }

  get #delay(): number {
    return this.#settings.int('rdb-key-save-delay')
  }
}

function keysAtOnce(delay: number): number {
  return delay < 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(SLICE_MICROS / delay))
}

/** `delay`: microseconds for each key, or below zero so many keys for a microsecond. */
export function keysDelayMs(delay: number, keys: number): number {
  const micros = delay > 0 ? keys * delay : keys / -delay
  return micros / 1000
}
