/**
 * How often a measured value fell into which range. Counts only grow, so that a monitoring system
 * can take the difference of any two moments.
 */
export interface Histogram {
  /** Upper bounds, included, ascending. */
  readonly bounds: readonly number[]
  /** One for each bound, not cumulative, and one more for everything above. */
  readonly counts: number[]
  sum: number
}

export function newHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 }
}

export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram
  const at = bounds.findIndex((bound) => value <= bound)
  const place = at < 0 ? bounds.length : at
  counts[place] = (counts[place] ?? 0) + 1
  histogram.sum += value
}
