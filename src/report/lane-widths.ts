/**
 * How wide each column has to be, and how wide it may become. A column is narrow where little is said:
 * nodes need less room than Sentinels, and clients least.
 */
import type { Lane } from './lane-model.ts'

/** The bar, a gap after it, and one before the next bar. */
export const BAR_AND_GAPS = 3

/** Texts that are longer still are cut. */
const LEAST_LIMIT = 14
const WIDEST = 26

/** One width per lane, or undefined when the room does not suffice. */
export function columnWidths(lanes: readonly Lane[], room: number): readonly number[] | undefined {
  const widths = lanes.map((lane) => neededFor(lane, -1, LEAST_LIMIT))
  const wanted = lanes.map((lane) => neededFor(lane, 0, WIDEST))
  let left = room - widths.reduce((sum, width) => sum + width, 0)
  if (left < 0 || lanes.length === 0) return undefined
  for (; left > 0; left--) {
    const lacks = widths.map((width, index) => (wanted[index] ?? 0) - width)
    const most = Math.max(...lacks)
    const poorest = lacks.indexOf(most)
    if (most <= 0) break
    widths[poorest] = (widths[poorest] ?? 0) + 1
  }
  return widths
}

/** For the label at that place of each moment: 0 is the longest, -1 the shortest. */
function neededFor(lane: Lane, place: 0 | -1, limit: number): number {
  const labels = lane.moments
    .filter(({ isKey }) => isKey)
    .map(({ labels, count }) => `${labels.at(place)}${count === 1 ? '' : ` ×${count}`}`)
  const longest = Math.max(lane.name.length - 1, ...labels.map(({ length }) => length))
  return Math.min(limit, longest + BAR_AND_GAPS)
}
