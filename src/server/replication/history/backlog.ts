/**
 * The backlog: the most recent bytes of the replication history, so that a replica that was away
 * for a short while gets what it missed instead of everything.
 *
 * It is also the one buffer all replicas read from while a snapshot is copied to them: each keeps
 * an offset, and what the slowest still needs is not trimmed. The bytes lie in sealed blocks,
 * oldest first, so trimming drops whole blocks and never copies.
 *
 *     first                                             end
 *     v                                                 v
 *     [ block ][ block ][ block ] … [ block ][ open parts)
 *
 * A block begins with a command, and knows which database is selected there. So its contents can be
 * read as commands (see ledger/) although the SELECT may have been trimmed long ago.
 */
import { assert } from '../../../base/assert.ts'

const BLOCK_BYTES = 16 * 1024

interface Block {
  /** Offset of its first byte. */
  readonly first: number
  readonly bytes: string
  readonly db: number | undefined
}

/** A place from which the stream can be read as commands. */
export interface CommandStart {
  readonly offset: number
  /** The database selected there; undefined: none is selected before the next SELECT. */
  readonly db: number | undefined
}

export class Backlog {
  readonly #blocks: Block[] = []
  /** Parts of the block being filled; joined when it is sealed or read. */
  #open: string[] = []
  #openFirst: number
  #openBytes = 0
  #openDb: number | undefined
  #sizeBytes: number

  /** An empty backlog whose next byte has the offset `nextOffset` (offsets count from 1). */
  constructor(nextOffset: number, sizeBytes: number) {
    this.#openFirst = nextOffset
    this.#sizeBytes = sizeBytes
  }

  /** Offset of the oldest byte kept, or of the next byte when nothing is kept. */
  get firstOffset(): number {
    return this.#blocks[0]?.first ?? this.#openFirst
  }

  /** Offset of the next byte to be appended. */
  get nextOffset(): number {
    return this.#openFirst + this.#openBytes
  }

  get lengthBytes(): number {
    return this.nextOffset - this.firstOffset
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** The next `trim` applies it. */
  resize(sizeBytes: number): void {
    this.#sizeBytes = sizeBytes
  }

  /** Appends whole commands. `db`: the database selected before them. */
  append(bytes: string, db?: number): void {
    if (this.#openBytes === 0) this.#openDb = db
    this.#open.push(bytes)
    this.#openBytes += bytes.length
    if (this.#openBytes >= BLOCK_BYTES) this.#seal()
  }

  /** Drops the oldest blocks while the rest still fills the size and no replica needs them. */
  trim(neededFromOffset: number): void {
    for (;;) {
      const second = this.#blocks[1]?.first ?? this.#openFirst
      if (this.#blocks.length === 0 || second > neededFromOffset) return
      if (this.nextOffset - second < this.#sizeBytes) return
      this.#blocks.shift()
    }
  }

  /**
   * Whether everything from `offset` on is here. A request for the next byte asks for nothing, and
   * is covered.
   */
  covers(offset: number): boolean {
    return offset >= this.firstOffset && offset <= this.nextOffset
  }

  /** The last place at or before `offset` where a block begins. */
  startBefore(offset: number): CommandStart {
    assert(this.covers(offset), 'only kept offsets are read')
    const block = this.#blocks[this.#blockOf(offset)]
    if (block === undefined) return { offset: this.#openFirst, db: this.#openDb }
    return { offset: block.first, db: block.db }
  }

  /** All bytes from `offset` on, in pieces. */
  readFrom(offset: number): string[] {
    assert(this.covers(offset), 'only kept offsets are read')
    this.#joinOpen()
    const pieces = []
    for (let at = this.#blockOf(offset); at < this.#blocks.length; at++) {
      pieces.push(tail(this.#blocks[at] as Block, offset))
    }
    const open = { first: this.#openFirst, bytes: this.#open[0] ?? '', db: this.#openDb }
    if (this.nextOffset > Math.max(offset, this.#openFirst)) pieces.push(tail(open, offset))
    return pieces
  }

  #seal(): void {
    this.#blocks.push({
      first: this.#openFirst,
      bytes: this.#open.join(''),
      db: this.#openDb,
    })
    this.#openFirst += this.#openBytes
    this.#open = []
    this.#openBytes = 0
  }

  #joinOpen(): void {
    if (this.#open.length > 1) this.#open = [this.#open.join('')]
  }

  /** Index of the block that holds `offset`; the number of blocks when it lies in the open one. */
  #blockOf(offset: number): number {
    let low = 0
    let high = this.#blocks.length
    while (low < high) {
      const middle = (low + high) >> 1
      const block = this.#blocks[middle] as Block
      if (block.first + block.bytes.length <= offset) low = middle + 1
      else high = middle
    }
    return low
  }
}

function tail(block: Block, offset: number): string {
  return block.first >= offset ? block.bytes : block.bytes.slice(offset - block.first)
}
