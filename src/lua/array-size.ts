/**
 * How large the array of a table is made when its hash has no free place: the largest power of two of
 * which more than half would be used, as in Lua 5.1.
 */
import type { LuaValue } from './values.ts'

export const MAX_ARRAY_BITS = 26

/** Notes an integer key that an array could hold; returns how many it noted. */
export function countInteger(key: LuaValue, counts: Uint32Array): number {
  if (typeof key !== 'number' || key < 1 || key > 2 ** MAX_ARRAY_BITS || !Number.isInteger(key)) {
    return 0
  }
  const bits = key === 1 ? 0 : 32 - Math.clz32(key - 1)
  counts[bits] = (counts[bits] as number) + 1
  return 1
}

/** The largest size of which more than half would be used, and how many keys it would hold. */
export function bestArraySize(counts: Uint32Array, integers: number): readonly [number, number] {
  let sum = 0
  let size = 0
  let held = 0
  for (let bits = 0, power = 1; power / 2 < integers; bits++, power *= 2) {
    const count = counts[bits] ?? 0
    if (count > 0) {
      sum += count
      if (sum > power / 2) {
        size = power
        held = sum
      }
    }
    if (sum === integers) break
  }
  return [size, held]
}
