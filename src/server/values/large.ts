/**
 * Hashes, sets and sorted sets of many elements. A Map or a Set of the engine copies all of itself when it doubles: at two
 * million elements a node would stand still for a tenth of a second. So beyond a certain size elements
 * stand in a table of keys (key-table/key-table.ts), which grows in small steps, finds an element with fewer reads of memory,
 * and can draw one at random. It does not become small again.
 */
import type { KeyHash } from '../key-table/key-hash.ts'
import { KeyTable } from '../key-table/key-table.ts'
import { CountedFields, CountedMembers } from './counted.ts'
import { textBytes } from './engine-sizes.ts'
import { type Scored, SortedSet } from './sorted-set.ts'
import type { HashFields, SetMembers, Value } from './value.ts'

/** With more elements a collection is large. To put so many into a table takes about a millisecond. */
export const LARGE = 8192

/** Gives a collection that has become large a table. The value must not be read meanwhile as it was before. */
export function enlarge(value: Value, hash: KeyHash): void {
  if (value.type === 'set') {
    const { members } = value
    if (members.size > LARGE && members instanceof CountedMembers)
      value.members = new TableMembers(hash, members)
  } else if (value.type === 'hash') {
    const { fields } = value
    if (fields.size > LARGE && fields instanceof CountedFields)
      value.fields = new TableFields(hash, fields)
  } else if (value.type === 'zset' && value.set.size > LARGE) value.set.enlarge(hash)
}

/** The table of the elements; undefined: the value is no large collection, or a snapshot reads it. */
export function tableIn(value: Value): KeyTable<unknown> | undefined {
  if (value.type === 'zset') return value.set.table
  if (value.type === 'set' && value.members instanceof TableMembers) return value.members.table
  if (value.type === 'hash' && value.fields instanceof TableFields) return value.fields.table
  return undefined
}

/** A set of these; some may come more than once. */
export function membersOf(members: Iterable<string>, hash: KeyHash): SetMembers {
  let set: SetMembers = new CountedMembers()
  for (const member of members) {
    set.add(member)
    if (set.size > LARGE && set instanceof CountedMembers) set = new TableMembers(hash, set)
  }
  return set
}

/** A sorted set of these. */
export function sortedSetOf(pairs: Iterable<Scored>, hash: KeyHash): SortedSet {
  const set = new SortedSet()
  for (const [member, score] of pairs) {
    set.set(member, score)
    if (set.size === LARGE + 1) set.enlarge(hash)
  }
  return set
}

/** What both have in common. */
class TableElements<V> {
  readonly isTable = true
  readonly table: KeyTable<V>
  contentBytes = 0

  constructor(table: KeyTable<V>) {
    this.table = table
  }

  get size(): number {
    return this.table.size
  }

  get tableBytes(): number {
    return this.table.heapBytes
  }

  has(key: string): boolean {
    return this.table.has(key)
  }

  keys(): IterableIterator<string> {
    return this.table.keys()
  }

  draw(below: (bound: number) => number): string | undefined {
    return this.table.draw(below)
  }
}

export class TableFields extends TableElements<string> implements HashFields {
  constructor(
    hash: KeyHash,
    pairs: Iterable<readonly [field: string, value: string]> = [],
    table = new KeyTable<string>(hash),
  ) {
    super(table)
    for (const [field, value] of pairs) this.set(field, value)
  }

  copy(): TableFields {
    const copy = new TableFields(this.table.hash, [], this.table.copy())
    copy.contentBytes = this.contentBytes
    return copy
  }

  get(field: string): string | undefined {
    return this.table.get(field)
  }

  set(field: string, value: string): void {
    const old = this.table.exchange(field, value)
    const gone = old === undefined ? -textBytes(field.length) : textBytes(old.length)
    this.contentBytes += textBytes(value.length) - gone
  }

  delete(field: string): boolean {
    const old = this.table.take(field)
    if (old === undefined) return false
    this.contentBytes -= textBytes(field.length) + textBytes(old.length)
    return true
  }

  values(): IterableIterator<string> {
    return this.table.values()
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.table.entries()
  }
}

export class TableMembers extends TableElements<true> implements SetMembers {
  constructor(hash: KeyHash, members: Iterable<string> = [], table = new KeyTable<true>(hash)) {
    super(table)
    for (const member of members) this.add(member)
  }

  copy(): TableMembers {
    const copy = new TableMembers(this.table.hash, [], this.table.copy())
    copy.contentBytes = this.contentBytes
    return copy
  }

  add(member: string): void {
    if (this.table.add(member, true)) this.contentBytes += textBytes(member.length)
  }

  delete(member: string): boolean {
    if (!this.table.delete(member)) return false
    this.contentBytes -= textBytes(member.length)
    return true
  }

  values(): IterableIterator<string> {
    return this.table.keys()
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.table.keys()
  }
}
