/** Functions are kept for those who can run them. */
import type { Family } from '../command.ts'

export const functionFamily: Family = {
  group: 'scripting',
  category: '@scripting',
  commands: [],
}
