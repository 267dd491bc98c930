/** Tables of keys for tests that have no node. */
import { createRng } from '../../src/base/rng.ts'
import { createKeyHash } from '../../src/server/keyspace/key-hash.ts'
import { KeyTable } from '../../src/server/keyspace/key-table.ts'
import type { Entry } from '../../src/server/keyspace/keyspace.ts'

export const KEY_HASH = createKeyHash(createRng('keys of tests'))

export function tableOf(entries: Iterable<readonly [string, Entry]>): KeyTable<Entry> {
  const table = new KeyTable<Entry>(KEY_HASH)
  for (const [key, entry] of entries) table.set(key, entry)
  return table
}

export function emptyTables(databases: number): KeyTable<Entry>[] {
  return Array.from({ length: databases }, () => tableOf([]))
}
