/**
 * What happens per second now, for INFO: how much the counts have grown in the last 1.6 seconds, the span over which
 * Redis takes the mean. Nothing is done by the clock: a turn that begins long enough after the last sample takes
 * another one first, so an idle node takes none.
 */
import type { NodeStats } from './stats.ts'

const SPAN_MS = 1600
const STEP_MS = 100

export type Counted =
  | 'commands'
  | 'inputBytes'
  | 'outputBytes'
  | 'replicationInputBytes'
  | 'replicationOutputBytes'

/** The counts as they were before a turn. */
type Sample = Readonly<Record<Counted, number>> & {
  /** Monotonic. */
  readonly atMs: number
}

export class Rates {
  readonly #stats: NodeStats
  /** Oldest first. */
  #samples: Sample[] = []
  #nextMs = 0

  constructor(stats: NodeStats) {
    this.#stats = stats
  }

  turnBegins(nowMs: number): void {
    if (nowMs < this.#nextMs) return
    this.#nextMs = nowMs + STEP_MS
    this.#samples = this.#samples.filter(({ atMs }) => atMs >= nowMs - SPAN_MS)
    const { commands, inputBytes, outputBytes } = this.#stats
    const { replicationInputBytes, replicationOutputBytes } = this.#stats
    const replication = { replicationInputBytes, replicationOutputBytes }
    this.#samples.push({ atMs: nowMs, commands, inputBytes, outputBytes, ...replication })
  }

  perSecond(counted: Counted, nowMs: number): number {
    const first = this.#samples.find(({ atMs }) => atMs >= nowMs - SPAN_MS)
    if (first === undefined) return 0
    return ((this.#stats[counted] - first[counted]) * 1000) / SPAN_MS
  }

  /** The counts begin at zero again. */
  reset(): void {
    this.#samples = []
    this.#nextMs = 0
  }
}
