/**
 * A position on the earth as one number, the score of a sorted set: longitude and latitude are halved
 * in turn 26 times, and the 52 answers are the bits. Positions with the same first bits lie in the same
 * rectangle of the map, here called a cell, so that a cell is a range of scores.
 */

/** In degrees. */
export interface Position {
  readonly longitude: number
  readonly latitude: number
}

export const MAX_LONGITUDE = 180
/** Where the square map of the Mercator projection ends. */
export const MAX_LATITUDE = 85.05112878

/** How often each axis is halved in a score. */
export const MAX_STEP = 26

/** One of `2^step` columns from the west, and of as many rows from the south. */
export interface GeoCell {
  readonly column: number
  readonly row: number
  readonly step: number
}

/** In degrees. */
export interface CellBounds {
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

/** The cell of a position within the limits; the eastern edge of the map is a column of its own. */
export function cellAt(
  { longitude, latitude }: Position,
  step: number,
  maxLatitude = MAX_LATITUDE,
): GeoCell {
  const cells = 2 ** step
  return {
    column: Math.floor(((longitude + MAX_LONGITUDE) / (2 * MAX_LONGITUDE)) * cells),
    row: Math.floor(((latitude + maxLatitude) / (2 * maxLatitude)) * cells),
    step,
  }
}

export function cellBounds({ column, row, step }: GeoCell): CellBounds {
  const cells = 2 ** step
  return {
    west: -MAX_LONGITUDE + (column / cells) * 2 * MAX_LONGITUDE,
    east: -MAX_LONGITUDE + ((column + 1) / cells) * 2 * MAX_LONGITUDE,
    south: -MAX_LATITUDE + (row / cells) * 2 * MAX_LATITUDE,
    north: -MAX_LATITUDE + ((row + 1) / cells) * 2 * MAX_LATITUDE,
  }
}

/** The bits of both axes alternate, the first from the longitude. */
export function cellBits({ column, row }: GeoCell): bigint {
  const low = spread(row & 0xffff) + spread(column & 0xffff) * 2
  const high = spread(row >>> 16) + spread(column >>> 16) * 2
  return (BigInt(high) << 32n) | BigInt(low)
}

/** The scores of positions in the cell: from the first (included) to the second (excluded). */
export function cellScores(cell: GeoCell): [from: number, to: number] {
  const unused = BigInt(2 * (MAX_STEP - cell.step))
  const bits = cellBits(cell)
  return [Number(bits << unused), Number((bits + 1n) << unused)]
}

/** The centre of the smallest cell, which is as close as a score comes to a position. */
export function positionOf(score: number): Position {
  const [low, high] = unsigned64(score)
  const row = squeeze(low) + squeeze(high) * 2 ** 16
  const column = squeeze(low >>> 1) + squeeze(high >>> 1) * 2 ** 16
  const { west, east, south, north } = cellBounds({ column, row, step: MAX_STEP })
  return {
    longitude: clamped((west + east) / 2, MAX_LONGITUDE),
    latitude: clamped((south + north) / 2, MAX_LATITUDE),
  }
}

const LETTERS = '0123456789bcdefghjkmnpqrstuvwxyz'
const LETTER_COUNT = 11
const POLE = 90

/** The usual geohash of 11 letters. It covers the poles, and no bits are left for its last letter: it is 0. */
export function geohashText(position: Position): string {
  const bits = cellBits(cellAt(position, MAX_STEP, POLE))
  let text = ''
  for (let at = 1; at < LETTER_COUNT; at++) {
    text += LETTERS[Number((bits >> BigInt(2 * MAX_STEP - 5 * at)) & 31n)]
  }
  return text + LETTERS[0]
}

function clamped(degrees: number, limit: number): number {
  return Math.min(limit, Math.max(-limit, degrees))
}

/**
 * The two halves of the 64-bit number that x86 makes of a score; the position of any score can be
 * asked for.
 */
function unsigned64(score: number): [low: number, high: number] {
  if (score >= 0 && score <= Number.MAX_SAFE_INTEGER) {
    const whole = Math.floor(score)
    return [whole % 2 ** 32, Math.floor(whole / 2 ** 32)]
  }
  if (score >= 2 ** 64) return [0, 0]
  if (score < -(2 ** 63)) return [0, 2 ** 31]
  const bits = BigInt.asUintN(64, BigInt(Math.trunc(score)))
  return [Number(bits & 0xffffffffn), Number(bits >> 32n)]
}

/** Spreads 16 bits to every second bit of 32. */
function spread(bits: number): number {
  let spreading = bits
  spreading = (spreading | (spreading << 8)) & 0x00ff00ff
  spreading = (spreading | (spreading << 4)) & 0x0f0f0f0f
  spreading = (spreading | (spreading << 2)) & 0x33333333
  return (spreading | (spreading << 1)) & 0x55555555
}

/** Gathers every second bit of 32, the lowest included, into 16. */
function squeeze(bits: number): number {
  let squeezing = bits & 0x55555555
  squeezing = (squeezing | (squeezing >>> 1)) & 0x33333333
  squeezing = (squeezing | (squeezing >>> 2)) & 0x0f0f0f0f
  squeezing = (squeezing | (squeezing >>> 4)) & 0x00ff00ff
  return (squeezing | (squeezing >>> 8)) & 0xffff
}
