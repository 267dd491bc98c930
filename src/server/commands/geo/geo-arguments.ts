/** Positions, lengths and units in arguments, and how distances and coordinates are written. */
import { fixedText } from '../../../base/double-text.ts'
import { array, bulk, error, type Reply } from '../../../resp/reply.ts'
import { parseDouble } from '../../arguments/float-argument.ts'
import { arg } from '../../catalogue/command.ts'
import { NOT_A_FLOAT } from '../../errors.ts'
import type { Shape } from '../../values/geo-distance.ts'
import { MAX_LATITUDE, MAX_LONGITUDE, type Position } from '../../values/geo-hash.ts'

const BAD_UNIT = error('ERR unsupported unit provided. please use M, KM, FT, MI')
const BAD_RADIUS = error('ERR need numeric radius')
const NEGATIVE_RADIUS = error('ERR radius cannot be negative')
const BAD_WIDTH = error('ERR need numeric width')
const BAD_HEIGHT = error('ERR need numeric height')
const NEGATIVE_SIDE = error('ERR height or width cannot be negative')

const DISTANCE_DECIMALS = 4
const COORDINATE_DECIMALS = 17

const UNITS: ReadonlyMap<string, number> = new Map([
  ['M', 1],
  ['KM', 1000],
  ['FT', 0.3048],
  ['MI', 1609.34],
])

/** How many metres the unit has. */
export function parseUnit(word: string | undefined): number | Reply {
  return UNITS.get((word ?? '').toUpperCase()) ?? BAD_UNIT
}

/** `longitude latitude`, from index `at` on. */
export function parsePosition(argv: readonly string[], at: number): Position | Reply {
  const [longitude, latitude] = [parseDouble(argv[at]), parseDouble(argv[at + 1])]
  if (longitude === undefined || latitude === undefined) return NOT_A_FLOAT
  if (Math.abs(longitude) > MAX_LONGITUDE || Math.abs(latitude) > MAX_LATITUDE) {
    const pair = `${fixedText(longitude, 6)},${fixedText(latitude, 6)}`
    return error(`ERR invalid longitude,latitude pair ${pair}`)
  }
  return { longitude, latitude }
}

/** A shape, and the unit it was given in. */
export interface MeasuredShape {
  readonly shape: Shape
  /** Metres. */
  readonly unitM: number
}

/** `radius unit`, from index `at` on. */
export function parseRadius(argv: readonly string[], at: number): MeasuredShape | Reply {
  const radius = parseDouble(argv[at])
  if (radius === undefined) return BAD_RADIUS
  if (radius < 0) return NEGATIVE_RADIUS
  const unitM = parseUnit(argv[at + 1])
  if (typeof unitM !== 'number') return unitM
  return { shape: { kind: 'circle', radiusM: radius * unitM }, unitM }
}

/** `width height unit`, from index `at` on. */
export function parseBox(argv: readonly string[], at: number): MeasuredShape | Reply {
  const [width, height] = [parseDouble(argv[at]), parseDouble(argv[at + 1])]
  if (width === undefined) return BAD_WIDTH
  if (height === undefined) return BAD_HEIGHT
  if (width < 0 || height < 0) return NEGATIVE_SIDE
  const unitM = parseUnit(arg(argv, at + 2))
  if (typeof unitM !== 'number') return unitM
  return { shape: { kind: 'box', widthM: width * unitM, heightM: height * unitM }, unitM }
}

export function distanceReply(distance: number): Reply {
  return bulk(fixedText(distance, DISTANCE_DECIMALS))
}

export function positionReply({ longitude, latitude }: Position): Reply {
  return array([coordinateReply(longitude), coordinateReply(latitude)])
}

function coordinateReply(degrees: number): Reply {
  const text = fixedText(degrees, COORDINATE_DECIMALS).replace(/\.?0+$/, '')
  return { kind: 'double', value: degrees, text: text === '-0' ? '0' : text }
}
