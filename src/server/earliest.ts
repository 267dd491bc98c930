/** The earliest of some deadlines; undefined: none of them is set. */
export function earliest(...deadlinesMs: readonly (number | undefined)[]): number | undefined {
  let firstMs: number | undefined
  for (const atMs of deadlinesMs) {
    if (atMs !== undefined && (firstMs === undefined || atMs < firstMs)) firstMs = atMs
  }
  return firstMs
}
