/** Changing strings in place: the expiry stays, and transactions that watch the key notice. */
import type { CommandContext } from '../../context.ts'
import type { Db, Entry } from '../../keyspace/db.ts'
import { LongString } from '../../values/long-string.ts'
import { type StringValue, TextString } from '../../values/value.ts'

/** Sets the key to the string `bytes`. `present`: the result of `find`, a string or nothing. */
export function writeString(
  db: Db,
  key: string,
  present: Entry | undefined,
  bytes: string,
  form: StringForm = 'plain',
): void {
  if (present?.value.type !== 'string') return db.put(key, newString(bytes, form))
  db.changing(key, present)
  if (formOf(present.value) === form) present.value.bytes = bytes
  else present.value = newString(bytes, form)
}

/**
 * What OBJECT ENCODING has to know: `plain` is looked at as a whole, `raw` and `text` were put together,
 * see TextString.
 */
type StringForm = 'plain' | 'raw' | 'text'

function newString(bytes: string, form: StringForm): StringValue {
  return form === 'plain' ? { type: 'string', bytes } : new TextString(bytes, form === 'raw')
}

function formOf(value: StringValue): StringForm {
  if (!(value instanceof TextString)) return 'plain'
  return value.isRaw ? 'raw' : 'text'
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
