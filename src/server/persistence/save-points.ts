/** [save] When to save without being asked: after so many changes, if the last save is so long ago. */

export interface SavePoint {
  readonly seconds: number
  readonly changes: number
}

/** `3600 1 300 100`: an hour after one change, five minutes after a hundred. The setting is sound. */
export function parseSavePoints(text: string): readonly SavePoint[] {
  const numbers = text.split(' ').filter((word) => word !== '')
  const points: SavePoint[] = []
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    points.push({ seconds: Number(numbers[at]), changes: Number(numbers[at + 1]) })
  }
  return points
}

/** When the first point that has its changes is reached; undefined: none has. Monotonic. */
export function nextSaveMs(
  points: readonly SavePoint[],
  changes: number,
  lastSaveMs: number,
): number | undefined {
  let nextMs: number | undefined
  for (const point of points) {
    if (changes < point.changes) continue
    // More than so many seconds ago, as Redis has it.
    const reachedMs = lastSaveMs + point.seconds * 1000 + 1
    nextMs = Math.min(nextMs ?? reachedMs, reachedMs)
  }
  return nextMs
}
