/**
 * What a count means to SRANDMEMBER and HRANDFIELD: if positive, that many different elements; if
 * negative, repeats are allowed.
 */
import type { Rng } from '../../base/rng.ts'
import { type Keyed, pickDistinctKeys, pickKey, type Sampled } from '../values/sampler.ts'

/**
 * A count with repeats is not bounded by the collection, and one reply must not use up all memory.
 */
export const MAX_REPEATED_DRAWS = 10_000_000

/** Draws from a non-empty collection. */
export function drawKeys(owner: Sampled, collection: Keyed, count: number, rng: Rng): string[] {
  if (count >= collection.size) return [...collection.keys()]
  if (count >= 0) return pickDistinctKeys(owner, collection, count, rng)
  return Array.from({ length: -count }, () => pickKey(owner, collection, rng))
}
