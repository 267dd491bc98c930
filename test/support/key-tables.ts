/** Tables of keys for tests that have no node. */
import { createRng } from '../../src/base/rng.ts'
import { createKeyHash } from '../../src/server/key-table/key-hash.ts'
import { type Entry, EntryTable } from '../../src/server/keyspace/entry-table.ts'

export const KEY_HASH = createKeyHash(createRng('keys of tests'))

export function tableOf(entries: Iterable<readonly [string, Entry]>): EntryTable {
  const table = new EntryTable(KEY_HASH)
  for (const [key, entry] of entries) table.set(key, entry)
  return table
}

export function emptyTables(databases: number): EntryTable[] {
  return Array.from({ length: databases }, () => tableOf([]))
}
