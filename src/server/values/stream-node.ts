/**
 * A run of a stream's entries. Redis packs entries into nodes and removes only whole nodes when a command
 * says to trim approximately (`~`), so what such a command removes depends on where nodes begin and how
 * large they are. We count as Redis does: in the bytes and the entries its node would have, deleted ones
 * included, since it only marks those.
 *
 * The entries of a node share a few arrays: an object for each of them would take as much memory again, and
 * all of that would be copied by the collections of garbage after its XADD.
 */

import {
  LISTPACK_FRAME_BYTES,
  type ListpackElement,
  listpackBytesOf,
} from '../rdb/listpack-writer.ts'
import { arrayBytes, BOXED_BYTES, grownCapacity, objectBytes, textBytes } from './engine-sizes.ts'
import { difference, idMs, idSeq, type StreamId, type Uint64 } from './stream-id.ts'

export interface StreamEntry {
  readonly id: StreamId
  /** Field, value, field, value … with at least one pair. */
  readonly pairs: readonly string[]
}

/** [stream-node-max-bytes], [stream-node-max-entries]; 0 entries means no limit. */
export interface NodeLimits {
  readonly maxBytes: number
  readonly maxEntries: number
}

/** The milliseconds are too many for a pointer's place. */
const OWN_BYTES = objectBytes(13) + textBytes(16) + BOXED_BYTES
const ID_BYTES = textBytes(16)

/** Marks an entry with the fields of the first one: only its values follow. */
const SAME_FIELDS = 2
const OTHER_FIELDS = 0

export class StreamNode {
  /** The id of the first entry ever added here: the others are written relative to it. */
  readonly masterId: StreamId
  readonly #masterMs: Uint64
  readonly #masterSeq: Uint64
  /** The fields of that entry; entries with the same fields are kept without them. */
  readonly fields: readonly string[]
  /** What those take in memory, with the array they stand in. */
  readonly #fieldsBytes: number
  /** Of the entries that are not deleted, ascending. */
  #ids: StreamId[] = []
  /** Of one entry after the other: its values, or its fields and values if it has other fields than the first. */
  #texts: string[] = []
  /** What the texts take in memory, apart from fields that are the node's. */
  #textsBytes = 0
  /**
   * Where in the texts each entry begins, and for one with other fields the complement of that. Undefined: all have
   * the same fields.
   */
  #starts: number[] | undefined
  /** A node from an older era than its stream's may have another reader. */
  era = 0
  /** The id added last, deleted or not. After XSETID it need not be the greatest. */
  lastId: StreamId
  #deleted = 0
  /** The size of Redis' node, without the two counters in front. */
  #bytes: number

  constructor(masterId: StreamId, fields: readonly string[]) {
    this.masterId = masterId
    this.#masterMs = idMs(masterId)
    this.#masterSeq = idSeq(masterId)
    this.lastId = masterId
    this.fields = fields
    this.#fieldsBytes = arrayBytes(fields.length) + sumOf(fields, ({ length }) => textBytes(length))
    const fixed = [fields.length, ...fields, 0]
    this.#bytes = LISTPACK_FRAME_BYTES + sumOf(fixed, listpackBytesOf)
  }

  /** How many entries there are that are not deleted. */
  get length(): number {
    return this.#ids.length
  }

  get firstId(): StreamId {
    return this.#ids[0] as StreamId
  }

  /** How many entries were deleted and still count. */
  get deletedCount(): number {
    return this.#deleted
  }

  /** How many bytes Redis would need for the node, including deleted entries. */
  get bytes(): number {
    return this.#bytes + listpackBytesOf(this.length) + listpackBytesOf(this.#deleted)
  }

