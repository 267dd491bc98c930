/** Positions on the earth, kept as scores of a sorted set. */
import type { Family } from '../command.ts'

export const geoFamily: Family = {
  group: 'geo',
  category: '@geo',
  commands: [],
}
