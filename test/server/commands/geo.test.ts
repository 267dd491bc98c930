import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coveringCells } from '../../../src/server/values/geo-cover.ts'
import {
  distanceM,
  distanceWithin,
  EARTH_RADIUS_M,
  type Shape,
  toDegrees,
  toRadians,
} from '../../../src/server/values/geo-distance.ts'
import {
  cellAt,
  cellBits,
  cellScores,
  geohashText,
  MAX_LATITUDE,
  MAX_STEP,
  type Position,
  positionOf,
} from '../../../src/server/values/geo-hash.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { sized } from '../../support/sized.ts'

const PALERMO: Position = { longitude: 13.361389, latitude: 38.115556 }

function scoreOf(position: Position): number {
  return Number(cellBits(cellAt(position, MAX_STEP)))
}

const degrees = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true })
const position = (maxLatitude: number, maxLongitude = 180) =>
  fc.record({ longitude: degrees(maxLongitude), latitude: degrees(maxLatitude) })

describe('a position as a score', () => {
  test('is the number of Redis', () => {
    expect(scoreOf(PALERMO)).toBe(3479099956230698)
    expect(geohashText(positionOf(3479099956230698))).toBe('sqc8b49rny0')
  })

  test('comes back less than a metre away', () => {
    fc.assert(
      fc.property(position(MAX_LATITUDE), (given) => {
        expect(distanceM(given, positionOf(scoreOf(given)))).toBeLessThan(1)
      }),
    )
  })

  test('lies within the scores of each cell it is in', () => {
    fc.assert(
      // At the last doubles before 180 degrees the fraction rounds to the next column, in Redis as well.
      fc.property(position(85, 179.999), fc.integer({ min: 1, max: MAX_STEP }), (given, step) => {
        const [from, end] = cellScores(cellAt(given, step))
        expect([scoreOf(given) >= from, scoreOf(given) < end]).toEqual([true, true])
      }),
    )
  })

  test('is a position whatever the score', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (score) => {
        const { longitude, latitude } = positionOf(score)
        expect(Math.abs(longitude) <= 180 && Math.abs(latitude) <= MAX_LATITUDE).toBe(true)
      }),
    )
  })
})

describe('a search', () => {
  const metres = fc.double({ min: 0, max: 1_000_000, noNaN: true })
  const shape: fc.Arbitrary<Shape> = fc.oneof(
    fc.record({ kind: fc.constant('circle' as const), radiusM: metres }),
    fc.record({ kind: fc.constant('box' as const), widthM: metres, heightM: metres }),
  )

  /** Of the way to the edge of the shape; the edges are where a cell could be forgotten. */
  const fraction = fc.oneof(fc.constantFrom(-0.999, 0, 0.999), degrees(1))

  // From the eastern edge itself Redis does not find what lies right behind it, and so do we not.
  test('looks into every cell that holds something within the shape, once', () => {
    fc.assert(
      fc.property(position(65, 179.999), shape, fraction, fraction, (center, area, east, north) => {
        const found = positionOf(scoreOf(moved(center, area, east, north)))
        fc.pre(distanceWithin(area, center, found) !== undefined)
        const score = scoreOf(found)
        const cells = coveringCells(center, area).map(cellScores)
        expect(cells.filter(([from, end]) => score >= from && score < end)).toHaveLength(1)
      }),
      { numRuns: sized(700, 2000) },
    )
  })

  function moved(center: Position, area: Shape, east: number, north: number): Position {
    const [halfWidthM, halfHeightM] =
      area.kind === 'circle' ? [area.radiusM, area.radiusM] : [area.widthM / 2, area.heightM / 2]
    const latitude = center.latitude + toDegrees((north * halfHeightM) / EARTH_RADIUS_M)
    const aroundM = EARTH_RADIUS_M * Math.cos(toRadians(latitude))
    const longitude = center.longitude + toDegrees((east * halfWidthM) / aroundM)
    return { longitude: wrapped(longitude), latitude }
  }

  function wrapped(longitude: number): number {
    return longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
  }

  test('of nothing but a point looks into nine of the smallest cells at most', () => {
    const cells = coveringCells(PALERMO, { kind: 'circle', radiusM: 0 })
    expect(cells.every(({ step }) => step >= MAX_STEP - 1)).toBe(true)
    expect(cells.length).toBeLessThanOrEqual(9)
  })

  test('that may stop at any results does not look at all of them', () => {
    const client = new NodeHarness().client()
    for (let n = 0; n < 50; n++) client.say(`GEOADD g ${n / 1000} 0 p${n}`)
    const reply = client.say('GEOSEARCH g FROMLONLAT 0.02 0 BYRADIUS 100 km COUNT 7 ANY')
    expect(reply.startsWith('*7\r\n')).toBe(true)
  })
})

test('replicas are told positions as scores, the eastern edge exactly', () => {
  const harness = new NodeHarness()
  const replica = harness.replica()
  harness.client().say('GEOADD g CH 13.361389 38.115556 Palermo 180 85.05112878 corner')
  expect(replica.told()).toEqual([
    'SELECT 0',
    'zadd g CH 3479099956230698 Palermo 13510798882111488 corner',
  ])
})