  /** What the node takes in memory. */
  get heapBytes(): number {
    const texts = arrayBytes(grownCapacity(this.#texts.length)) + this.#textsBytes
    const ids = arrayBytes(grownCapacity(this.length)) + ID_BYTES * this.length
    const starts = this.#starts === undefined ? 0 : arrayBytes(grownCapacity(this.length))
    return OWN_BYTES + this.#fieldsBytes + texts + ids + starts
  }

  /** Whether there is room for an entry whose fields and values have `bytes` in all. */
  hasRoomFor(bytes: number, { maxBytes, maxEntries }: NodeLimits): boolean {
    if (this.bytes + bytes >= maxBytes) return false
    return maxEntries === 0 || this.length + this.#deleted < maxEntries
  }

  /** The id of the entry at this index; undefined beyond the end. */
  idAt(at: number): StreamId | undefined {
    return this.#ids[at]
  }

  /** The entry at this index, which must exist. */
  entryAt(at: number): StreamEntry {
    const id = this.#ids[at] as StreamId
    const start = this.#startOf(at)
    if (this.#hasOtherFields(at))
      return { id, pairs: this.#texts.slice(start, this.#startOf(at + 1)) }
    const { fields } = this
    // An array that grows by itself would take the room of sixteen.
    const pairs = new Array<string>(2 * fields.length)
    for (let n = 0; n < fields.length; n++) {
      pairs[2 * n] = fields[n] as string
      pairs[2 * n + 1] = this.#texts[start + n] as string
    }
    return { id, pairs }
  }

  /** Adds an entry; its id must be greater than all others here. */
  append(id: StreamId, pairs: readonly string[]): void {
    const isSame = hasFields(pairs, this.fields)
    if (!isSame) this.#starts ??= this.#ids.map((_, at) => at * this.fields.length)
    this.#starts?.push(isSame ? this.#texts.length : ~this.#texts.length)
    this.#ids.push(id)
    this.lastId = id
    this.#bytes += this.#listpackFrame(id, pairs, isSame)
    for (let at = isSame ? 1 : 0; at < pairs.length; at += isSame ? 2 : 1) this.#keep(pairs, at)
  }

  /** Where the entry with the id is, or would be inserted. */
  placeOf(id: StreamId): number {
    let from = 0
    let to = this.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#ids[middle] as StreamId) < id) from = middle + 1
      else to = middle
    }
    return from
  }

  /** Deletes `count` entries from index `at` on. They still count. */
  remove(at: number, count: number): void {
    const [start, end] = [this.#startOf(at), this.#startOf(at + count)]
    for (let place = at; place < at + count; place++) this.#textsBytes -= this.#textsBytesOf(place)
    this.#ids.splice(at, count)
    this.#texts.splice(start, end - start)
    this.#deleted += count
    if (this.#starts === undefined) return
    this.#starts.splice(at, count)
    const shift = (begin: number) => (begin < 0 ? begin + end - start : begin - end + start)
    this.#starts = this.#starts.map((begin, place) => (place < at ? begin : shift(begin)))
  }

  /** Shares nothing that changes. */
  copy(): StreamNode {
    const copy = new StreamNode(this.masterId, this.fields)
    copy.#ids = this.#ids.slice()
    copy.#texts = this.#texts.slice()
    copy.#textsBytes = this.#textsBytes
    copy.#starts = this.#starts?.slice()
    copy.lastId = this.lastId
    copy.#deleted = this.#deleted
    copy.#bytes = this.#bytes
    return copy
  }

  /** The entry at this index as the elements of the node's listpack. */
  elementsAt(at: number): ListpackElement[] {
    const id = this.#ids[at] as StreamId
    const isSame = !this.#hasOtherFields(at)
    const texts = this.#texts.slice(this.#startOf(at), this.#startOf(at + 1))
    const count = isSame ? [] : [texts.length / 2]
    const front = [
      isSame ? SAME_FIELDS : OTHER_FIELDS,
      this.#msAhead(id),
      this.#seqAhead(id),
      ...count,
    ]
    return [...front, ...texts, front.length + texts.length]
  }

  /** By how much the milliseconds of an id are more than those of the master id. */
  #msAhead(id: StreamId): number | bigint {
    return difference(idMs(id), this.#masterMs)
  }

  /** The same for the sequence number; may be negative. */
  #seqAhead(id: StreamId): number | bigint {
    return difference(idSeq(id), this.#masterSeq)
  }

  /** The bytes of an entry's elements besides its texts. */
  #listpackFrame(id: StreamId, pairs: readonly string[], isSame: boolean): number {
    const ids = listpackBytesOf(this.#msAhead(id)) + listpackBytesOf(this.#seqAhead(id))
    const half = pairs.length / 2
    if (isSame) return listpackBytesOf(SAME_FIELDS) + ids + listpackBytesOf(3 + half)
    const counts = listpackBytesOf(half) + listpackBytesOf(4 + pairs.length)
    return listpackBytesOf(OTHER_FIELDS) + ids + counts
  }

  /** Every request brings new copies of its field names; one copy is enough. */
  #keep(pairs: readonly string[], at: number): void {
    const text = pairs[at] as string
    const isShared = this.#isShared(text, at)
    this.#texts.push(isShared ? (this.fields[at / 2] as string) : text)
    if (!isShared) this.#textsBytes += textBytes(text.length)
    this.#bytes += listpackBytesOf(text)
  }

  /** `at`: among the fields and values of an entry. */
  #isShared(text: string, at: number): boolean {
    return at % 2 === 0 && this.fields[at / 2] === text
  }

  #textsBytesOf(place: number): number {
    const { pairs } = this.entryAt(place)
    return pairs.reduce(
      (bytes, text, at) => (this.#isShared(text, at) ? bytes : bytes + textBytes(text.length)),
      0,
    )
  }

  #startOf(at: number): number {
    if (this.#starts === undefined) return at * this.fields.length
    const start = this.#starts[at] ?? this.#texts.length
    return start < 0 ? ~start : start
  }

  #hasOtherFields(at: number): boolean {
    return (this.#starts?.[at] ?? 0) < 0
  }
}

function hasFields(pairs: readonly string[], fields: readonly string[]): boolean {
  if (pairs.length !== 2 * fields.length) return false
  for (let at = 0; at < fields.length; at++) if (pairs[2 * at] !== fields[at]) return false
  return true
}

function sumOf<Item>(items: readonly Item[], size: (item: Item) => number): number {
  return items.reduce((bytes, item) => bytes + size(item), 0)
}
