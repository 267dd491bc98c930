/**
 * The values of an RDB payload, by type. A type that is not Redis' own is refused with a text that
 * names it, because leaving it out would lose data silently.
 */
import { Deadlines } from '../values/deadlines.ts'
import type { HashValue, Value } from '../values/value.ts'
import { int64Number } from './bytes.ts'
import { readListpack } from './packed.ts'
import { hashOf, packed, readCount, readHash, readList, readSet } from './rdb-collections.ts'
import { NO_EXPIRY_MS, TYPE, unsupportedType } from './rdb-format.ts'
import { damage, type Parse, type RdbInput } from './rdb-input.ts'
import { moduleText } from './rdb-module.ts'
import { readStream } from './rdb-stream.ts'
import { readZset } from './rdb-zset.ts'

/** Reads the value after its type byte; undefined if it is an empty collection. */
export function* readValue(input: RdbInput, type: number): Parse<Value | undefined> {
  switch (type) {
    case TYPE.string:
      return { type: 'string', bytes: yield* input.string() }
    case TYPE.list:
    case TYPE.listZiplist:
    case TYPE.listQuicklist:
    case TYPE.listQuicklist2:
      return yield* readList(input, type)
    case TYPE.set:
    case TYPE.setIntset:
    case TYPE.setListpack:
      return yield* readSet(input, type)
    case TYPE.hash:
    case TYPE.hashZipmap:
    case TYPE.hashZiplist:
    case TYPE.hashListpack:
      return yield* readHash(input, type)
    case TYPE.hashTtlDraft:
    case TYPE.hashTtlListpackDraft:
    case TYPE.hashTtl:
    case TYPE.hashTtlListpack:
      return yield* readFieldTtlHash(input, type)
    case TYPE.hashValkey:
      return yield* readValkeyHash(input)
    case TYPE.zsetText:
    case TYPE.zset:
    case TYPE.zsetZiplist:
    case TYPE.zsetListpack:
      return yield* readZset(input, type)
    case TYPE.streamV1:
    case TYPE.stream:
    case TYPE.streamV3:
      return yield* readStream(input, type)
    case TYPE.moduleV1:
    case TYPE.module: {
      const module = moduleText(yield* input.length64())
      return yield* damage(`a value of ${module} is not supported (type ${type})`, 'unsupported')
    }
    default:
      return yield* damage(unsupportedType(type))
  }
}

// Hashes of Redis 7.4, whose fields may have an expiry of their own. A field whose time is over is loaded like any
// other: only the master deletes it, when a command looks at it.

/** The earliest expiry of any field comes before the fields, except in files of 7.4's release candidates. */
function* readFieldTtlHash(input: RdbInput, type: number): Parse<HashValue | undefined> {
  const hasBase = type === TYPE.hashTtl || type === TYPE.hashTtlListpack
  const baseMs = hasBase ? int64Number(yield* input.bytes(8), 0) : 0
  if (type === TYPE.hashTtlListpack || type === TYPE.hashTtlListpackDraft) {
    return yield* packedFields(input)
  }
  return yield* plainFields(input, hasBase ? baseMs - 1 : 0)
}

function* plainFields(input: RdbInput, beforeMs: number): Parse<HashValue | undefined> {
  const items: string[] = []
  const expiries = new Deadlines()
  for (let left = yield* readCount(input); left > 0; left--) {
    const expiry = Number(yield* input.length64())
    const field = yield* input.string()
    items.push(field, yield* input.string())
    if (expiry !== 0) expiries.set(field, beforeMs + expiry)
  }
  return withExpiries(yield* hashOf(items), expiries)
}

function* packedFields(input: RdbInput): Parse<HashValue | undefined> {
  const triples = yield* packed(input, 'listpack', readListpack)
  if (triples.length % 3 !== 0) yield* damage('a hash with a field without a value or an expiry')
  const items: string[] = []
  const expiries = new Deadlines()
  for (let at = 0; at < triples.length; at += 3) {
    const [field = '', value = '', expiry] = triples.slice(at, at + 3)
    const atMs = Number(expiry)
    if (!Number.isSafeInteger(atMs)) yield* damage(NO_MOMENT)
    items.push(field, value)
    if (atMs !== 0) expiries.set(field, atMs)
  }
  return withExpiries(yield* hashOf(items), expiries)
}

/** Of Valkey 9: each field with its value and its expiry; all bits set mean that it has none. */
function* readValkeyHash(input: RdbInput): Parse<HashValue | undefined> {
  const items: string[] = []
  const expiries = new Deadlines()
  for (let left = yield* readCount(input); left > 0; left--) {
    const field = yield* input.string()
    items.push(field, yield* input.string())
    const atMs = int64Number(yield* input.bytes(8), 0)
    if (atMs < NO_EXPIRY_MS || !Number.isSafeInteger(atMs)) yield* damage(NO_MOMENT)
    if (atMs !== NO_EXPIRY_MS) expiries.set(field, atMs)
  }
  return withExpiries(yield* hashOf(items), expiries)
}

function withExpiries(hash: HashValue | undefined, expiries: Deadlines): HashValue | undefined {
  if (hash !== undefined && expiries.size > 0) hash.expiries = expiries
  return hash
}

const NO_MOMENT = 'a hash with an expiry that is no moment'
