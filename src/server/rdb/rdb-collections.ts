/**
 * Lists, sets and hashes of an RDB payload. The plain forms go straight into the value as they arrive: a
 * count is only believed as far as bytes arrive for it, and nothing is held twice.
 *
 * `fill…` and `…Of` use what has arrived and return; the generators wait for the rest. rdb-take.ts uses
 * only the former.
 */
import { CountedFields, CountedMembers } from '../values/counted.ts'
import { Deque } from '../values/deque.ts'
import { LARGE, TableFields, TableMembers } from '../values/large.ts'
import { SortedSet } from '../values/sorted-set.ts'
import type { HashFields, HashValue, ListValue, SetMembers, SetValue } from '../values/value.ts'
import { readIntset, readListpack, readZiplist, readZipmap } from './packed.ts'
import { TYPE } from './rdb-format.ts'
import { damage, type Parse, type RdbInput } from './rdb-input.ts'

/** The most elements that the engine's Map or Set can hold; one more and it throws. */
const MAX_IN_MAP = 2 ** 24
/** What a table of keys can hold with ease. */
const MAX_IN_TABLE = 2 ** 28
/** Beyond this, the engine turns arrays into something far slower. */
export const MAX_ELEMENTS = 2 ** 25

/** Such a node of a list has one large element instead of several packed ones. */
const PLAIN_NODE = 1
export const PACKED_NODE = 2

export type Decode = (blob: string) => string[] | undefined

export function* readList(input: RdbInput, type: number): Parse<ListValue | undefined> {
  const items = new Deque()
  if (type === TYPE.list) yield* plainList(input, items)
  else if (type === TYPE.listZiplist) append(items, yield* packed(input, 'ziplist', readZiplist))
  else yield* quicklist(input, items, type === TYPE.listQuicklist ? packedNode : anyNode)
  return items.length === 0 ? undefined : { type: 'list', items }
}

export function* readSet(input: RdbInput, type: number): Parse<SetValue | undefined> {
  if (type === TYPE.set) return yield* plainSet(input)
  const items =
    type === TYPE.setIntset
      ? yield* packed(input, 'intset', readIntset)
      : yield* packed(input, 'listpack', readListpack)
  const members = membersOf(items)
  if (typeof members === 'string') return yield* damage(members)
  return members.size === 0 ? undefined : { type: 'set', members }
}

export function* readHash(input: RdbInput, type: number): Parse<HashValue | undefined> {
  switch (type) {
    case TYPE.hash:
      return yield* plainHash(input)
    case TYPE.hashZipmap:
      return yield* hashOf(yield* packed(input, 'zipmap', readZipmap))
    case TYPE.hashZiplist:
      return yield* hashOf(yield* packed(input, 'ziplist', readZiplist))
    default:
      return yield* hashOf(yield* packed(input, 'listpack', readListpack))
  }
}

export function maxMembers({ hash }: RdbInput): number {
  return hash === undefined ? MAX_IN_MAP : MAX_IN_TABLE
}

/** For so many members that are to come. */
export function newMembers({ hash }: RdbInput, count: number): SetMembers {
  return hash !== undefined && count > LARGE ? new TableMembers(hash) : new CountedMembers()
}

export function newFields({ hash }: RdbInput, count: number): HashFields {
  return hash !== undefined && count > LARGE ? new TableFields(hash) : new CountedFields()
}

export function newSortedSet({ hash }: RdbInput, count: number): SortedSet {
  const set = new SortedSet()
  if (hash !== undefined && count > LARGE) set.enlarge(hash)
  return set
}

/** How many members follow; more than can be held is damage. */
export function* readCount(input: RdbInput, most = maxMembers(input)): Parse<number> {
  const count = yield* input.length()
  return count <= most ? count : yield* damage(`${count} members are more than this node can hold`)
}

export function* packed(input: RdbInput, form: string, decode: Decode): Parse<string[]> {
  const items = decode(input.takeString() ?? (yield* input.string()))
  return items ?? (yield* damage(`a damaged ${form}`))
}

