/**
 * What the disk refuses for the append-only file: writes, syncs, or both. As long as it does, writes of
 * clients are refused (`failure`), and we try again every second. The log says once that it began and
 * once that it is over.
 */
import type { FileFailure } from './files.ts'

export const RETRY_MS = 1000

export class AofTrouble {
  readonly #log: (text: string) => void
  #write: FileFailure | undefined
  #sync: FileFailure | undefined
  #retryAtMs = 0

  constructor(log: (text: string) => void) {
    this.#log = log
  }

  /** Why what was done may not be kept. */
  get failure(): FileFailure | undefined {
    return this.#write ?? this.#sync
  }

  get isSyncFailing(): boolean {
    return this.#sync !== undefined
  }

  /** Monotonic. When to try writing again; undefined if writing does not fail. */
  get retryAtMs(): number | undefined {
    return this.#write === undefined ? undefined : this.#retryAtMs
  }

  writeFailed(failure: FileFailure, nowMs: number): void {
    if (this.#write === undefined) {
      this.#log(`the append-only file cannot be written: ${failure.text}. It is tried every second`)
    }
    this.#write = failure
    this.#retryAtMs = nowMs + RETRY_MS
  }

  written(): void {
    if (this.#write !== undefined) this.#log('the append-only file is written again')
    this.#write = undefined
  }

  syncFailed(failure: FileFailure): void {
    if (this.#sync === undefined) {
      this.#log(`the append-only file cannot be synced: ${failure.text}`)
    }
    this.#sync = failure
  }

  /** Returns whether the sync before this one had failed. */
  synced(): boolean {
    const wasFailing = this.isSyncFailing
    if (wasFailing) this.#log('the append-only file is synced again')
    this.#sync = undefined
    return wasFailing
  }

  /** The file that the trouble was about is gone. */
  forget(): void {
    this.#write = undefined
    this.#sync = undefined
  }
}

/** How operating systems describe their errors. Redis' error replies contain these words. */

const WORDS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'Permission denied'],
  ['EDQUOT', 'Disk quota exceeded'],
  ['EFBIG', 'File too large'],
  ['EIO', 'Input/output error'],
  ['EMFILE', 'Too many open files'],
  ['ENOENT', 'No such file or directory'],
  ['ENOSPC', 'No space left on device'],
  ['ENOTDIR', 'Not a directory'],
  ['EPERM', 'Operation not permitted'],
  ['EROFS', 'Read-only file system'],
])

export function systemErrorWords(code: string): string {
  return WORDS.get(code) ?? code
}
