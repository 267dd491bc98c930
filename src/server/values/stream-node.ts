/**
 * A run of a stream's entries. Redis packs entries into nodes and trims whole nodes when it is asked to
 * trim about, so what such a command removes depends on where nodes begin and how large they are. We keep
 * entries unpacked, but count as Redis does: in the bytes and the entries its node would have, deleted
 * ones included, since it only marks those.
 */

import {
  LISTPACK_FRAME_BYTES,
  type ListpackElement,
  listpackBytesOf,
} from '../rdb/listpack-writer.ts'
import { difference, idMs, idSeq, type StreamId } from './stream-id.ts'

export interface StreamEntry {
  readonly id: StreamId
  /** Field, value, field, value … at least one pair. */
  readonly pairs: readonly string[]
}

/** [stream-node-max-bytes], [stream-node-max-entries]; 0 entries: no limit. */
export interface NodeLimits {
  readonly maxBytes: number
  readonly maxEntries: number
}

/** Of an entry with the fields of the first one: only its values follow. */
const SAME_FIELDS = 2
const OTHER_FIELDS = 0

export class StreamNode {
  /** The id of the first entry ever put here: the others are written relative to it. */
  readonly masterId: StreamId
  /** Of that entry; others that have the same are written without theirs. */
  readonly fields: readonly string[]
  /** Those that are not deleted, ascending. */
  readonly entries: StreamEntry[] = []
  /** A node of an older era than its stream's may be read by somebody else. */
  era = 0
  /** The id put here last, be it deleted or not. After XSETID it need not be the greatest. */
  lastId: StreamId
  #deleted = 0
  /** What Redis' node takes, but for the two counters in front. */
  #bytes: number

  constructor(masterId: StreamId, fields: readonly string[]) {
    this.masterId = masterId
    this.lastId = masterId
    this.fields = fields
    const fixed = [fields.length, ...fields, 0]
    this.#bytes = LISTPACK_FRAME_BYTES + sum(fixed)
  }

  get firstId(): StreamId {
    return (this.entries[0] as StreamEntry).id
  }

  /** How many entries were removed and still count. */
  get deletedCount(): number {
    return this.#deleted
  }

  /** What Redis would need to hold the node, deleted entries included. */
  get bytes(): number {
    return this.#bytes + listpackBytesOf(this.entries.length) + listpackBytesOf(this.#deleted)
  }

  /** Whether there is room for an entry whose fields and values have `bytes` in all. */
  hasRoomFor(bytes: number, { maxBytes, maxEntries }: NodeLimits): boolean {
    if (this.bytes + bytes >= maxBytes) return false
    return maxEntries === 0 || this.entries.length + this.#deleted < maxEntries
  }

  /** Its id is greater than all here. */
  append(id: StreamId, pairs: readonly string[]): void {
    const entry = { id, pairs: this.#withSharedNames(pairs) }
    this.entries.push(entry)
    this.lastId = id
    this.#bytes += sum(elementsOf(this, entry))
  }

  /** Where the entry with the id is, or would be. */
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

  /** Deletes `count` entries from place `at` on. They still take their room. */
  remove(at: number, count: number): void {
    this.entries.splice(at, count)
    this.#deleted += count
  }

  /** Shares nothing that changes. */
  copy(): StreamNode {
    const copy = new StreamNode(this.masterId, this.fields)
    for (const entry of this.entries) copy.entries.push(entry)
    copy.lastId = this.lastId
    copy.#deleted = this.#deleted
    copy.#bytes = this.#bytes
    return copy
  }

  /** Every request brings its field names anew; one copy of them is enough. */
  #withSharedNames(pairs: readonly string[]): readonly string[] {
    return pairs.map((text, at) => {
      const name = at % 2 === 0 ? this.fields[at / 2] : undefined
      return name === text ? name : text
    })
  }
}

/** An entry as the elements of its node's listpack. */
export function elementsOf(node: StreamNode, { id, pairs }: StreamEntry): ListpackElement[] {
  const isSame = hasFields(pairs, node.fields)
  const relative = [
    difference(idMs(id), idMs(node.masterId)),
    difference(idSeq(id), idSeq(node.masterId)),
  ]
  const elements: ListpackElement[] = isSame
    ? [SAME_FIELDS, ...relative, ...pairs.filter((_, at) => at % 2 === 1)]
    : [OTHER_FIELDS, ...relative, pairs.length / 2, ...pairs]
  elements.push(elements.length)
  return elements
}

function hasFields(pairs: readonly string[], fields: readonly string[]): boolean {
  if (pairs.length !== 2 * fields.length) return false
  return fields.every((field, at) => pairs[2 * at] === field)
}

function sum(elements: readonly ListpackElement[]): number {
  let bytes = 0
  for (const element of elements) bytes += listpackBytesOf(element)
  return bytes
}
