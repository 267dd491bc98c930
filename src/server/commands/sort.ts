/** SORT and SORT_RO. */
import type { Family } from '../command.ts'

export const sortFamily: Family = {
  group: 'generic',
  category: undefined,
  commands: [],
}
