/**
 * What the disk refuses the append-only file: writes, syncs, or both. As long as it does, clients are
 * refused what they would write (`failure`), and it is tried again every second. The log hears once that
 * it began and once that it is over.
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

  /** Monotonic. When writing is tried again; undefined: it does not fail. */
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

  /** True: the one before had failed. */
  synced(): boolean {
    const wasFailing = this.isSyncFailing
    if (wasFailing) this.#log('the append-only file is synced again')
    this.#sync = undefined
    return wasFailing
  }

  /** There is no file any more that it could be about. */
  forget(): void {
    this.#write = undefined
    this.#sync = undefined
  }
}
