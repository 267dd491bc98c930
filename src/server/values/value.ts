/**
 * What a key can hold. One variant per Redis type. All texts are byte strings. How a value is packed in memory is not a value's business: OBJECT ENCODING
 * names what Redis would have chosen.
 */
import { unreachable } from '../../base/assert.ts'
import { Deque } from './deque.ts'
import type { Sampler } from './sampler.ts'
import type { SortedSet } from './sorted-set.ts'
import type { Stream } from './stream.ts'

interface StringValue {
  readonly type: 'string'
  bytes: string
}

export interface ListValue {
  readonly type: 'list'
  items: Deque
}

/** A Set, or what stands in for it while a snapshot reads it (kept-set.ts). */
export interface Members extends Iterable<string> {
  readonly size: number
  has(member: string): boolean
  add(member: string): unknown
  /** Whether it was there. */
  delete(member: string): boolean
  keys(): IterableIterator<string>
  values(): IterableIterator<string>
}

export interface SetValue {
  readonly type: 'set'
  members: Members
  /** Made by the first random draw from a large set, and kept in step from then on. */
  sampler?: Sampler
}

/** A Map, or what stands in for it while a snapshot reads it (kept-map.ts). */
export interface Fields extends Iterable<[field: string, value: string]> {
  readonly size: number
  has(field: string): boolean
  get(field: string): string | undefined
  set(field: string, value: string): unknown
  /** Whether it was there. */
  delete(field: string): boolean
  keys(): IterableIterator<string>
  values(): IterableIterator<string>
}

export interface HashValue {
  readonly type: 'hash'
  fields: Fields
  sampler?: Sampler
}

export interface ZsetValue {
  readonly type: 'zset'
  set: SortedSet
}

export interface StreamValue {
  readonly type: 'stream'
  stream: Stream
}

export type Value = StringValue | ListValue | SetValue | HashValue | ZsetValue | StreamValue

/** A value that shares nothing with the original, as COPY needs it. */
export function copyValue(value: Value): Value {
  switch (value.type) {
    case 'string':
      return { type: 'string', bytes: value.bytes }
    case 'list':
      return { type: 'list', items: new Deque(value.items) }
    case 'set':
      return { type: 'set', members: new Set(value.members) }
    case 'hash':
      return { type: 'hash', fields: new Map(value.fields) }
    case 'zset':
      return { type: 'zset', set: value.set.copy() }
    case 'stream':
      return { type: 'stream', stream: value.stream.copy() }
    default:
      return unreachable(value)
  }
}
