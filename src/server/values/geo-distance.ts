/** Distances on the earth, treated as a sphere, and the shapes that can be searched. */
import type { Position } from './geo-hash.ts'

export const EARTH_RADIUS_M = 6372797.560856

const RADIANS_PER_DEGREE = Math.PI / 180

/** A circle, or a rectangle aligned with the compass, around a position. In metres. */
export type Shape =
  | { readonly kind: 'circle'; readonly radiusM: number }
  | { readonly kind: 'box'; readonly widthM: number; readonly heightM: number }

export function toRadians(degrees: number): number {
  return degrees * RADIANS_PER_DEGREE
}

export function toDegrees(radians: number): number {
  return radians / RADIANS_PER_DEGREE
}

/** By the haversine formula. */
export function distanceM(a: Position, b: Position): number {
  const v = Math.sin((toRadians(b.longitude) - toRadians(a.longitude)) / 2)
  if (v === 0) return latitudeDistanceM(a, b)
  const [from, to] = [toRadians(a.latitude), toRadians(b.latitude)]
  const u = Math.sin((to - from) / 2)
  const square = u * u + Math.cos(from) * Math.cos(to) * v * v
  return 2 * EARTH_RADIUS_M * Math.asin(Math.sqrt(square))
}

/** The distance in metres if `position` is within the shape around `center`. */
export function distanceWithin(
  shape: Shape,
  center: Position,
  position: Position,
): number | undefined {
  if (shape.kind === 'circle') {
    const distance = distanceM(center, position)
    return distance > shape.radiusM ? undefined : distance
  }
  if (latitudeDistanceM(position, center) > shape.heightM / 2) return undefined
  const atThatLatitude = { longitude: center.longitude, latitude: position.latitude }
  if (distanceM(position, atThatLatitude) > shape.widthM / 2) return undefined
  return distanceM(center, position)
}

function latitudeDistanceM(a: Position, b: Position): number {
  return EARTH_RADIUS_M * Math.abs(toRadians(b.latitude) - toRadians(a.latitude))
}
