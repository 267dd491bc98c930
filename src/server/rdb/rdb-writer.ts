/**
 * Writes RDB records in the forms that every server since Redis 6.2 reads: nothing packed, except
 * streams, which have the form of 7.0, and hashes with fields that expire, which have that of 7.4 or of Valkey 9. The
 * loader packs small collections again itself, so plain forms lose nothing.
 */
import { unreachable } from '../../base/assert.ts'
import type { Entry } from '../keyspace/keyspace.ts'
import type { KnownUsage } from '../keyspace/usage.ts'
import type { HashValue, Value } from '../values/value.ts'
import { int64Bytes } from './bytes.ts'
import { lzfCompress } from './lzf-compress.ts'
import { type Elements, elementsOf } from './rdb-elements.ts'
import { rdbLength, rdbString } from './rdb-encode.ts'
import { byteOfType, OPCODE, type RdbDialect, TYPE, WRITTEN_MAGIC } from './rdb-format.ts'

export function rdbHeader(
  aux: readonly (readonly [string, string])[],
  dialect: RdbDialect = 'redis',
): string {
  const fields = aux.map(([name, value]) => AUX + rdbString(name) + rdbString(value))
  return WRITTEN_MAGIC[dialect] + fields.join('')
}

/** Only servers since 7.0 read this. */
export function rdbFunction(source: string): string {
  return FUNCTION + rdbString(source)
}

export function rdbSelectDb(db: number): string {
  return SELECT_DB + rdbLength(db)
}

/**
 * How many keys, and keys with an expiry, the selected database has, so that loaders can reserve
 * memory.
 */
export function rdbResizeDb(keys: number, expires: number): string {
  return RESIZE_DB + rdbLength(keys) + rdbLength(expires)
}

/** What precedes the checksum. */
export const RDB_END = String.fromCharCode(OPCODE.end)

/** How a string is written in a record. */
export type StringForm = (bytes: string) => string

/** [rdbcompression] */
export function compressedString(bytes: string): string {
  const packed = lzfCompress(bytes)
  if (packed === undefined) return rdbString(bytes)
  return COMPRESSED + rdbLength(packed.length) + rdbLength(bytes.length) + packed
}

/** One key with its expiry and value: as bytes, or in pieces if it is large. */
export function rdbRecord(
  key: string,
  entry: Entry,
  form: StringForm,
  usage: KnownUsage | undefined,
  dialect: RdbDialect,
): string | RecordPieces {
  const { value } = entry
  const start = expiry(entry) + usageBytes(usage) + typeByte(value, dialect) + form(key)
  if (value.type !== 'string') {
    return new RecordPieces(start + count(value, dialect), value, form, dialect)
  }
  if (value.bytes.length <= MAX_AT_ONCE_BYTES) return start + form(value.bytes)
  return new RecordPieces(start, value, form)
}

/** A value alone after its type byte, as at the beginning of a DUMP payload. */
export function rdbValue(value: Value, form: StringForm): RecordPieces {
  return new RecordPieces(typeByte(value, 'redis') + count(value, 'redis'), value, form)
}

/**
 * A record whose value is written bit by bit; the value may change meanwhile if `freeze` is called
 * first.
 */
class RecordPieces {
  readonly #elements: Elements
  readonly #form: StringForm
  /** Encoded and not returned yet. */
  #start: string
  /** The rest of an element that is too long for one piece. */
  #long = ''

  constructor(start: string, value: Value, form: StringForm, dialect: RdbDialect = 'redis') {
    this.#start = start
    this.#elements = elementsOf(value, dialect)
    this.#form = form
  }

  /** About `maxBytes`, exceeded by one short element at most; undefined at the end. */
  next(maxBytes: number): string | undefined {
    let piece = this.#start + this.#takeLong(maxBytes)
    this.#start = ''
    while (piece.length < maxBytes) {
      const element = this.#elements.next()
      if (element === undefined) break
      piece += this.#encoded(element) + this.#takeLong(maxBytes - piece.length)
    }
    return piece === '' ? undefined : piece
  }

