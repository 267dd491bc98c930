/** Counting distinct elements in little memory. */
import type { Family } from '../command.ts'

export const hyperloglogFamily: Family = {
  group: 'hyperloglog',
  category: '@hyperloglog',
  commands: [],
}
