/**
 * A stream: entries in the order of their ids, and the groups of consumers that read them. Entries are
 * added at the end, mostly removed at the front, and looked up by id; they lie in the nodes Redis would
 * have made (stream-node.ts), so a binary search finds the node, and another one the entry. A node that a
 * frozen copy reads as well is copied before it changes.
 */
import { assert } from '../../base/assert.ts'
import { arrayBytes, grownCapacity, mapBytes, objectBytes } from './engine-sizes.ts'
import type { ConsumerGroup } from './stream-group.ts'
import { idAfter, MAX_ID, MIN_ID, type StreamId } from './stream-id.ts'
import { type NodeLimits, type StreamEntry, StreamNode } from './stream-node.ts'

export type { StreamEntry } from './stream-node.ts'

const OWN_BYTES = objectBytes(8)
/** With more groups than this, the others are taken to be like these. */
const GROUPS_COUNTED = 32

export class StreamEntries {
  /**
   * Ascending. Each node has an entry, except perhaps the first: all its entries may have been
   * trimmed while a deleted one keeps its place, and entries added later still belong there.
   */
  #nodes: StreamNode[] = []
  #length = 0
  /** What the nodes take in memory. */
  #nodesBytes = 0
  #era = 0
  /** The greatest id ever given: it does not fall when the last entry is deleted. */
  lastId: StreamId = MIN_ID
  /** The greatest id that XDEL has removed. */
  maxDeletedId: StreamId = MIN_ID
  #addedBefore = 0n
  /** Since that was set: counting with a bigint would make an object for each entry. */
  #added = 0
  readonly groups = new Map<string, ConsumerGroup>()

  get length(): number {
    return this.#length
  }

  /** How many entries there have ever been; up to 64 bits. */
  get entriesAdded(): bigint {
    return this.#addedBefore + BigInt(this.#added)
  }

  set entriesAdded(entries: bigint) {
    this.#addedBefore = entries
    this.#added = 0
  }

  get nodes(): readonly StreamNode[] {
    return this.#nodes
  }

