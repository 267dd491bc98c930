/** Tables for reading an RDB payload through that keep nothing of it: it may be larger than the memory of a check. */
import { secretKeyHash } from '../../server/key-table/key-hash.ts'
import { KeyTable } from '../../server/key-table/key-table.ts'
import { EntryTable } from '../../server/keyspace/entry-table.ts'

export function unkeptTables(databases: number): readonly EntryTable[] {
  const hash = secretKeyHash('check')
  return Array.from({ length: databases }, () => new UnkeptEntries(hash))
}

/** Takes every key, and keeps none. */
class UnkeptEntries extends EntryTable {
  override add(): boolean {
    return true
  }

  override sibling<W>(): KeyTable<W> {
    return new Unkept<W>(this.hash)
  }
}

class Unkept<V> extends KeyTable<V> {
  override add(): boolean {
    return true
  }
}
