/** Saving to disk. */
import type { Family } from '../command.ts'

export const savingFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [],
}