  /** The value is about to change. */
  freeze(): void {
    this.#elements.freeze()
  }

  /** The same, before any piece was taken: a small record becomes its bytes. */
  settle(): string | RecordPieces {
    this.#start = this.next(SETTLED_BYTES) ?? ''
    if (this.#start.length < SETTLED_BYTES) return this.#start
    this.freeze()
    return this
  }

  /** The reader is finished. False: call it again. */
  release(): boolean {
    return this.#elements.release()
  }

  #encoded(element: string): string {
    if (this.#elements.isEncoded === true) return element
    if (element.length <= MAX_AT_ONCE_BYTES) return this.#form(element)
    this.#long = element
    return rdbLength(element.length)
  }

  #takeLong(maxBytes: number): string {
    const long = this.#long
    const end = Math.max(0, maxBytes)
    this.#long = long.slice(end)
    return long.slice(0, end)
  }
}

const SETTLED_BYTES = 4096

/** Longer strings are cut into pieces, and not compressed. */
const MAX_AT_ONCE_BYTES = 64 * 1024

/** The number of elements that a record begins with; empty for values that write it themselves. */
function count(value: Value, dialect: RdbDialect): string {
  switch (value.type) {
    case 'list':
      return rdbLength(value.items.length)
    case 'set':
      return rdbLength(value.members.size)
    case 'hash':
      return fieldExpiryBase(value, dialect) + rdbLength(value.fields.size)
    case 'zset':
      return rdbLength(value.set.size)
    case 'string':
    case 'stream':
      return ''
    default:
      return unreachable(value)
  }
}

function typeByte(value: Value, dialect: RdbDialect): string {
  const isSpecial = value.type === 'hash' && value.expiries !== undefined
  return isSpecial ? HASH_WITH_EXPIRIES[dialect] : TYPE_BYTES[value.type]
}

/** What the expiries of fields count from; in Valkey's form each stands for itself. */
function fieldExpiryBase({ expiries }: HashValue, dialect: RdbDialect): string {
  if (expiries === undefined || dialect === 'valkey') return ''
  return int64Bytes(expiries.soonest()?.atMs ?? 0)
}

function expiry(entry: Entry): string {
  return entry.expireAtMs === undefined ? '' : EXPIRE_MS + int64Bytes(entry.expireAtMs)
}

function usageBytes(usage: KnownUsage | undefined): string {
  if (usage?.frequency !== undefined) return FREQUENCY + String.fromCharCode(usage.frequency)
  return usage?.idleSeconds === undefined ? '' : IDLE + rdbLength(usage.idleSeconds)
}

const AUX = String.fromCharCode(OPCODE.aux)
const FUNCTION = String.fromCharCode(OPCODE.function)
const SELECT_DB = String.fromCharCode(OPCODE.selectDb)
const RESIZE_DB = String.fromCharCode(OPCODE.resizeDb)
const EXPIRE_MS = String.fromCharCode(OPCODE.expireMs)
const IDLE = String.fromCharCode(OPCODE.idle)
const FREQUENCY = String.fromCharCode(OPCODE.frequency)
const COMPRESSED = '\xc3'
const HASH_WITH_EXPIRIES: Readonly<Record<RdbDialect, string>> = {
  redis: byteOfType(TYPE.hashTtl),
  valkey: byteOfType(TYPE.hashValkey),
}

const TYPE_BYTES: Readonly<Record<Value['type'], string>> = {
  string: String.fromCharCode(TYPE.string),
  list: String.fromCharCode(TYPE.list),
  set: String.fromCharCode(TYPE.set),
  hash: String.fromCharCode(TYPE.hash),
  zset: String.fromCharCode(TYPE.zset),
  stream: String.fromCharCode(TYPE.stream),
}
