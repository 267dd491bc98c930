/**
 * How one direction between two hosts is worse than the topology says. An absent field is as the
 * topology says.
 */
export interface LinkShape {
  readonly latencyMs?: number
  readonly jitterMs?: number
  /** Share of segments that are lost, 0..1. TCP sends them again, which takes time. */
  readonly loss?: number
  /**
   * Share of segments that arrive twice, 0..1. TCP drops the second copy, which only takes up
   * bandwidth.
   */
  readonly duplication?: number
  readonly bytesPerSecond?: number
}

export function describeShape(shape: LinkShape): string {
  const parts = [
    ...part(shape.latencyMs, (ms) => `latency ${ms} ms`),
    ...part(shape.jitterMs, (ms) => `jitter ${ms} ms`),
    ...part(shape.loss, (share) => `loss ${percent(share)}`),
    ...part(shape.duplication, (share) => `duplication ${percent(share)}`),
    ...part(shape.bytesPerSecond, (rate) => `${rate} bytes/s`),
  ]
  return parts.length === 0 ? 'as before' : parts.join(', ')
}

function part(value: number | undefined, word: (value: number) => string): string[] {
  return value === undefined ? [] : [word(value)]
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`
}
