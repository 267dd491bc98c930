/**
 * [latency-monitor-threshold] What took long inside this process, by kind: for each kind the last
 * moments at which it did. LATENCY shows them.
 */
import type { Settings } from '../settings/settings.ts'

/** What is watched, and what an operator can do about it. */
export const LATENCY_EVENTS = {
  command: 'a command that is not known to be fast: SLOWLOG says which one',
  'fast-command': 'a command that should be fast: the machine was busy, or memory was collected',
  'expire-cycle': 'many keys expired at once: give them times to live that differ',
  'eviction-cycle': 'room was made for new data: more maxmemory, or fewer and smaller values',
} as const

export type LatencyEvent = keyof typeof LATENCY_EVENTS

const MAX_SAMPLES = 160

export interface LatencySample {
  /** Wall clock. */
  readonly atSeconds: number
  readonly ms: number
}

export interface LatencySeries {
  /** The oldest first; at most one for each second. */
  readonly samples: LatencySample[]
  /** The longest of all times, including those that are forgotten. */
  maxMs: number
}

export class LatencyMonitor {
  readonly #settings: Settings
  readonly #series = new Map<LatencyEvent, LatencySeries>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** By name, in the order in which they were first seen. */
  get series(): ReadonlyMap<string, LatencySeries> {
    return this.#series
  }

  /** Something took so long. `nowMs`: wall clock. */
  note(event: LatencyEvent, micros: number, nowMs: number): void {
    const threshold = this.#settings.int('latency-monitor-threshold')
    const ms = Math.floor(micros / 1000)
    if (threshold === 0 || ms < threshold) return
    const series = this.#seriesOf(event)
    const atSeconds = Math.floor(nowMs / 1000)
    series.maxMs = Math.max(series.maxMs, ms)
    const last = series.samples.at(-1)
    if (last?.atSeconds === atSeconds) {
      if (ms > last.ms) series.samples[series.samples.length - 1] = { atSeconds, ms }
      return
    }
    series.samples.push({ atSeconds, ms })
    if (series.samples.length > MAX_SAMPLES) series.samples.shift()
  }

  /** Forgets these events, or all if none is named. Returns how many there were. */
  reset(names: readonly string[]): number {
    const chosen = names.length === 0 ? [...this.#series.keys()] : names
    return chosen.filter((name) => this.#series.delete(name as LatencyEvent)).length
  }

  #seriesOf(event: LatencyEvent): LatencySeries {
    const known = this.#series.get(event)
    if (known !== undefined) return known
    const series: LatencySeries = { samples: [], maxMs: 0 }
    this.#series.set(event, series)
    return series
  }
}
