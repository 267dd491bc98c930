/**
 * A duration that is measured repeatedly, smoothed, and how far it strays [RFC 6298, section 2, which
 * uses it for the retransmission time-out of TCP].
 */
export interface Smoothed {
  readonly averageMs: number
  readonly deviationMs: number
}

/** Adds one measurement. */
export function smoothed(before: Smoothed | undefined, sampleMs: number): Smoothed {
  if (before === undefined) return { averageMs: sampleMs, deviationMs: sampleMs / 2 }
  const { averageMs, deviationMs } = before
  return {
    averageMs: (7 * averageMs + sampleMs) / 8,
    deviationMs: (3 * deviationMs + Math.abs(averageMs - sampleMs)) / 4,
  }
}

/** A bound that the duration hardly ever exceeds, unless something is wrong. */
export function upperBoundMs({ averageMs, deviationMs }: Smoothed): number {
  return averageMs + 4 * deviationMs
}
