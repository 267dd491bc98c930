/**
 * Values that have arrived completely, as nearly all have: they are read at once, without the generators
 * of rdb-values.ts, which cost more than parsing a small value. Whatever is incomplete, rare, empty or
 * damaged is left to the generators, which know what to wait for and what to report.
 */
import { Deque } from '../values/deque.ts'
import type { HashValue, ListValue, SetValue, Value, ZsetValue } from '../values/value.ts'
import { readIntset, readListpack, readZiplist } from './packed.ts'
import {
  append,
  type Decode,
  fieldsOf,
  fillHash,
  fillList,
  fillSet,
  MAX_ELEMENTS,
  maxMembers,
  membersOf,
  newFields,
  newMembers,
  newSortedSet,
  PACKED_NODE,
} from './rdb-collections.ts'
import { TYPE } from './rdb-format.ts'
import type { RdbInput } from './rdb-input.ts'
import { fillZset, scoresOf } from './rdb-zset.ts'

/** The value after its type byte; undefined means: read it with `readValue`, from where it begins. */
export function takeValue(input: RdbInput, type: number): Value | undefined {
  switch (type) {
    case TYPE.string:
      return takeText(input)
    case TYPE.list:
      return takeList(input)
    case TYPE.listQuicklist2:
      return takeQuicklist(input)
    case TYPE.set:
      return takeSet(input)
    case TYPE.setIntset:
      return packedSet(takePacked(input, readIntset))
    case TYPE.setListpack:
      return packedSet(takePacked(input, readListpack))
    case TYPE.hash:
      return takeHash(input)
    case TYPE.hashZiplist:
      return packedHash(takePacked(input, readZiplist))
    case TYPE.hashListpack:
      return packedHash(takePacked(input, readListpack))
    case TYPE.zset:
      return takeZset(input)
    case TYPE.zsetZiplist:
      return packedZset(takePacked(input, readZiplist))
    case TYPE.zsetListpack:
      return packedZset(takePacked(input, readListpack))
    default:
      return undefined
  }
}

function takeText(input: RdbInput): Value | undefined {
  const bytes = input.takeString()
  return bytes === undefined ? undefined : { type: 'string', bytes }
}

function takeList(input: RdbInput): ListValue | undefined {
  const count = takeCount(input, MAX_ELEMENTS)
  const items = new Deque()
  return count > 0 && fillList(input, items, count) === 0 ? { type: 'list', items } : undefined
}

/** A list whose nodes are all packed. */
function takeQuicklist(input: RdbInput): ListValue | undefined {
  const items = new Deque()
  const nodes = takeCount(input, MAX_ELEMENTS)
  for (let left = nodes; left > 0; left--) {
    if (input.takeLength() !== PACKED_NODE) return undefined
    const node = takePacked(input, readListpack)
    if (node === undefined || items.length + node.length > MAX_ELEMENTS) return undefined
    append(items, node)
  }
  return items.length === 0 ? undefined : { type: 'list', items }
}

function takeSet(input: RdbInput): SetValue | undefined {
  const count = takeCount(input, maxMembers(input))
  const members = newMembers(input, count)
  if (count === 0 || fillSet(input, members, count) > 0) return undefined
  return members.size === count ? { type: 'set', members } : undefined
}

function takeHash(input: RdbInput): HashValue | undefined {
  const count = takeCount(input, maxMembers(input))
  const fields = newFields(input, count)
  if (count === 0 || fillHash(input, fields, count) > 0) return undefined
  return fields.size === count ? { type: 'hash', fields } : undefined
}

function takeZset(input: RdbInput): ZsetValue | undefined {
  const count = takeCount(input, maxMembers(input))
  const set = newSortedSet(input, count)
  if (count === 0 || fillZset(input, set, count) !== undefined) return undefined
  return set.size === count ? { type: 'zset', set } : undefined
}

/**
 * How many elements follow; also 0 if the count has not arrived, or is more than can be held or has
 * arrived.
 */
function takeCount(input: RdbInput, most: number): number {
  const count = input.takeLength() ?? 0
  // Each element takes a byte at least: a value that cannot have arrived completely is not begun.
  return count <= Math.min(most, input.unreadBytes) ? count : 0
}

function takePacked(input: RdbInput, decode: Decode): string[] | undefined {
  const blob = input.takeString()
  return blob === undefined ? undefined : decode(blob)
}

function packedSet(items: readonly string[] | undefined): SetValue | undefined {
  if (items === undefined || items.length === 0) return undefined
  const members = membersOf(items)
  return typeof members === 'string' ? undefined : { type: 'set', members }
}

function packedHash(items: readonly string[] | undefined): HashValue | undefined {
  if (items === undefined || items.length === 0) return undefined
  const fields = fieldsOf(items)
  return typeof fields === 'string' ? undefined : { type: 'hash', fields }
}

function packedZset(items: readonly string[] | undefined): ZsetValue | undefined {
  if (items === undefined || items.length === 0) return undefined
  const set = scoresOf(items)
  return typeof set === 'string' ? undefined : { type: 'zset', set }
}
