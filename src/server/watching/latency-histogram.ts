/**
 * How long each run of one command took, counted so that any percentile is known to within one part
 * in a hundred: the ranges of durations double, and each is divided into 128 equal parts.
 */

const PARTS = 128
/** Below this, each nanosecond is counted by itself. */
const EXACT = 2 * PARTS

/** Longer ones count as this long: a second. */
const MAX_NANOS = 1_000_000_000

export class LatencyHistogram {
  /** Grows up to the longest duration. */
  #counts: number[] = []
  #total = 0

  get total(): number {
    return this.#total
  }

  add(nanos: number): void {
    const place = placeOf(Math.min(Math.max(nanos, 1), MAX_NANOS))
    while (this.#counts.length <= place) this.#counts.push(0)
    this.#counts[place] = (this.#counts[place] as number) + 1
    this.#total++
  }

  /** The duration, in nanoseconds, that so many percent did not exceed. */
  percentile(percent: number): number {
    const wanted = Math.max(1, Math.round((Math.min(percent, 100) / 100) * this.#total))
    let seen = 0
    for (const [place, count] of this.#counts.entries()) {
      seen += count
      if (seen >= wanted) return highestAt(place)
    }
    return 0
  }

  /**
   * How many took at most so many microseconds, for each power of two at which that number grows.
   */
  cumulative(): [micros: number, count: number][] {
    const rows: [number, number][] = []
    let seen = 0
    let boundNanos = 1024
    let place = 0
    while (seen < this.#total) {
      const before = seen
      for (; place < this.#counts.length && lowestAt(place) <= boundNanos; place++) {
        seen += this.#counts[place] as number
      }
      if (seen > before) rows.push([Math.floor(highestAt(placeOf(boundNanos)) / 1000), seen])
      boundNanos *= 2
    }
    return rows
  }
}

function placeOf(nanos: number): number {
  const whole = Math.floor(nanos)
  if (whole < EXACT) return whole
  const doublings = 31 - Math.clz32(whole) - 7
  return EXACT + (doublings - 1) * PARTS + ((whole >>> doublings) - PARTS)
}

/** The shortest duration that is counted there. */
function lowestAt(place: number): number {
  if (place < EXACT) return place
  const doublings = Math.floor((place - EXACT) / PARTS) + 1
  return (((place - EXACT) % PARTS) + PARTS) * 2 ** doublings
}

/** The longest. */
function highestAt(place: number): number {
  return lowestAt(place + 1) - 1
}