  /** What the stream takes in memory. */
  get heapBytes(): number {
    const places = arrayBytes(grownCapacity(this.#nodes.length))
    return OWN_BYTES + places + this.#nodesBytes + this.#groupsBytes
  }

  /** Zero if there is no entry. */
  get firstId(): StreamId {
    const [first, second] = this.#nodes
    return first?.idAt(0) ?? second?.idAt(0) ?? MIN_ID
  }

  get lastEntry(): StreamEntry | undefined {
    const last = this.#nodes.at(-1)
    return last === undefined || last.length === 0 ? undefined : last.entryAt(last.length - 1)
  }

  /** Adds an entry; its id must be greater than `lastId`. */
  append(id: StreamId, pairs: readonly string[], limits: NodeLimits): void {
    assert(id > this.lastId, 'ids of a stream only grow')
    const last = this.#nodes.at(-1)
    const hasRoom = last?.hasRoomFor(lengthOf(pairs), limits) === true
    const node = hasRoom ? this.#own(this.#nodes.length - 1) : this.#newNode(id, pairs)
    const before = hasRoom ? node.heapBytes : 0
    node.append(id, pairs)
    this.#nodesBytes += node.heapBytes - before
    this.#length++
    this.#added++
    this.lastId = id
  }

  /** Adds a whole node of entries at the end, as read from a file. */
  appendNode(node: StreamNode): void {
    node.era = this.#era
    this.#nodes.push(node)
    this.#nodesBytes += node.heapBytes
    this.#length += node.length
  }

  get(id: StreamId): StreamEntry | undefined {
    const node = this.#nodes[this.#nodeOf(id)]
    const at = node?.placeOf(id) ?? 0
    return node?.idAt(at) === id ? node.entryAt(at) : undefined
  }

  /** Deletes an entry; false if there is none. */
  delete(id: StreamId): boolean {
    const index = this.#nodeOf(id)
    const found = this.#nodes[index]
    const at = found?.placeOf(id) ?? 0
    if (found?.idAt(at) !== id) return false
    if (id > this.maxDeletedId) this.maxDeletedId = id
    this.#length--
    const node = this.#removeFrom(index, at, 1)
    if (node.length > 0) return true
    this.#nodes.splice(index, 1)
    this.#nodesBytes -= node.heapBytes
    return true
  }

  /** Removes whole nodes at the front. */
  dropNodes(count: number): void {
    for (const node of this.#nodes.splice(0, count)) {
      this.#length -= node.length
      this.#nodesBytes -= node.heapBytes
    }
  }

  /** Removes entries from the first node, which stays. */
  dropFirst(count: number): void {
    this.#removeFrom(0, 0, count)
    this.#length -= count
  }

  /** The entries from one id to another, both included. The stream must not change meanwhile. */
  *range(from: StreamId = MIN_ID, to: StreamId = MAX_ID): IterableIterator<StreamEntry> {
    for (let index = this.#nodeOf(from); index < this.#nodes.length; index++) {
      const node = this.#nodes[index] as StreamNode
      for (let at = node.placeOf(from); at < node.length; at++) {
        if ((node.idAt(at) as StreamId) > to) return
        yield node.entryAt(at)
      }
    }
  }

  /** The same backwards. */
  *backwards(from: StreamId, to: StreamId): IterableIterator<StreamEntry> {
    const end = idAfter(to)
    const last = end === undefined ? this.#nodes.length - 1 : this.#nodeOf(to)
    for (let index = Math.min(last, this.#nodes.length - 1); index >= 0; index--) {
      const node = this.#nodes[index] as StreamNode
      const after = end === undefined ? node.length : node.placeOf(end)
      for (let at = after - 1; at >= 0; at--) {
        if ((node.idAt(at) as StreamId) < from) return
        yield node.entryAt(at)
      }
    }
  }

  /** Shares nothing with the original. */
  copy(): StreamEntries {
    const copy = new StreamEntries()
    for (const node of this.#nodes) copy.appendNode(node.copy())
    copy.#takeCounters(this)
    for (const [name, group] of this.groups) copy.groups.set(name, group.copy())
    return copy
  }

  /** The stream as it is now, for reading, whatever changes later. */
  frozen(): StreamEntries {
    this.#era++
    const frozen = new StreamEntries()
    frozen.#nodes = this.#nodes.slice()
    frozen.#length = this.#length
    frozen.#nodesBytes = this.#nodesBytes
    frozen.#era = this.#era
    frozen.#takeCounters(this)
    for (const [name, group] of this.groups) frozen.groups.set(name, group.frozen())
    return frozen
  }

  #takeCounters({ lastId, maxDeletedId, entriesAdded }: StreamEntries): void {
    this.lastId = lastId
    this.maxDeletedId = maxDeletedId
    this.entriesAdded = entriesAdded
  }

  /** Returns the node that has lost them. */
  #removeFrom(index: number, at: number, count: number): StreamNode {
    const node = this.#own(index)
    this.#nodesBytes -= node.heapBytes
    node.remove(at, count)
    this.#nodesBytes += node.heapBytes
    return node
  }

  get #groupsBytes(): number {
    let bytes = 0
    let counted = 0
    for (const [name, group] of this.groups) {
      bytes += group.heapBytes(name)
      if (++counted === GROUPS_COUNTED) break
    }
    const share = counted === 0 ? 0 : this.groups.size / counted
    return mapBytes(this.groups.size) + Math.round(bytes * share)
  }

  /** The node, ready to be changed. */
  #own(index: number): StreamNode {
    const node = this.#nodes[index] as StreamNode
    if (node.era === this.#era) return node
    const own = node.copy()
    own.era = this.#era
    this.#nodes[index] = own
    return own
  }

  #newNode(id: StreamId, pairs: readonly string[]): StreamNode {
    const node = new StreamNode(
      id,
      pairs.filter((_, at) => at % 2 === 0),
    )
    node.era = this.#era
    this.#nodes.push(node)
    return node
  }

  /** The first node with an entry at or after the id; if there is none, the number of nodes. */
  #nodeOf(id: StreamId): number {
    let from = 0
    let to = this.#nodes.length
    while (from < to) {
      const middle = (from + to) >>> 1
      const node = this.#nodes[middle] as StreamNode
      const last = node.idAt(node.length - 1)
      if (last === undefined || last < id) from = middle + 1
      else to = middle
    }
    return from
  }
}

/** The size of an entry as Redis counts it before packing. */
export function lengthOf(pairs: readonly string[]): number {
  let bytes = 0
  for (const text of pairs) bytes += text.length
  return bytes
}
