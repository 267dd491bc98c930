/**
 * A map from ids to values, in the order of the ids: the entries a group has delivered that are not
 * acknowledged yet. Ids are mostly added at the end and removed at the front, but either may happen
 * anywhere. So they lie in sorted blocks; a binary search finds the block, and another one the place in
 * it. A block that a frozen copy reads as well is copied before it changes.
 */
import { MIN_ID, type StreamId } from './stream-id.ts'

/** A full block is split in two. */
const MAX_BLOCK = 128

interface Block<T> {
  /** Ascending, never empty. */
  readonly ids: StreamId[]
  /** The value of the id at the same index. */
  readonly values: T[]
  /** A block from an older era than its map's may have another reader. */
  readonly era: number
}

export class IdMap<T> {
  #blocks: Block<T>[] = []
  #size = 0
  #era = 0

  get size(): number {
    return this.#size
  }

  get(id: StreamId): T | undefined {
    if (this.#isPast(id)) return undefined
    const block = this.#blocks[this.#blockOf(id)]
    const at = block === undefined ? 0 : placeOf(block.ids, id)
    return block?.ids[at] === id ? block.values[at] : undefined
  }

  has(id: StreamId): boolean {
    const block = this.#blocks[this.#blockOf(id)]
    return block !== undefined && block.ids[placeOf(block.ids, id)] === id
  }

  /** The pair with the smallest id that is not below `id`. */
  atOrAfter(id: StreamId): readonly [StreamId, T] | undefined {
    const block = this.#blocks[this.#blockOf(id)]
    if (block === undefined) return undefined
    const at = placeOf(block.ids, id)
    return [block.ids[at] as StreamId, block.values[at] as T]
  }

  get firstId(): StreamId | undefined {
    return this.#blocks[0]?.ids[0]
  }

  get lastId(): StreamId | undefined {
    return this.#blocks.at(-1)?.ids.at(-1)
  }

  set(id: StreamId, value: T): void {
    if (this.#append(id, value)) return
    const found = this.#blockOf(id)
    // Greater than all others: it belongs at the end of the last block.
    const index = found === this.#blocks.length ? Math.max(0, found - 1) : found
    const block = this.#own(index) ?? this.#newBlock()
    const at = placeOf(block.ids, id)
    if (block.ids[at] === id) {
      block.values[at] = value
      return
    }
    block.ids.splice(at, 0, id)
    block.values.splice(at, 0, value)
    this.#size++
    if (block.ids.length > MAX_BLOCK) this.#split(index, block)
  }

  /** Most ids are greater than all others, and need not be searched for. Returns whether this one was. */
  #append(id: StreamId, value: T): boolean {
    const index = this.#blocks.length - 1
    const last = this.#blocks[index]
    if (last === undefined || !this.#isPast(id)) return false
    const isFull = last.ids.length === MAX_BLOCK
    const block = (isFull ? undefined : this.#own(index)) ?? this.#newBlock()
    block.ids.push(id)
    block.values.push(value)
    this.#size++
    return true
  }

  /** Whether it is greater than all ids here. */
  #isPast(id: StreamId): boolean {
    const ids = this.#blocks[this.#blocks.length - 1]?.ids
    return ids === undefined || (ids[ids.length - 1] as StreamId) < id
  }

  delete(id: StreamId): boolean {
    const index = this.#blockOf(id)
    const block = this.#blocks[index]
    if (block === undefined) return false
    const at = placeOf(block.ids, id)
    if (block.ids[at] !== id) return false
    const own = this.#own(index) ?? block
    own.ids.splice(at, 1)
    own.values.splice(at, 1)
    this.#size--
    if (own.ids.length === 0) this.#blocks.splice(index, 1)
    return true
  }

  /** In order, from `from` on. The map must not change meanwhile. */
  *entries(from: StreamId = MIN_ID): IterableIterator<readonly [StreamId, T]> {
    for (let index = this.#blockOf(from); index < this.#blocks.length; index++) {
      const { ids, values } = this.#blocks[index] as Block<T>
      for (let at = placeOf(ids, from); at < ids.length; at++) {
        yield [ids[at] as StreamId, values[at] as T]
      }
    }
  }

  /** The map as it is now, for reading, whatever changes later; it shares the values. */
  frozen(): IdMap<T> {
    this.#era++
    const frozen = new IdMap<T>()
    frozen.#blocks = this.#blocks.slice()
    frozen.#size = this.#size
    frozen.#era = this.#era
    return frozen
  }

  /** The block, ready to be changed. */
  #own(index: number): Block<T> | undefined {
    const block = this.#blocks[index]
    if (block === undefined || block.era === this.#era) return block
    const own = { ids: block.ids.slice(), values: block.values.slice(), era: this.#era }
    this.#blocks[index] = own
    return own
  }

  /** At the end. */
  #newBlock(): Block<T> {
    const block: Block<T> = { ids: [], values: [], era: this.#era }
    this.#blocks.push(block)
    return block
  }

  /** At its end if ids are being added there: the older block stays full. */
  #split(index: number, block: Block<T>): void {
    const isLast = index === this.#blocks.length - 1
    const from = isLast ? MAX_BLOCK : MAX_BLOCK / 2
    this.#blocks.splice(index + 1, 0, {
      ids: block.ids.splice(from),
      values: block.values.splice(from),
      era: this.#era,
    })
  }

  /** The first block that ends at or after the id; if there is none, the number of blocks. */
  #blockOf(id: StreamId): number {
    let from = 0
    let to = this.#blocks.length
    while (from < to) {
      const middle = (from + to) >>> 1
      const { ids } = this.#blocks[middle] as Block<T>
      if ((ids[ids.length - 1] as StreamId) < id) from = middle + 1
      else to = middle
    }
    return from
  }
}

/** Where the id is, or would be inserted. */
function placeOf(ids: readonly StreamId[], id: StreamId): number {
  let from = 0
  let to = ids.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((ids[middle] as StreamId) < id) from = middle + 1
    else to = middle
  }
  return from
}
