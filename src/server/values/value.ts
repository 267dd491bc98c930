/**
 * What a key can hold. One variant per Redis type. All texts are byte strings. A value does not say how it is
 * packed in memory: OBJECT ENCODING names the encoding that Redis would have chosen.
 */
import { unreachable } from '../../base/assert.ts'
import { CountedFields, CountedMembers } from './counted.ts'
import type { Deadlines } from './deadlines.ts'
import type { Deque } from './deque.ts'
import type { Sampler } from './sampler.ts'
import type { SortedSet } from './sorted-set.ts'
import type { StreamEntries } from './stream.ts'

/** See long-string.ts for strings that are changed in place. */
export interface StringValue {
  readonly type: 'string'
  bytes: string
}

/**
 * A string that Redis keeps as text even if it reads like a number, because a command put it together:
 * APPEND, SETRANGE, SETBIT (`isRaw`: apart from its header, however short), or INCRBYFLOAT.
 */
export class TextString implements StringValue {
  readonly type = 'string'
  bytes: string
  readonly isRaw: boolean

  constructor(bytes: string, isRaw: boolean) {
    this.bytes = bytes
    this.isRaw = isRaw
  }
}

const PLAIN = Object.prototype

/** Whether it is a string that is neither a `TextString` nor a `LongString`. */
export function isPlainString(value: Value): value is StringValue {
  return value.type === 'string' && Object.getPrototypeOf(value) === PLAIN
}

export interface ListValue {
  readonly type: 'list'
  items: Deque
}

/** What the elements of a hash or a set stand in. */
interface Elements {
  readonly size: number
  /** What they take in memory, without the table they stand in. */
  readonly contentBytes: number
  /** What the table takes; undefined: it is one of the engine's (engine-sizes.ts). */
  readonly tableBytes?: number | undefined
  /** It is a table of keys: see scan.ts. */
  readonly isTable?: boolean | undefined
  /** A random element, each equally likely; undefined if there is no quick way. */
  draw?(below: (bound: number) => number): string | undefined
}

/** A counted Set, a table (large.ts), or the replacement of either while a snapshot reads it (kept-map.ts). */
export interface SetMembers extends Elements, Iterable<string> {
  /** Shares nothing with the original. Without it one has to be made from the elements. */
  copy?(): SetMembers
  has(member: string): boolean
  add(member: string): unknown
  /** Returns whether the member was there. */
  delete(member: string): boolean
  keys(): IterableIterator<string>
  values(): IterableIterator<string>
}

export interface SetValue {
  readonly type: 'set'
  members: SetMembers
  /** Created by the first random draw from a large set, and kept up to date from then on. */
  sampler?: Sampler
}

/** The same for fields, with a Map. */
export interface HashFields extends Elements, Iterable<[field: string, value: string]> {
  copy?(): HashFields
  has(field: string): boolean
  get(field: string): string | undefined
  set(field: string, value: string): unknown
  /** Returns whether the field was there. */
  delete(field: string): boolean
  keys(): IterableIterator<string>
  values(): IterableIterator<string>
}

export interface HashValue {
  readonly type: 'hash'
  fields: HashFields
  /** When fields expire that do so by themselves; undefined: none does. */
  expiries?: Deadlines | undefined
  sampler?: Sampler
}

export interface ZsetValue {
  readonly type: 'zset'
  set: SortedSet
}

export interface StreamValue {
  readonly type: 'stream'
  stream: StreamEntries
}

export type Value = StringValue | ListValue | SetValue | HashValue | ZsetValue | StreamValue

function copyString(value: StringValue): StringValue {
  if (value instanceof TextString) return new TextString(value.bytes, value.isRaw)
  return { type: 'string', bytes: value.bytes }
}

function copyHash({ fields, expiries }: HashValue): HashValue {
  const copy: HashValue = { type: 'hash', fields: fields.copy?.() ?? new CountedFields(fields) }
  if (expiries !== undefined) copy.expiries = expiries.copy()
  return copy
}

/** A value that shares nothing with the original, for COPY. */
export function copyValue(value: Value): Value {
  switch (value.type) {
    case 'string':
      return copyString(value)
    case 'list':
      return { type: 'list', items: value.items.copy() }
    case 'set':
      return { type: 'set', members: value.members.copy?.() ?? new CountedMembers(value.members) }
    case 'hash':
      return copyHash(value)
    case 'zset':
      return { type: 'zset', set: value.set.copy() }
    case 'stream':
      return { type: 'stream', stream: value.stream.copy() }
    default:
      return unreachable(value)
  }
}
