/**
 * Epochs are the logical clock of the Sentinels: each attempt at a failover takes a new one, and the
 * configuration with the highest one wins everywhere, for ever. One absurd epoch let in from outside
 * would therefore poison a cluster, so anything beyond what honest Sentinels can reach is refused.
 */
const EPOCH_MAX = 2 ** 48

export function isEpoch(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= EPOCH_MAX
}

/** Strict decimal text; undefined when it is no epoch a Sentinel can have reached. */
export function parseEpoch(text: string): number | undefined {
  if (!/^\d{1,16}$/.test(text)) return undefined
  const value = Number(text)
  return isEpoch(value) ? value : undefined
}
