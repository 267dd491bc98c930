/**
 * Which cells of the map have to be searched for a shape: the cell of its centre and the eight around
 * it, at a size at which they reach beyond the shape, without those the shape does not touch. Unsorted
 * results come in the order of the cells, so it is Redis' order.
 */
import { EARTH_RADIUS_M, type Shape, toDegrees, toRadians } from './geo-distance.ts'
import {
  type CellBounds,
  cellAt,
  cellBounds,
  type GeoCell,
  MAX_STEP,
  type Position,
} from './geo-hash.ts'

/** Half the length of the equator on the map. */
const MERCATOR_MAX_M = 20037726.37

/** Towards the poles the map is stretched, and a cell covers less of the earth. */
const HIGH_LATITUDE = 66
const POLAR_LATITUDE = 80

/** Columns to the east and rows to the north of the centre. */
const DIRECTIONS: readonly (readonly [east: number, north: number])[] = [
  [0, 0],
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
  [1, 1],
  [-1, 1],
  [1, -1],
  [-1, -1],
]

export function coveringCells(center: Position, shape: Shape): GeoCell[] {
  const bounds = shapeBounds(center, shape)
  const step = stepFor(center, shape, bounds)
  const middle = cellAt(center, step)
  const area = cellBounds(middle)
  const needed = DIRECTIONS.filter(
    ([east, north]) => step < 2 || touches(bounds, area, east, north),
  )
  return withoutRepeats(needed.map(([east, north]) => neighbour(middle, east, north)))
}

/** The rectangle of degrees around the shape; it is wider on the side of the nearer pole. */
function shapeBounds({ longitude, latitude }: Position, shape: Shape): CellBounds {
  const [halfHeightM, halfWidthM] =
    shape.kind === 'circle' ? [shape.radiusM, shape.radiusM] : [shape.heightM / 2, shape.widthM / 2]
  const deltaNorth = toDegrees(halfHeightM / EARTH_RADIUS_M)
  const widest = latitude < 0 ? latitude - deltaNorth : latitude + deltaNorth
  const deltaEast = toDegrees(halfWidthM / EARTH_RADIUS_M / Math.cos(toRadians(widest)))
  return {
    west: longitude - deltaEast,
    east: longitude + deltaEast,
    south: latitude - deltaNorth,
    north: latitude + deltaNorth,
  }
}

/** One step coarser where a neighbour ends within the shape's bounds. */
function stepFor(center: Position, shape: Shape, bounds: CellBounds): number {
  const step = estimatedStep(reachM(shape), center.latitude)
  const middle = cellAt(center, step)
  const isTooFine =
    cellBounds(neighbour(middle, 0, 1)).north < bounds.north ||
    cellBounds(neighbour(middle, 0, -1)).south > bounds.south ||
    cellBounds(neighbour(middle, 1, 0)).east < bounds.east ||
    cellBounds(neighbour(middle, -1, 0)).west > bounds.west
  return step > 1 && isTooFine ? step - 1 : step
}

/** How far the shape reaches from its centre. */
function reachM(shape: Shape): number {
  if (shape.kind === 'circle') return shape.radiusM
  const [halfWidthM, halfHeightM] = [shape.widthM / 2, shape.heightM / 2]
  return Math.sqrt(halfWidthM * halfWidthM + halfHeightM * halfHeightM)
}

function estimatedStep(rangeM: number, latitude: number): number {
  if (rangeM === 0) return MAX_STEP
  let step = -1
  for (let reach = rangeM; reach < MERCATOR_MAX_M; reach *= 2) step++
  if (Math.abs(latitude) > HIGH_LATITUDE) step--
  if (Math.abs(latitude) > POLAR_LATITUDE) step--
  return Math.min(MAX_STEP, Math.max(1, step))
}

/** Whether the shape extends beyond the middle cell on the sides where this neighbour is. */
function touches(bounds: CellBounds, area: CellBounds, east: number, north: number): boolean {
  if (north < 0 && area.south < bounds.south) return false
  if (north > 0 && area.north > bounds.north) return false
  if (east < 0 && area.west < bounds.west) return false
  return !(east > 0 && area.east > bounds.east)
}

/** Beyond one edge of the map it continues at the opposite edge. */
function neighbour({ column, row, step }: GeoCell, east: number, north: number): GeoCell {
  const mask = 2 ** step - 1
  return {
    column: east === 0 ? column : (column + east) & mask,
    row: north === 0 ? row : (row + north) & mask,
    step,
  }
}

/** If the map has only two columns or rows, both neighbours of a cell are the same. */
function withoutRepeats(cells: readonly GeoCell[]): GeoCell[] {
  return cells.filter((cell, index) => {
    const last = cells[index - 1]
    return last === undefined || last.column !== cell.column || last.row !== cell.row
  })
}
