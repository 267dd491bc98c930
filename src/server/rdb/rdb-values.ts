/**
 * The values of an RDB payload, by type. A type that is not Redis' own is refused with a text that
 * names it, because leaving it out would lose data silently.
 */
import type { HashValue, Value } from '../values/value.ts'
import { shownBytes } from './bytes.ts'
import { readListpack } from './packed.ts'
import { hashOf, packed, readCount, readHash, readList, readSet } from './rdb-collections.ts'
import { TYPE, unsupportedType } from './rdb-format.ts'
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
      return yield* damage(`a value of ${module} is not supported (type ${type})`)
    }
    default:
      return yield* damage(unsupportedType(type))
  }
}

// Hashes of Redis 7.4, whose fields may have an expiry of their own. This node does not support that.
// A hash without such fields loads as an ordinary one; one with such a field is refused, because
// keeping the field for ever and dropping it early would both be wrong, and silent.

/** The earliest expiry of any field comes before the fields, except in files of 7.4's release candidates. */
function* readFieldTtlHash(input: RdbInput, type: number): Parse<HashValue | undefined> {
  if (type === TYPE.hashTtl || type === TYPE.hashTtlListpack) yield* input.bytes(8)
  const isPlain = type === TYPE.hashTtl || type === TYPE.hashTtlDraft
  return yield* hashOf(yield* isPlain ? plainFields(input) : packedFields(input))
}

function* plainFields(input: RdbInput): Parse<string[]> {
  const items: string[] = []
  for (let left = yield* readCount(input); left > 0; left--) {
    const expiry = yield* input.length64()
    items.push(yield* input.string(), yield* input.string())
    if (expiry !== 0n) yield* refuse(items.at(-2) as string)
  }
  return items
}

function* packedFields(input: RdbInput): Parse<string[]> {
  const triples = yield* packed(input, 'listpack', readListpack)
  if (triples.length % 3 !== 0) yield* damage('a hash with a field without a value or an expiry')
  const items: string[] = []
  for (let at = 0; at < triples.length; at += 3) {
    items.push(triples[at] as string, triples[at + 1] as string)
    if (triples[at + 2] !== '0') yield* refuse(triples[at] as string)
  }
  return items
}

function refuse(field: string): Parse<never> {
  return damage(`field ${shownBytes(field)} has an expiry of its own, which is not supported`)
}
