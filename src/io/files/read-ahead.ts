/**
 * Reading files from one end to the other, in pieces as small as their reader wants. Waiting for the disk
 * before each piece would take longer than the work on it, so a read that continues where the last one
 * ended is taken for the first of many: from then on whole blocks are fetched, the next one while the last
 * is worked on. This is done for one file at a time; of others each piece is fetched when it is asked for.
 *
 * What was fetched and not asked for is dropped as soon as anything else is done with the file (`forget`).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Up to `maxBytes` from `offset` on; less only at the end of the file. Rejects with the file system's error.
 */
export type Fetch = (path: string, offset: number, maxBytes: number) => Promise<Buffer>

export const BLOCK_BYTES = 512 * 1024

const NOTHING: Buffer = Buffer.alloc(0)
const NOWHERE = -1

export class ReadAhead {
  readonly #fetch: Fetch
  #path = ''
  /** Where the last read of `#path` ended. */
  #end = NOWHERE
  #blocks: Blocks | undefined

  constructor(fetch: Fetch) {
    this.#fetch = fetch
  }

  /** Reads of one path must come one after the other. Other work gets a turn before this resolves. */
  async read(path: string, offset: number, maxBytes: number): Promise<string> {
    if (path !== this.#path || offset !== this.#end) this.#begin(path)
    else this.#blocks ??= new Blocks((at) => this.#fetch(path, at, BLOCK_BYTES), offset)
    const blocks = this.#blocks
    const bytes = await (blocks?.take(maxBytes) ?? this.#piece(path, offset, maxBytes))
    // Meanwhile a read of another file may have begun.
    if (path === this.#path && blocks === this.#blocks) this.#end = offset + bytes.length
    return bytes
  }

  /** From now on the path may mean another file. */
  forget(path: string): void {
    if (path === this.#path) this.#begin('')
  }

  #begin(path: string): void {
    this.#path = path
    this.#end = NOWHERE
    this.#blocks = undefined
  }

  async #piece(path: string, offset: number, maxBytes: number): Promise<string> {
    return (await this.#fetch(path, offset, maxBytes)).toString('latin1')
  }
}

/** A file from one position on, read one block ahead. */
class Blocks {
  readonly #fetch: (offset: number) => Promise<Buffer>
  #block: Buffer = NOTHING
  /** How much of the block has been taken. */
  #at = 0
  /** Where the block ends in the file. */
  #end: number
  /** The block after it; undefined if it has not been requested. */
  #next: Promise<Buffer> | undefined

  constructor(fetch: (offset: number) => Promise<Buffer>, offset: number) {
    this.#fetch = fetch
    this.#end = offset
  }

  async take(maxBytes: number): Promise<string> {
    // Data that are already here must not keep other work waiting: promises alone would be settled
    // before it.
    await nextTurn()
    if (this.#at === this.#block.length) await this.#advance()
    const from = this.#at
    this.#at = Math.min(from + maxBytes, this.#block.length)
    return this.#block.toString('latin1', from, this.#at)
  }

  async #advance(): Promise<void> {
    const next = this.#next ?? this.#fetch(this.#end)
    this.#next = undefined
    this.#block = await next
    this.#at = 0
    this.#end += this.#block.length
    if (this.#block.length === BLOCK_BYTES) this.#fetchNext()
  }

  #fetchNext(): void {
    this.#next = this.#fetch(this.#end)
    // The reader that awaits it gets the error; until then nothing else handles it.
    this.#next.catch(() => undefined)
  }
}
