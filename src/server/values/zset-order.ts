/**
 * Members in the order of a sorted set: by score, and among equal scores by the member's bytes.
 *
 * They lie in chunks of some hundred, in order within and among themselves. Two binary searches find a
 * place, one over the chunks and one within a chunk; an insertion moves part of one chunk. A tree with
 * pointers would take more memory and more time at every size that fits into one process. Ranks come
 * from an index over the chunks' sizes (zset-ranks.ts), which is rebuilt on the next use after chunks
 * came or went.
 *
 * A reader that needs the elements as they are now (`frozen`) gets a list of the chunks. A chunk made
 * before that is copied before it changes, so only chunks that change are copied.
 */
import { arrayBytes, objectBytes } from './engine-sizes.ts'
import { type ChunkPlace, ChunkRanks } from './zset-ranks.ts'

export type Scored = readonly [member: string, score: number]

/** Whether an element lies past a place. Once true, it stays true for all later elements. */
export type IsPast = (member: string, score: number) => boolean

/** The insertions that filled a chunk pay for splitting it. */
const MAX_CHUNK = 256
/** A smaller chunk joins its neighbour, or a shrinking set would keep chunks of one element each. */
const MIN_CHUNK = 64

/**
 * An array that grows by itself reserves room for 16 more elements, which is more than most sets
 * ever hold.
 */
const SMALL = 16

/** Two arrays and the object that holds them; full chunks have grown past their size. */
const CHUNK_BYTES = objectBytes(3) + 2 * arrayBytes(0) + 8
const OWN_BYTES = objectBytes(5) + arrayBytes(1)
/** Of the places in a large set's chunks, one in so many is free. */
const FREE_SHARE = 3

interface Chunk {
  members: string[]
  scores: number[]
  /** A chunk from an older era than its order's may have another reader. */
  readonly era: number
}

export class ZsetOrder {
  #chunks: Chunk[] = []
  #ranks: ChunkRanks | undefined
  #size = 0
  #era = 0

  get size(): number {
    return this.#size
  }

  /** What the order takes in memory, apart from the members: two places for each element, and room. */
  get heapBytes(): number {
    const free = this.#chunks.length === 1 ? 0 : Math.floor(this.#size / FREE_SHARE)
    const places = this.#size + free
    return OWN_BYTES + CHUNK_BYTES * this.#chunks.length + 16 * places
  }

  /** Looks at all members; undefined if it is not among them. */
  scoreOf(member: string): number | undefined {
    for (const { members, scores } of this.#chunks) {
      const at = members.indexOf(member)
      if (at >= 0) return scores[at]
    }
    return undefined
  }

