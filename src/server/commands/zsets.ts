/** Sorted sets. */
import type { Family } from '../command.ts'

export const zsetFamily: Family = {
  group: 'sorted-set',
  category: '@sortedset',
  commands: [],
}
