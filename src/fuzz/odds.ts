/** Small words for drawing: weights, ranges, subsets. */
import type { Rng } from '../base/rng.ts'

/** Each value as often as its weight says. */
export function weighted<T>(
  rng: Rng,
  choices: readonly (readonly [weight: number, value: T])[],
): T {
  const values = choices.flatMap(([weight, value]) => Array<T>(weight).fill(value))
  return rng.pick(values)
}

/** A whole number from `min` to `max`, both included. */
export function between(rng: Rng, min: number, max: number): number {
  return min + rng.below(max - min + 1)
}

/** `count` of the items, or all of them if there are fewer, in their order. */
export function sample<T>(rng: Rng, items: readonly T[], count: number): T[] {
  const left = [...items.keys()]
  const taken = new Set<number>()
  while (left.length > 0 && taken.size < count) {
    taken.add(left.splice(rng.below(left.length), 1)[0] ?? 0)
  }
  return items.filter((_, index) => taken.has(index))
}

/** Numbers from 1 on, as many as asked for. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** More than half. The lab counts for itself: a fault in how the Sentinels count must not change its worlds. */
export function majorityOf(count: number): number {
  return Math.floor(count / 2) + 1
}
