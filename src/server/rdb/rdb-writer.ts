/**
 * Writes RDB records in the forms every server since Redis 6.2 reads: plain strings, lists, sets and
 * hashes. The loader packs small collections again by itself, so plain forms lose nothing.
 */
import { unreachable } from '../../base/assert.ts'
import type { Entry } from '../keyspace.ts'
import type { Value } from '../values.ts'
import { int64Bytes } from './bytes.ts'
import { rdbLength, rdbString } from './rdb-encode.ts'
import { OPCODE, TYPE, WRITTEN_VERSION } from './rdb-format.ts'
import { rdbStream } from './rdb-stream.ts'
import { rdbZset } from './rdb-zset.ts'

export function rdbHeader(aux: readonly (readonly [string, string])[]): string {
  const fields = aux.map(([name, value]) => AUX + rdbString(name) + rdbString(value))
  return `REDIS${WRITTEN_VERSION}${fields.join('')}`
}

export function rdbSelectDb(db: number): string {
  return SELECT_DB + rdbLength(db)
}

/** What precedes the checksum. */
export const RDB_END = String.fromCharCode(OPCODE.end)

/** One key with its expiry and value, in pieces: a large collection need not be written in one go. */
export function* rdbEntry(key: string, entry: Entry): Generator<string, void, void> {
  const expiry = entry.expireAtMs
  const prefix = expiry === undefined ? '' : EXPIRE_MS + int64Bytes(expiry)
  yield prefix + String.fromCharCode(TYPE[entry.value.type]) + rdbString(key)
  yield* rdbValue(entry.value)
}

function* rdbValue(value: Value): Generator<string, void, void> {
  switch (value.type) {
    case 'string':
      yield rdbString(value.bytes)
      return
    case 'list':
      yield rdbLength(value.items.length)
      for (const item of value.items) yield rdbString(item)
      return
    case 'set':
      yield rdbLength(value.members.size)
      for (const member of value.members) yield rdbString(member)
      return
    case 'hash':
      yield rdbLength(value.fields.size)
      for (const [field, text] of value.fields) yield rdbString(field) + rdbString(text)
      return
    case 'zset':
      return yield* rdbZset(value)
    case 'stream':
      return yield* rdbStream(value)
    default:
      unreachable(value)
  }
}

const AUX = String.fromCharCode(OPCODE.aux)
const SELECT_DB = String.fromCharCode(OPCODE.selectDb)
const EXPIRE_MS = String.fromCharCode(OPCODE.expireMs)