/** From alternating fields and values. */
export function* hashOf(items: readonly string[]): Parse<HashValue | undefined> {
  const fields = fieldsOf(items)
  if (typeof fields === 'string') return yield* damage(fields)
  return fields.size === 0 ? undefined : { type: 'hash', fields }
}

/** The members, or what is wrong with them. */
export function membersOf(items: readonly string[]): CountedMembers | string {
  const members = new CountedMembers(items)
  return members.size === items.length ? members : TWICE_IN_SET
}

/** From alternating fields and values; or what is wrong with them. */
export function fieldsOf(items: readonly string[]): CountedFields | string {
  if (items.length % 2 !== 0) return 'a hash with a field without a value'
  const fields = new CountedFields()
  for (let at = 0; at < items.length; at += 2) {
    fields.set(items[at] as string, items[at + 1] as string)
  }
  return 2 * fields.size === items.length ? fields : TWICE_IN_HASH
}

export function append(list: Deque, items: readonly string[]): void {
  for (const item of items) list.pushRight(item)
}

/** Takes as many of `left` elements as have arrived; returns how many have not. */
export function fillList(input: RdbInput, items: Deque, left: number): number {
  for (let missing = left; missing > 0; missing--) {
    const item = input.takeString()
    if (item === undefined) return missing
    items.pushRight(item)
  }
  return 0
}

/** The same for members. */
export function fillSet(input: RdbInput, members: SetMembers, left: number): number {
  for (let missing = left; missing > 0; missing--) {
    const member = input.takeString()
    if (member === undefined) return missing
    members.add(member)
  }
  return 0
}

/** The same for fields with their values: a field whose value has not arrived is not taken. */
export function fillHash(input: RdbInput, fields: HashFields, left: number): number {
  for (let missing = left; missing > 0; missing--) {
    const { mark } = input
    const field = input.takeString()
    if (field === undefined) return missing
    const value = input.takeString()
    if (value === undefined) {
      input.back(mark)
      return missing
    }
    fields.set(field, value)
  }
  return 0
}

function* plainList(input: RdbInput, items: Deque): Parse<void> {
  for (let left = yield* readCount(input, MAX_ELEMENTS); left > 0; left--) {
    left = fillList(input, items, left)
    if (left > 0) items.pushRight(yield* input.string())
  }
}

function* plainSet(input: RdbInput): Parse<SetValue | undefined> {
  const count = yield* readCount(input)
  const members = newMembers(input, count)
  for (let left = count; left > 0; left--) {
    left = fillSet(input, members, left)
    if (left > 0) members.add(yield* input.string())
  }
  if (members.size !== count) return yield* damage(TWICE_IN_SET)
  return count === 0 ? undefined : { type: 'set', members }
}

function* plainHash(input: RdbInput): Parse<HashValue | undefined> {
  const count = yield* readCount(input)
  const fields = newFields(input, count)
  for (let left = count; left > 0; left--) {
    left = fillHash(input, fields, left)
    if (left > 0) fields.set(yield* input.string(), yield* input.string())
  }
  if (fields.size !== count) return yield* damage(TWICE_IN_HASH)
  return count === 0 ? undefined : { type: 'hash', fields }
}

function* quicklist(
  input: RdbInput,
  items: Deque,
  readNode: (input: RdbInput) => Parse<string[]>,
): Parse<void> {
  let nodes = yield* input.length()
  for (; nodes > 0; nodes--) {
    append(items, yield* readNode(input))
    if (items.length > MAX_ELEMENTS) yield* damage('a list longer than this node can hold')
  }
}

function packedNode(input: RdbInput): Parse<string[]> {
  return packed(input, 'ziplist', readZiplist)
}

function* anyNode(input: RdbInput): Parse<string[]> {
  const container = yield* input.length()
  if (container === PACKED_NODE) return yield* packed(input, 'listpack', readListpack)
  if (container !== PLAIN_NODE) return yield* damage(`unknown list container ${container}`)
  const item = yield* input.string()
  return item === '' ? yield* damage('an empty list node') : [item]
}

const TWICE_IN_SET = 'a set with a member twice'
const TWICE_IN_HASH = 'a hash with a field twice'
