/**
 * What a count means to SRANDMEMBER and HRANDFIELD: if positive, that many different elements; if
 * negative, repeats are allowed.
 */
import type { Rng } from '../../base/rng.ts'
import type { Reply } from '../../resp/reply.ts'
import { parseInteger } from '../arguments/numbers.ts'
import { NOT_AN_INTEGER, NOT_NEGATABLE } from '../errors.ts'
import { type Keyed, pickDistinctKeys, pickKey, type Sampled } from '../values/sampler.ts'

/**
 * A count with repeats is not bounded by the collection, and one reply must not use up all memory.
 */
const MAX_REPEATED_DRAWS = 10_000_000
/** Twice as many would not fit into a 64-bit integer. */
const MAX_PAIRS = 2 ** 62
const MIN_INT64 = -(2 ** 63)

/** A count, or the reply that refuses it before the words behind it are looked at. */
export function parseDraws(text: string | undefined): number | Reply {
  const count = parseInteger(text)
  if (count === undefined) return NOT_AN_INTEGER
  return count <= MIN_INT64 ? NOT_NEGATABLE : count
}

export function isTooMany(count: number, withPairs: boolean): boolean {
  return count < -MAX_REPEATED_DRAWS || (withPairs && count > MAX_PAIRS)
}

/** Draws from a non-empty collection. */
export function drawKeys(owner: Sampled, collection: Keyed, count: number, rng: Rng): string[] {
  if (count >= collection.size) return [...collection.keys()]
  if (count >= 0) return pickDistinctKeys(owner, collection, count, rng)
  return Array.from({ length: -count }, () => pickKey(owner, collection, rng))
}
