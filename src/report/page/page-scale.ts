/** Time on the page. The script lays everything out again for its own width; this is the first layout. */
export interface Scale {
  readonly width: number
  /** The position of time 0; names are left of it. */
  readonly left: number
  readonly endMs: number
}

const RIGHT_MARGIN = 16

/** How wide a character of a lane's name is, and one of the smaller line below it that names its host. */
const NAME_CHARACTER = 8
const HOST_CHARACTER = 6
const NAME_MARGIN = 16

/** What stands left of a lane, one line under the other. */
export interface LaneTitle {
  readonly name: string
  readonly host: string
}

/** Room for the longest of the titles, within reason: `fitted` cuts longer ones. */
export function createScale(endMs: number, titles: readonly LaneTitle[]): Scale {
  const widths = titles.map(({ name, host }) =>
    Math.max(name.length * NAME_CHARACTER, host.length * HOST_CHARACTER),
  )
  const left = Math.min(220, Math.max(112, ...widths.map((width) => width + NAME_MARGIN)))
  return { width: 1_080, left, endMs: Math.max(1, endMs) }
}

/** The title as it is drawn. */
export function fitted({ name, host }: LaneTitle, { left }: Scale): LaneTitle {
  const room = left - NAME_MARGIN
  return {
    name: shortenMiddle(name, Math.floor(room / NAME_CHARACTER)),
    host: shortenMiddle(host, Math.floor(room / HOST_CHARACTER)),
  }
}

/** Names that are long differ at their beginnings or at their ends. */
function shortenMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.ceil((most - 1) / 2)
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`
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
