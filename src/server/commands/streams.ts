/** Streams. */
import type { Family } from '../command.ts'

export const streamFamily: Family = {
  group: 'stream',
  category: '@stream',
  commands: [],
}
