/**
 * The two copies of a state on the disk. They are written where they lie, one after the other: a single write, which
 * returns when it is on the disk, where replacing files takes four steps, each a turn of another thread that a vote
 * waits for. A power cut can tear a file that is being written, so the second one is left alone until the first is safe,
 * and the other way round; a save counts from the first. Whenever a file may not be what we know (at the first save, with
 * another size, after an error, when somebody has put another one there) both are replaced instead.
 */
import { constants } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf } from '../start-error.ts'
import { type FileSystem, type OpenFile, replaceFiles, SYNCED_WRITES } from './durable.ts'

/** The part of a file system that this module needs. Node's own, or one that tests can cut the power of. */
export interface CopyFileSystem extends FileSystem {
  open(path: string, flags: number, mode?: number): Promise<OpenCopy>
  stat(path: string): Promise<FileIdentity>
}

export interface OpenCopy extends OpenFile {
  write(
    bytes: Uint8Array,
    from: number,
    length: number,
    at: number,
  ): Promise<{ readonly bytesWritten: number }>
  stat(): Promise<FileIdentity>
}

interface FileIdentity {
  readonly dev: number
  readonly ino: number
  readonly size: number
}

interface Copy {
  readonly path: string
  readonly file: OpenCopy
  readonly identity: FileIdentity
}

/** Both copies as they lie, each of so many bytes. */
interface Placed {
  readonly size: number
  readonly first: Copy
  readonly second: Copy
}

/** Nothing is created, and no link is followed. */
const IN_PLACE = constants.O_WRONLY | SYNCED_WRITES | (constants.O_NOFOLLOW ?? 0)

export class StateCopies {
  readonly #folder: string
  readonly #names: readonly [string, string]
  readonly #warn: (text: string) => void
  readonly #files: CopyFileSystem
  #placed: Placed | undefined
  /** What is done after a save has been told. Never rejects. */
  #behind: Promise<void> = Promise.resolve()

  /** `warn`: the first copy is safe, and the second one could not be written. */
  constructor(
    folder: string,
    names: readonly [string, string],
    warn: (text: string) => void,
    files: CopyFileSystem = { open, rename, rm, stat },
  ) {
    this.#folder = folder
    this.#names = names
    this.#warn = warn
    this.#files = files
  }

  /** Resolves once one copy is safely on disk, and the other one no older than before. Rejects with the file system's error. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#behind
    const placed = this.#placed
    if (placed?.size === bytes.length && (await this.#writeFirst(placed, bytes))) {
      this.#behind = this.#writeSecond(placed.second, bytes)
      return
    }
    await this.#replace(bytes)
    this.#behind = this.#place(bytes.length)
  }

  /** Resolves once both copies are the same and closed. */
  async close(): Promise<void> {
    await this.#behind
    this.#letGo()
  }

  async #writeFirst({ first, second }: Placed, bytes: Uint8Array): Promise<boolean> {
    try {
      const [, ...areSame] = await Promise.all([
        writeOver(first, bytes),
        this.#isThere(first),
        this.#isThere(second),
      ])
      return areSame.every((isSame) => isSame)
    } catch {
      return false
    }
  }

  async #writeSecond(second: Copy, bytes: Uint8Array): Promise<void> {
    try {
      await writeOver(second, bytes)
    } catch {
      await this.#replace(bytes)
        .then(() => this.#place(bytes.length))
        .catch((error) => this.#warn(`${second.path} cannot be written: ${reasonOf(error)}`))
    }
  }

  #letGo(): void {
    const { first, second } = this.#placed ?? {}
    this.#placed = undefined
    for (const copy of [first, second]) if (copy !== undefined) closed(copy.file)
  }

  async #replace(bytes: Uint8Array): Promise<void> {
    this.#letGo()
    await replaceFiles(this.#folder, this.#names, bytes, this.#files)
  }

  /** Without the flag a write is not on the disk when it returns. */
  async #place(size: number): Promise<void> {
    if (SYNCED_WRITES === 0) return
    const copies = await Promise.all(this.#names.map((name) => this.#open(name)))
    const [first, second] = copies
    const areOurs = first?.identity.size === size && second?.identity.size === size
    if (areOurs) this.#placed = { size, first, second }
    // The next save replaces both again, and tells what is wrong if it cannot.
    else for (const copy of copies) if (copy !== undefined) closed(copy.file)
  }

  /** Undefined: it cannot be opened now. */
  async #open(name: string): Promise<Copy | undefined> {
    const path = join(this.#folder, name)
    const file = await this.#files.open(path, IN_PLACE).catch(() => undefined)
    const identity = await file?.stat().catch(() => undefined)
    if (file !== undefined && identity !== undefined) return { path, file, identity }
    if (file !== undefined) closed(file)
    return undefined
  }

  /** The file that we hold open is the one that a start would read. */
  async #isThere({ path, identity }: Copy): Promise<boolean> {
    const { dev, ino, size } = await this.#files.stat(path)
    return dev === identity.dev && ino === identity.ino && size === identity.size
  }
}

/** What has been written is safe, however closing ends. A file that is never closed ends the process in Node 26. */
function closed(file: OpenCopy): void {
  file.close().catch(() => undefined)
}

async function writeOver({ file }: Copy, bytes: Uint8Array): Promise<void> {
  const { bytesWritten } = await file.write(bytes, 0, bytes.length, 0)
  if (bytesWritten !== bytes.length) throw new Error(`wrote ${bytesWritten} of ${bytes.length}`)
}
