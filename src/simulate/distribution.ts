/** How a measure is spread over histories, and where it was worst. */

export interface Sample {
  readonly value: number
  readonly seed: string
}

export interface Distribution {
  readonly n: number
  readonly median: number
  readonly p90: number
  readonly p99: number
  readonly max: number
  /** The seed of the greatest value: the history to look at. */
  readonly worstSeed: string
}

/** Undefined if nothing was measured. Percentiles are values that occurred (nearest rank). */
export function distributionOf(samples: readonly Sample[]): Distribution | undefined {
  const sorted = samples.toSorted((a, b) => a.value - b.value)
  const last = sorted.at(-1)
  if (last === undefined) return undefined
  const worst = sorted.find(({ value }) => value === last.value) ?? last
  return {
    n: sorted.length,
    median: percentile(sorted, 50),
    p90: percentile(sorted, 90),
    p99: percentile(sorted, 99),
    max: last.value,
    worstSeed: worst.seed,
  }
}

function percentile(sorted: readonly Sample[], percent: number): number {
  const rank = Math.max(1, Math.ceil((sorted.length * percent) / 100))
  return sorted[rank - 1]?.value ?? 0
}
