/**
 * A run of a stream's entries. Redis packs entries into nodes and removes only whole nodes when a command
 * says to trim approximately (`~`), so what such a command removes depends on where nodes begin and how
 * large they are. We keep entries unpacked, but count as Redis does: in the bytes and the entries its
 * node would have, deleted ones included, since it only marks those.
 */

import {
  LISTPACK_FRAME_BYTES,
  type ListpackElement,
  listpackBytesOf,
} from '../rdb/listpack-writer.ts'
import { arrayBytes, grownCapacity, objectBytes, textBytes } from './engine-sizes.ts'
import { difference, idMs, idSeq, type StreamId } from './stream-id.ts'

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

const OWN_BYTES = objectBytes(9) + textBytes(16)
/** An entry with its id, and the array of its fields and values. */
const ENTRY_BYTES = objectBytes(2) + textBytes(16) + arrayBytes(0)
const PLACE_BYTES = 8

/** Marks an entry with the fields of the first one: only its values follow. */
const SAME_FIELDS = 2
const OTHER_FIELDS = 0

export class StreamNode {
  /** The id of the first entry ever added here: the others are written relative to it. */
  readonly masterId: StreamId
  /** The fields of that entry; entries with the same fields are written without them. */
  readonly fields: readonly string[]
  /** What those take in memory, with the array they stand in. */
  readonly #fieldsBytes: number
  /** What the entries take in memory, without the array they stand in. */
  #entriesBytes = 0
  /** The entries that are not deleted, ascending. */
  readonly entries: StreamEntry[] = []
  /** A node from an older era than its stream's may have another reader. */
  era = 0
  /** The id added last, deleted or not. After XSETID it need not be the greatest. */
  lastId: StreamId
  #deleted = 0
  /** The size of Redis' node, without the two counters in front. */
  #bytes: number

  constructor(masterId: StreamId, fields: readonly string[]) {
    this.masterId = masterId
    this.lastId = masterId
    this.fields = fields
    this.#fieldsBytes = arrayBytes(fields.length) + sumOf(fields, ({ length }) => textBytes(length))
    const fixed = [fields.length, ...fields, 0]
    this.#bytes = LISTPACK_FRAME_BYTES + sumOf(fixed, listpackBytesOf)
  }

  get firstId(): StreamId {
    return (this.entries[0] as StreamEntry).id
  }

  /** How many entries were deleted and still count. */
  get deletedCount(): number {
    return this.#deleted
  }

  /** How many bytes Redis would need for the node, including deleted entries. */
  get bytes(): number {
    return this.#bytes + listpackBytesOf(this.entries.length) + listpackBytesOf(this.#deleted)
  }

  /** What the node takes in memory. */
  get heapBytes(): number {
    const places = arrayBytes(grownCapacity(this.entries.length))
    return OWN_BYTES + this.#fieldsBytes + places + this.#entriesBytes
  }

  /** Whether there is room for an entry whose fields and values have `bytes` in all. */
  hasRoomFor(bytes: number, { maxBytes, maxEntries }: NodeLimits): boolean {
    if (this.bytes + bytes >= maxBytes) return false
    return maxEntries === 0 || this.entries.length + this.#deleted < maxEntries
  }

  /** Adds an entry; its id must be greater than all others here. */
  append(id: StreamId, pairs: readonly string[]): void {
    const entry = { id, pairs: this.#withSharedNames(pairs) }
    this.entries.push(entry)
    this.#entriesBytes += this.#bytesOf(entry)
    this.lastId = id
    eachElement(this, entry, (element) => {
      this.#bytes += listpackBytesOf(element)
    })
  }

  /** Where the entry with the id is, or would be inserted. */
  placeOf(id: StreamId): number {
    let from = 0
    let to = this.entries.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.entries[middle] as StreamEntry).id < id) from = middle + 1
      else to = middle
    }
    return from
  }

  /** Deletes `count` entries from index `at` on. They still count. */
  remove(at: number, count: number): void {
    for (const entry of this.entries.splice(at, count)) this.#entriesBytes -= this.#bytesOf(entry)
    this.#deleted += count
  }

  /** Shares nothing that changes. */
  copy(): StreamNode {
    const copy = new StreamNode(this.masterId, this.fields)
    for (const entry of this.entries) copy.entries.push(entry)
    copy.lastId = this.lastId
    copy.#deleted = this.#deleted
    copy.#bytes = this.#bytes
    copy.#entriesBytes = this.#entriesBytes
    return copy
  }

  /** Field names that are the node's are not counted again. */
  #bytesOf({ pairs }: StreamEntry): number {
    let bytes = ENTRY_BYTES + PLACE_BYTES * pairs.length
    for (let at = 0; at < pairs.length; at++) {
      const text = pairs[at] as string
      const isShared = at % 2 === 0 && this.fields[at / 2] === text
      if (!isShared) bytes += textBytes(text.length)
    }
    return bytes
  }

  /** Every request brings new copies of its field names; one copy is enough. */
  #withSharedNames(pairs: readonly string[]): readonly string[] {
    return pairs.map((text, at) => {
      const name = at % 2 === 0 ? this.fields[at / 2] : undefined
      return name === text ? name : text
    })
  }
}

/** An entry as the elements of the node's listpack. */
export function elementsOf(node: StreamNode, entry: StreamEntry): ListpackElement[] {
  const elements: ListpackElement[] = []
  eachElement(node, entry, (element) => elements.push(element))
  return elements
}

/** Every XADD asks how many bytes they have: for that they need no array. */
function eachElement(
  node: StreamNode,
  { id, pairs }: StreamEntry,
  take: (element: ListpackElement) => void,
): void {
  const isSame = hasFields(pairs, node.fields)
  take(isSame ? SAME_FIELDS : OTHER_FIELDS)
  take(difference(idMs(id), idMs(node.masterId)))
  take(difference(idSeq(id), idSeq(node.masterId)))
  if (!isSame) take(pairs.length / 2)
  for (let at = isSame ? 1 : 0; at < pairs.length; at += isSame ? 2 : 1) take(pairs[at] as string)
  take(isSame ? 3 + pairs.length / 2 : 4 + pairs.length)
}

function hasFields(pairs: readonly string[], fields: readonly string[]): boolean {
  if (pairs.length !== 2 * fields.length) return false
  return fields.every((field, at) => pairs[2 * at] === field)
}

function sumOf<Item>(items: readonly Item[], size: (item: Item) => number): number {
  return items.reduce((bytes, item) => bytes + size(item), 0)
}
