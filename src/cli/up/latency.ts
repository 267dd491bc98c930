/** The latency of a client's writes as a line of marks, the latest on the right. Readable without colour. */

export const BUCKET_MS = 500
const KEPT_BUCKETS = 400

/** The slowest write of each period; undefined: none was acknowledged in it. */
export class LatencyTrail {
  readonly #startedAtMs: number
  readonly #slowestMs: (number | undefined)[] = []
  /** How many periods have been dropped from the front. */
  #dropped = 0

  /** All moments are milliseconds of one clock. */
  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs
  }

  acknowledged(atMs: number, tookMs: number): void {
    this.#extendTo(atMs)
    const last = this.#slowestMs.length - 1
    this.#slowestMs[last] = Math.max(this.#slowestMs[last] ?? 0, tookMs)
  }

  /** Up to now, oldest first. The current period counts once something was acknowledged in it. */
  periods(nowMs: number): readonly (number | undefined)[] {
    this.#extendTo(nowMs)
    const periods = [...this.#slowestMs]
    return periods.at(-1) === undefined ? periods.slice(0, -1) : periods
  }

  #extendTo(atMs: number): void {
    const wanted = Math.floor((atMs - this.#startedAtMs) / BUCKET_MS) + 1 - this.#dropped
    // A client that was stopped for long has nothing to show of the time.
    if (wanted > 2 * KEPT_BUCKETS) this.#slowestMs.length = 0
    while (this.#slowestMs.length < wanted && wanted <= 2 * KEPT_BUCKETS) {
      this.#slowestMs.push(undefined)
    }
    const extra = this.#slowestMs.length - KEPT_BUCKETS
    if (extra > 0) this.#dropped += this.#slowestMs.splice(0, extra).length
  }
}

const MARKS = '▁▂▃▄▅▆▇█'
/** A mark for each: up to a millisecond, up to 3, … A failover is three marks higher than a slow disk. */
const STEPS_MS = [1, 3, 10, 30, 100, 300, 1_000]
export const NO_WRITE = '×'

/** One mark for each of the last periods. */
export function sparkline(periods: readonly (number | undefined)[], width: number): string {
  return periods
    .slice(-width)
    .map((slowestMs) => (slowestMs === undefined ? NO_WRITE : markOf(slowestMs)))
    .join('')
}

function markOf(ms: number): string {
  const at = STEPS_MS.findIndex((limitMs) => ms <= limitMs)
  return MARKS[at < 0 ? MARKS.length - 1 : at] ?? ''
}
