/** The earliest of some deadlines; undefined: none of them is set. */
export function earliest(...deadlinesMs: readonly (number | undefined)[]): number | undefined {
  let firstMs: number | undefined
  for (const atMs of deadlinesMs) {
    if (atMs !== undefined && (firstMs === undefined || atMs < firstMs)) firstMs = atMs
  }
  return firstMs
}

/** The earlier of two deadlines, for code that runs too often to make a list of them. */
export function sooner(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b
  return b === undefined || a < b ? a : b
}
