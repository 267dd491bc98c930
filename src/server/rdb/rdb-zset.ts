/**
 * Sorted sets in RDB records: scores are text in packed and in the oldest records, and eight bytes in
 * today's. Elements need not be in order, and an empty set means that there is no such key.
 */
import { parseDouble } from '../arguments/float-argument.ts'
import { SortedSet } from '../values/sorted-set.ts'
import type { ZsetValue } from '../values/value.ts'
import { readDoubleBytes } from './double-bytes.ts'
import { readListpack, readZiplist } from './packed.ts'
import { type Decode, newSortedSet, packed, readCount } from './rdb-collections.ts'
import { TYPE, unsupportedType } from './rdb-format.ts'
import { damage, type Parse, type RdbInput } from './rdb-input.ts'

/** In place of the length of a score's text. */
const NAN = 253
const INFINITY = 254
const MINUS_INFINITY = 255

const SCORE_BYTES = 8

/** Reads the value after its type byte; undefined if it is empty. */
export function* readZset(input: RdbInput, type: number): Parse<ZsetValue | undefined> {
  switch (type) {
    case TYPE.zsetText:
      return yield* elements(input, textScore)
    case TYPE.zset:
      return yield* binaryElements(input)
    case TYPE.zsetZiplist:
      return yield* packedElements(input, 'ziplist', readZiplist)
    case TYPE.zsetListpack:
      return yield* packedElements(input, 'listpack', readListpack)
    default:
      return yield* damage(unsupportedType(type))
  }
}

/** The count is only believed as far as bytes arrive for it. */
function* elements(
  input: RdbInput,
  readScore: (input: RdbInput) => Parse<number>,
): Parse<ZsetValue | undefined> {
  const count = yield* readCount(input)
  const set = newSortedSet(input, count)
  for (let left = count; left > 0; left--) {
    const member = yield* input.string()
    yield* settled(add(set, member, yield* readScore(input)))
  }
  return set.size === 0 ? undefined : { type: 'zset', set }
}

/** The same where every score has the same size. */
function* binaryElements(input: RdbInput): Parse<ZsetValue | undefined> {
  const count = yield* readCount(input)
  const set = newSortedSet(input, count)
  while (set.size < count) {
    const problem = fillZset(input, set, count)
    if (problem !== undefined) yield* damage(problem)
    if (set.size === count) break
    const member = yield* input.string()
    yield* settled(add(set, member, readDoubleBytes(yield* input.bytes(SCORE_BYTES))))
  }
  return set.size === 0 ? undefined : { type: 'zset', set }
}

/**
 * Takes the elements that have arrived, until the set has `count`; returns what is wrong with them,
 * if anything.
 */
export function fillZset(input: RdbInput, set: SortedSet, count: number): string | undefined {
  while (set.size < count) {
    const { mark } = input
    const member = input.takeString()
    if (member === undefined) return undefined
    const score = input.takeBytes(SCORE_BYTES)
    if (score === undefined) {
      input.back(mark)
      return undefined
    }
    const problem = add(set, member, readDoubleBytes(score))
    if (problem !== undefined) return problem
  }
  return undefined
}

function* packedElements(
  input: RdbInput,
  form: string,
  decode: Decode,
): Parse<ZsetValue | undefined> {
  const set = scoresOf(yield* packed(input, form, decode))
  if (typeof set === 'string') return yield* damage(set)
  return set.size === 0 ? undefined : { type: 'zset', set }
}

/** From alternating members and scores; or what is wrong with them. */
export function scoresOf(items: readonly string[]): SortedSet | string {
  if (items.length % 2 !== 0) return 'a sorted set with a member without a score'
  const set = new SortedSet()
  for (let at = 0; at < items.length; at += 2) {
    const problem = add(set, items[at] as string, parseDouble(items[at + 1]) ?? Number.NaN)
    if (problem !== undefined) return problem
  }
  return set
}

/** Returns why it cannot be added. */
function add(set: SortedSet, member: string, score: number): string | undefined {
  if (Number.isNaN(score)) return 'a sorted set with a score that is no number'
  if (set.has(member)) return 'a sorted set with a member twice'
  set.set(member, score)
  return undefined
}

function* settled(problem: string | undefined): Parse<void> {
  if (problem !== undefined) yield* damage(problem)
}

function* textScore(input: RdbInput): Parse<number> {
  const length = yield* input.byte()
  if (length === NAN) return Number.NaN
  if (length === INFINITY) return Number.POSITIVE_INFINITY
  if (length === MINUS_INFINITY) return Number.NEGATIVE_INFINITY
  return parseDouble(yield* input.bytes(length)) ?? Number.NaN
}
