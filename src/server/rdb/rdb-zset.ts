/**
 * Sorted sets in RDB records: scores as text in packed and in the oldest records, as eight bytes in
 * those of today. Records need not be in order, and a set that is empty means that there is no such key.
 */
import { parseDouble } from '../arguments/float-argument.ts'
import { SortedSet } from '../values/sorted-set.ts'
import type { ZsetValue } from '../values/value.ts'
import { doubleBytes, readDoubleBytes } from './double-bytes.ts'
import { readListpack, readZiplist } from './packed.ts'
import { readCount } from './rdb-collections.ts'
import { rdbLength, rdbString } from './rdb-encode.ts'
import { TYPE, unsupportedType } from './rdb-format.ts'
import { damage, type Parse, type RdbInput } from './rdb-input.ts'

/** In place of the length of a score's text. */
const NAN = 253
const INFINITY = 254
const MINUS_INFINITY = 255

/** Reads the value after its type byte; undefined when it is empty. */
export function* readZset(input: RdbInput, type: number): Parse<ZsetValue | undefined> {
  switch (type) {
    case TYPE.zsetText:
      return yield* elements(input, textScore)
    case TYPE.zset:
      return yield* elements(input, binaryScore)
    case TYPE.zsetZiplist:
      return yield* packed(readZiplist(yield* input.string()), 'ziplist')
    case TYPE.zsetListpack:
      return yield* packed(readListpack(yield* input.string()), 'listpack')
    default:
      return yield* damage(unsupportedType(type))
  }
}

/** The value after its type byte and key, in pieces. */
export function* rdbZset({ set }: ZsetValue): Generator<string, void, void> {
  yield rdbLength(set.size)
  for (const [member, score] of set) yield rdbString(member) + doubleBytes(score)
}

/** The count is only believed as far as bytes arrive for it. */
function* elements(
  input: RdbInput,
  readScore: (input: RdbInput) => Parse<number>,
): Parse<ZsetValue | undefined> {
  const set = new SortedSet()
  const count = yield* readCount(input)
  for (let left = count; left > 0; left--) {
    const member = yield* input.string()
    yield* add(set, member, yield* readScore(input))
  }
  return set.size === 0 ? undefined : { type: 'zset', set }
}

/** Members and scores in turn. */
function* packed(items: readonly string[] | undefined, form: string): Parse<ZsetValue | undefined> {
  if (items === undefined) return yield* damage(`a damaged ${form}`)
  if (items.length % 2 !== 0) return yield* damage('a sorted set with a member without a score')
  const set = new SortedSet()
  for (let at = 0; at < items.length; at += 2) {
    const score = parseDouble(items[at + 1])
    if (score === undefined) return yield* damage('a sorted set with a score that is no number')
    yield* add(set, items[at] as string, score)
  }
  return set.size === 0 ? undefined : { type: 'zset', set }
}

function* add(set: SortedSet, member: string, score: number): Parse<void> {
  if (Number.isNaN(score)) return yield* damage('a sorted set with a score that is no number')
  if (set.has(member)) return yield* damage('a sorted set with a member twice')
  set.set(member, score)
}

function* binaryScore(input: RdbInput): Parse<number> {
  return readDoubleBytes(yield* input.bytes(8), 0)
}

function* textScore(input: RdbInput): Parse<number> {
  const length = yield* input.byte()
  if (length === NAN) return Number.NaN
  if (length === INFINITY) return Number.POSITIVE_INFINITY
  if (length === MINUS_INFINITY) return Number.NEGATIVE_INFINITY
  return parseDouble(yield* input.bytes(length)) ?? Number.NaN
}
