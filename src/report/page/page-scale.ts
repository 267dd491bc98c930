/** Time on the page. The script lays everything out again for its own width; this is the first layout. */
export interface Scale {
  readonly width: number
  /** The position of time 0; names are left of it. */
  readonly left: number
  readonly endMs: number
}

const RIGHT_MARGIN = 16

/** Room for the longest of the names, within reason. */
export function createScale(endMs: number, names: readonly string[]): Scale {
  const longest = Math.max(0, ...names.map(({ length }) => length))
  return {
    width: 1_080,
    left: Math.min(220, Math.max(112, longest * 8 + 16)),
    endMs: Math.max(1, endMs),
  }
}

export function xOf(atMs: number, { width, left, endMs }: Scale): number {
  const share = Math.min(1, Math.max(0, atMs / endMs))
  return Math.round((left + share * (width - left - RIGHT_MARGIN)) * 10) / 10
}

export function pixelsPerMs({ width, left, endMs }: Scale): number {
  return (width - left - RIGHT_MARGIN) / endMs
}

/** A step of 1, 2 or 5 times a power of ten that gives at most `most` ticks. */
export function tickStep(lengthMs: number, most: number): number {
  let step = 1
  for (const factor of [2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2]) {
    if (lengthMs / step <= most) return step
    step *= factor
  }
  return step
}
