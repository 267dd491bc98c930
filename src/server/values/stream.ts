/**
 * A stream: entries in the order of their ids, and the groups of consumers that read them. Entries are
 * added at the end, mostly removed at the front, and looked up by id; they lie in the nodes Redis would
 * have made (stream-node.ts), in which a search halves the nodes, then the one node. A node that a frozen
 * copy reads as well is copied before it changes.
 */
import { assert } from '../../base/assert.ts'
import type { Group } from './stream-group.ts'
import { idAfter, MAX_ID, MIN_ID, type StreamId } from './stream-id.ts'
import { type NodeLimits, type StreamEntry, StreamNode } from './stream-node.ts'

export type { StreamEntry } from './stream-node.ts'

export class Stream {
  /**
   * Ascending. Each has an entry, but for the first, from which all may have been trimmed while a
   * deleted one keeps the place: entries added later still belong there.
   */
  #nodes: StreamNode[] = []
  #length = 0
  #era = 0
  /** The greatest id ever given: a stream does not fall back when its last entry is deleted. */
  lastId: StreamId = MIN_ID
  /** The greatest id XDEL has removed. */
  maxDeletedId: StreamId = MIN_ID
  /** How many entries there have ever been; up to 64 bits. */
  entriesAdded = 0n
  readonly groups = new Map<string, Group>()

  get length(): number {
    return this.#length
  }

  get nodes(): readonly StreamNode[] {
    return this.#nodes
  }

  /** Zero if there is no entry. */
  get firstId(): StreamId {
    const [first, second] = this.#nodes
    return (first?.entries[0] ?? second?.entries[0])?.id ?? MIN_ID
  }

  get lastEntry(): StreamEntry | undefined {
    return this.#nodes.at(-1)?.entries.at(-1)
  }

  /** Adds an entry; its id is greater than `lastId`. */
  append(id: StreamId, pairs: readonly string[], limits: NodeLimits): void {
    assert(id > this.lastId, 'ids of a stream only grow')
    const last = this.#nodes.at(-1)
    const hasRoom = last?.hasRoomFor(lengthOf(pairs), limits) === true
    const node = hasRoom ? this.#own(this.#nodes.length - 1) : this.#newNode(id, pairs)
    node.append(id, pairs)
    this.#length++
    this.entriesAdded++
    this.lastId = id
  }

  /** Adds a whole run of entries at the end, as a file has them. */
  appendNode(node: StreamNode): void {
    node.era = this.#era
    this.#nodes.push(node)
    this.#length += node.entries.length
  }

  get(id: StreamId): StreamEntry | undefined {
    const node = this.#nodes[this.#nodeOf(id)]
    const entry = node?.entries[node.placeOf(id)]
    return entry?.id === id ? entry : undefined
  }

  /** Takes an entry out; false: there is none. */
  delete(id: StreamId): boolean {
    const index = this.#nodeOf(id)
    const found = this.#nodes[index]
    const at = found?.placeOf(id) ?? 0
    if (found?.entries[at]?.id !== id) return false
    if (id > this.maxDeletedId) this.maxDeletedId = id
    this.#length--
    const node = this.#own(index)
    node.remove(at, 1)
    if (node.entries.length === 0) this.#nodes.splice(index, 1)
    return true
  }

  /** Takes whole nodes off the front. */
  dropNodes(count: number): void {
    for (const node of this.#nodes.splice(0, count)) this.#length -= node.entries.length
  }

  /** Takes entries off the first node, which stays. */
  dropFirst(count: number): void {
    this.#own(0).remove(0, count)
    this.#length -= count
  }

  /** The entries from one id to another, both included. The stream must not change meanwhile. */
  *range(from: StreamId = MIN_ID, to: StreamId = MAX_ID): IterableIterator<StreamEntry> {
    for (let index = this.#nodeOf(from); index < this.#nodes.length; index++) {
      const node = this.#nodes[index] as StreamNode
      for (let at = node.placeOf(from); at < node.entries.length; at++) {
        const entry = node.entries[at] as StreamEntry
        if (entry.id > to) return
        yield entry
      }
    }
  }

  /** The same backwards. */
  *backwards(from: StreamId = MIN_ID, to: StreamId = MAX_ID): IterableIterator<StreamEntry> {
    const end = idAfter(to)
    const last = end === undefined ? this.#nodes.length - 1 : this.#nodeOf(to)
    for (let index = Math.min(last, this.#nodes.length - 1); index >= 0; index--) {
      const node = this.#nodes[index] as StreamNode
      const after = end === undefined ? node.entries.length : node.placeOf(end)
      for (let at = after - 1; at >= 0; at--) {
        const entry = node.entries[at] as StreamEntry
        if (entry.id < from) return
        yield entry
      }
    }
  }

  /** Shares nothing with the original. */
  copy(): Stream {
    const copy = new Stream()
    for (const node of this.#nodes) copy.appendNode(node.copy())
    copy.#takeCounters(this)
    for (const [name, group] of this.groups) copy.groups.set(name, group.copy())
    return copy
  }

  /** The stream as it is now, to be read whatever is changed here. */
  frozen(): Stream {
    this.#era++
    const frozen = new Stream()
    frozen.#nodes = this.#nodes.slice()
    frozen.#length = this.#length
    frozen.#era = this.#era
    frozen.#takeCounters(this)
    for (const [name, group] of this.groups) frozen.groups.set(name, group.frozen())
    return frozen
  }

  #takeCounters({ lastId, maxDeletedId, entriesAdded }: Stream): void {
    this.lastId = lastId
    this.maxDeletedId = maxDeletedId
    this.entriesAdded = entriesAdded
  }

  /** The node, to be changed. */
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

  /** The first node with an entry at or after the id; past the last: there is none. */
  #nodeOf(id: StreamId): number {
    let from = 0
    let to = this.#nodes.length
    while (from < to) {
      const middle = (from + to) >>> 1
      const last = (this.#nodes[middle] as StreamNode).entries.at(-1)
      if (last === undefined || last.id < id) from = middle + 1
      else to = middle
    }
    return from
  }
}

/** As Redis weighs an entry before it is packed. */
export function lengthOf(pairs: readonly string[]): number {
  let bytes = 0
  for (const text of pairs) bytes += text.length
  return bytes
}
