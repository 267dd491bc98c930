/**
 * The values of an RDB payload, by type. What is not a type of Redis' own is refused in words that say
 * what it is, because leaving it out would lose data in silence.
 */
import type { Value } from '../values/value.ts'
import { readHash, readList, readSet } from './rdb-collections.ts'
import { readFieldTtlHash } from './rdb-field-ttl.ts'
import { TYPE, unsupportedType } from './rdb-format.ts'
import { damage, type Parse, type RdbInput } from './rdb-input.ts'
import { moduleText } from './rdb-module.ts'
import { readStream } from './rdb-stream.ts'
import { readZset } from './rdb-zset.ts'

/** Reads the value after its type byte; undefined when it is an empty collection. */
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
