/** Changing strings in place: the expiry stays, and whoever watches the key is told. */
import type { Db, Entry } from '../../keyspace/db.ts'

/** The key becomes the string `bytes`. `present`: what `find` gave, a string or nothing. */
export function writeString(db: Db, key: string, present: Entry | undefined, bytes: string): void {
  if (present?.value.type === 'string') {
    db.changing(key, present)
    present.value.bytes = bytes
  } else {
    db.put(key, { type: 'string', bytes })
  }
}