  /** The element must not be there yet. */
  insert(member: string, score: number): void {
    const isPast = pastElement(member, score)
    const index = Math.min(this.#chunkOf(isPast), this.#chunks.length - 1)
    if (index < 0) return this.#begin(member, score)
    const chunk = this.#own(index)
    const at = placeIn(chunk, isPast)
    insertAt(chunk, at, member, score)
    this.#resized(index, 1)
    if (chunk.members.length > MAX_CHUNK) this.#split(index, at)
  }

  /** The element must be there. */
  delete(member: string, score: number): void {
    const isPast = pastElement(member, score)
    const index = this.#chunkOf(isPast)
    const chunk = this.#own(index)
    const at = placeIn(chunk, isPast)
    chunk.members.splice(at, 1)
    chunk.scores.splice(at, 1)
    this.#resized(index, -1)
    if (chunk.members.length < MIN_CHUNK) this.#mergeOrDrop(index)
  }

  /** Deletes the elements of rank `from` to `to - 1`; chunks in between are dropped whole. */
  deleteRange(from: number, to: number): void {
    if (from >= to) return
    const [first, last] = [this.#placeOf(from), this.#placeOf(to - 1)]
    if (first.chunk === last.chunk) {
      this.#cut(first.chunk, first.at, last.at + 1)
      this.#resized(first.chunk, from - to)
    } else {
      this.#cut(last.chunk, 0, last.at + 1)
      this.#cut(first.chunk, first.at, Number.POSITIVE_INFINITY)
      this.#chunks.splice(first.chunk + 1, last.chunk - first.chunk - 1)
      this.#size -= to - from
      this.#ranks = undefined
    }
    for (const index of [first.chunk + 1, first.chunk]) {
      if ((this.#chunks[index]?.members.length ?? MIN_CHUNK) < MIN_CHUNK) this.#mergeOrDrop(index)
    }
  }

  /** How many elements come before those past the place. */
  rankWhere(isPast: IsPast): number {
    const index = this.#chunkOf(isPast)
    const chunk = this.#chunks[index]
    return chunk === undefined ? this.#size : this.#before(index) + placeIn(chunk, isPast)
  }

  rankOf(member: string, score: number): number {
    return this.rankWhere(pastElement(member, score))
  }

  /** The members of rank `from` to `to - 1`, ascending. */
  members(from: number, to: number): string[] {
    if (from >= to) return []
    const { chunk, at } = this.#placeOf(from)
    const found = (this.#chunks[chunk] as Chunk).members.slice(at, at + to - from)
    for (let index = chunk + 1; found.length < to - from; index++) {
      const { members } = this.#chunks[index] as Chunk
      const end = Math.min(members.length, to - from - found.length)
      for (let place = 0; place < end; place++) found.push(members[place] as string)
    }
    return found
  }

  /** Elements of rank `from` to `to - 1`, ascending. The set must not change meanwhile. */
  ascending(from: number, to: number): IterableIterator<Scored> {
    return from < to ? upwards(this.#chunks, this.#placeOf(from), to - from) : [].values()
  }

  /** The elements from rank `from` on as they are now, whatever changes meanwhile. */
  frozen(from: number): IterableIterator<Scored> {
    if (from >= this.#size) return [].values()
    this.#era++
    return upwards(this.#chunks.slice(), this.#placeOf(from), this.#size - from)
  }

  /** The same elements, the last one first. */
  *descending(from: number, to: number): IterableIterator<Scored> {
    if (from >= to) return
    let { chunk: index, at } = this.#placeOf(to - 1)
    for (let left = to - from; left > 0; left--) {
      const chunk = this.#chunks[index] as Chunk
      yield [chunk.members[at] as string, chunk.scores[at] as number]
      if (--at >= 0) continue
      index--
      at = (this.#chunks[index]?.members.length ?? 0) - 1
    }
  }

  copy(): ZsetOrder {
    const copy = new ZsetOrder()
    copy.#chunks = this.#chunks.map((chunk) => copyOf(chunk, 0))
    copy.#size = this.#size
    return copy
  }

  /** Index of the first chunk with an element past the place; the number of chunks if there is none. */
  #chunkOf(isPast: IsPast): number {
    let low = 0
    let high = this.#chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const { members, scores } = this.#chunks[middle] as Chunk
      const last = members.length - 1
      if (isPast(members[last] as string, scores[last] as number)) high = middle
      else low = middle + 1
    }
    return low
  }

  /** The chunk, ready to be changed. */
  #own(index: number): Chunk {
    const chunk = this.#chunks[index] as Chunk
    if (chunk.era === this.#era) return chunk
    const own = copyOf(chunk, this.#era)
    this.#chunks[index] = own
    return own
  }

  #cut(index: number, from: number, to: number): void {
    const chunk = this.#own(index)
    chunk.members.splice(from, to - from)
    chunk.scores.splice(from, to - from)
  }

  #begin(member: string, score: number): void {
    this.#chunks = [{ members: [member], scores: [score], era: this.#era }]
    this.#size = 1
    this.#ranks = undefined
  }

  #resized(index: number, delta: number): void {
    this.#size += delta
    this.#ranks?.resized(index, delta)
  }

  /**
   * Sets are often filled in order, from either end: then full chunks stay behind, otherwise
   * halves.
   */
  #split(index: number, insertedAt: number): void {
    const chunk = this.#chunks[index] as Chunk
    const isLast = index === this.#chunks.length - 1
    const at = cutFor(insertedAt, chunk.members.length, index === 0, isLast)
    this.#chunks.splice(index + 1, 0, {
      members: chunk.members.splice(at),
      scores: chunk.scores.splice(at),
      era: this.#era,
    })
    this.#ranks = undefined
  }

  #mergeOrDrop(index: number): void {
    const chunk = this.#chunks[index] as Chunk
    const first = index + 1 < this.#chunks.length ? index : index - 1
    const [left, right] = [this.#chunks[first], this.#chunks[first + 1]]
    if (chunk.members.length === 0) {
      this.#chunks.splice(index, 1)
    } else {
      if (left === undefined || right === undefined) return
      if (left.members.length + right.members.length > MAX_CHUNK / 2) return
      const merged = this.#own(first)
      merged.members.push(...right.members)
      merged.scores.push(...right.scores)
      this.#chunks.splice(first + 1, 1)
    }
    this.#ranks = undefined
  }

  #before(index: number): number {
    return index === 0 ? 0 : this.#index().before(index)
  }

  /** Queues are read at their ends, where no index is needed: it would have to be made anew each time a chunk goes. */
  #placeOf(rank: number): ChunkPlace {
    const lengthOf = (chunk: number) => this.#chunks[chunk]?.members.length ?? 0
    if (rank < lengthOf(0)) return { chunk: 0, at: rank }
    const last = this.#chunks.length - 1
    const lastBegins = this.#size - lengthOf(last)
    return rank >= lastBegins ? { chunk: last, at: rank - lastBegins } : this.#index().find(rank)
  }

  #index(): ChunkRanks {
    this.#ranks ??= new ChunkRanks(
      this.#chunks.map(({ members }) => members.length),
      this.#chunks.length,
    )
    return this.#ranks
  }
}

function* upwards(
  chunks: readonly Chunk[],
  from: ChunkPlace,
  count: number,
): IterableIterator<Scored> {
  let { chunk: index, at } = from
  for (let left = count; left > 0; left--) {
    const chunk = chunks[index] as Chunk
    yield [chunk.members[at] as string, chunk.scores[at] as number]
    if (++at < chunk.members.length) continue
    index++
    at = 0
  }
}

function copyOf({ members, scores }: Chunk, era: number): Chunk {
  return { members: members.slice(), scores: scores.slice(), era }
}

function pastElement(member: string, score: number): IsPast {
  return (other, otherScore) => otherScore > score || (otherScore === score && other >= member)
}

function placeIn({ members, scores }: Chunk, isPast: IsPast): number {
  let low = 0
  let high = members.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isPast(members[middle] as string, scores[middle] as number)) high = middle
    else low = middle + 1
  }
  return low
}

function insertAt(chunk: Chunk, at: number, member: string, score: number): void {
  if (chunk.members.length < SMALL) {
    chunk.members = chunk.members.toSpliced(at, 0, member)
    chunk.scores = chunk.scores.toSpliced(at, 0, score)
  } else {
    chunk.members.splice(at, 0, member)
    chunk.scores.splice(at, 0, score)
  }
}

/** Where to split a full chunk. */
function cutFor(insertedAt: number, length: number, isFirst: boolean, isLast: boolean): number {
  if (isLast && insertedAt === length - 1) return length - 1
  return isFirst && insertedAt === 0 ? 1 : length >>> 1
}
