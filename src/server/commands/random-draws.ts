/** What SRANDMEMBER and HRANDFIELD mean by a count: positive, so many different; negative, with repeats. */
import type { Rng } from '../../base/rng.ts'
import { type Keyed, pickDistinctKeys, pickKey, type Sampled } from '../values/sampler.ts'

/** A count of repeats is not bounded by the collection, and one reply must not eat all memory. */
export const MAX_REPEATED_DRAWS = 10_000_000

/** From a non-empty collection. */
export function drawKeys(owner: Sampled, collection: Keyed, count: number, rng: Rng): string[] {
  if (count >= collection.size) return [...collection.keys()]
  if (count >= 0) return pickDistinctKeys(owner, collection, count, rng)
  return Array.from({ length: -count }, () => pickKey(owner, collection, rng))
}
