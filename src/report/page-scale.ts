/** Time on the page. The script lays everything out anew for its own width; this is the first layout. */
export interface Scale {
  readonly width: number
  /** Where time 0 stands; names are left of it. */
  readonly left: number
  readonly endMs: number
}

const RIGHT_MARGIN = 16

export function createScale(endMs: number): Scale {
  return { width: 1_080, left: 112, endMs: Math.max(1, endMs) }
}

export function xOf(atMs: number, { width, left, endMs }: Scale): number {
  const share = Math.min(1, Math.max(0, atMs / endMs))
  return Math.round((left + share * (width - left - RIGHT_MARGIN)) * 10) / 10
}

export function pixelsPerMs({ width, left, endMs }: Scale): number {
  return (width - left - RIGHT_MARGIN) / endMs
}

/** A step of 1, 2 or 5 times a power of ten, so that there are at most so many. */
export function tickStep(lengthMs: number, most: number): number {
  let step = 1
  for (const factor of [2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2]) {
    if (lengthMs / step <= most) return step
    step *= factor
  }
  return step
}

export function seconds(atMs: number): string {
  return `${(atMs / 1_000).toFixed(3)} s`
}
