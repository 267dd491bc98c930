/** DUMP and RESTORE: a value as bytes that travel. */
import type { Family } from '../command.ts'

export const dumpFamily: Family = {
  group: 'generic',
  category: '@keyspace',
  commands: [],
}
