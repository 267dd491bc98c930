/** Changing strings in place: the expiry stays, and transactions that watch the key notice. */
import type { CommandContext } from '../../context.ts'
import type { Db, Entry } from '../../keyspace/db.ts'
import { LongString } from '../../values/long-string.ts'

/** Sets the key to the string `bytes`. `present`: the result of `find`, a string or nothing. */
export function writeString(db: Db, key: string, present: Entry | undefined, bytes: string): void {
  if (present?.value.type === 'string') {
    db.changing(key, present)
    present.value.bytes = bytes
  } else {
    db.put(key, { type: 'string', bytes })
  }
}

/**
 * The string at the key in the form that can be changed in place, ready to be changed; `present` as
 * above.
 */
export function openLong(
  { db, node }: CommandContext,
  key: string,
  present: Entry | undefined,
): LongString {
  if (present?.value.type !== 'string') {
    const long = new LongString(node.byteCodec, '')
    db.put(key, long)
    return long
  }
  db.changing(key, present)
  if (present.value instanceof LongString) return present.value
  const long = new LongString(node.byteCodec, present.value.bytes)
  present.value = long
  return long
}
