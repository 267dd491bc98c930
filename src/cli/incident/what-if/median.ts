/** The middle of some numbers. */

/** Undefined counts as later than anything. */
export function medianOf(values: readonly (number | undefined)[]): number | undefined {
  const sorted = [...values].sort((a, b) => (a ?? NEVER) - (b ?? NEVER))
  return sorted[(sorted.length - 1) >> 1]
}

const NEVER = Number.MAX_SAFE_INTEGER
