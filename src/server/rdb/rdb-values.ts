/**
 * The values of an RDB payload, in every form in which a master since Redis 4 may send strings,
 * lists, sets and hashes. An empty collection is legal there and means that there is no such key.
 */
import { Deque } from '../deque.ts'
import type { Value } from '../values.ts'
import { readIntset, readListpack, readZiplist } from './packed.ts'
import { TYPE, unsupportedType } from './rdb-format.ts'
import { damage, type Parse, type RdbInput } from './rdb-input.ts'
import { readStream } from './rdb-stream.ts'
import { readZset } from './rdb-zset.ts'

/** A node of a list holds one large element instead of a packed run of them. */
const PLAIN_NODE = 1
const PACKED_NODE = 2

type Decode = (blob: string) => string[] | undefined

/** Reads the value after its type byte; undefined when it is an empty collection. */
export function* readValue(input: RdbInput, type: number): Parse<Value | undefined> {
  switch (type) {
    case TYPE.string:
      return { type: 'string', bytes: yield* input.string() }
    case TYPE.list:
      return list(yield* strings(input, yield* input.length()))
    case TYPE.set:
      return yield* set(yield* strings(input, yield* input.length()))
    case TYPE.hash:
      return yield* hash(yield* strings(input, 2 * (yield* input.length())))
    case TYPE.listZiplist:
      return list(yield* packed(input, 'ziplist', readZiplist))
    case TYPE.setIntset:
      return yield* set(yield* packed(input, 'intset', readIntset))
    case TYPE.hashZiplist:
      return yield* hash(yield* packed(input, 'ziplist', readZiplist))
    case TYPE.listQuicklist:
      return list(yield* quicklist(input, packedNode))
    case TYPE.hashListpack:
      return yield* hash(yield* packed(input, 'listpack', readListpack))
    case TYPE.listQuicklist2:
      return list(yield* quicklist(input, anyNode))
    case TYPE.setListpack:
      return yield* set(yield* packed(input, 'listpack', readListpack))
    case TYPE.zsetText:
    case TYPE.zset:
    case TYPE.zsetZiplist:
    case TYPE.zsetListpack:
      return yield* readZset(input, type)
    case TYPE.streamV1:
    case TYPE.stream:
    case TYPE.streamV3:
      return yield* readStream(input, type)
    default:
      return yield* damage(unsupportedType(type))
  }
}

/** The count is only believed as far as bytes arrive for it. */
function* strings(input: RdbInput, count: number): Parse<string[]> {
  const items: string[] = []
  while (items.length < count) items.push(yield* input.string())
  return items
}

function* packed(input: RdbInput, form: string, decode: Decode): Parse<string[]> {
  const items = decode(yield* input.string())
  return items ?? (yield* damage(`a damaged ${form}`))
}

function* quicklist(
  input: RdbInput,
  readNode: (input: RdbInput) => Parse<string[]>,
): Parse<string[]> {
  const items: string[] = []
  let nodes = yield* input.length()
  for (; nodes > 0; nodes--) for (const item of yield* readNode(input)) items.push(item)
  return items
}

function packedNode(input: RdbInput): Parse<string[]> {
  return packed(input, 'ziplist', readZiplist)
}

function* anyNode(input: RdbInput): Parse<string[]> {
  const container = yield* input.length()
  if (container === PLAIN_NODE) return [yield* input.string()]
  if (container === PACKED_NODE) return yield* packed(input, 'listpack', readListpack)
  return yield* damage(`unknown list container ${container}`)
}

function list(items: readonly string[]): Value | undefined {
  if (items.length === 0) return undefined
  const deque = new Deque()
  for (const item of items) deque.pushRight(item)
  return { type: 'list', items: deque }
}

function* set(items: readonly string[]): Parse<Value | undefined> {
  const members = new Set(items)
  if (members.size !== items.length) return yield* damage('a set with a member twice')
  return members.size === 0 ? undefined : { type: 'set', members }
}

function* hash(items: readonly string[]): Parse<Value | undefined> {
  if (items.length % 2 !== 0) return yield* damage('a hash with a field without a value')
  const fields = new Map<string, string>()
  for (let at = 0; at < items.length; at += 2) {
    fields.set(items[at] as string, items[at + 1] as string)
  }
  if (2 * fields.size !== items.length) return yield* damage('a hash with a field twice')
  return fields.size === 0 ? undefined : { type: 'hash', fields }
}
