/**
 * A payload on its way to replicas that have to be told its length first. It cannot be sent before it is
 * complete, and it may be as large as the dataset; so what is more than a little of it waits in a file in
 * the node's folder, and not in memory.
 */
import { assert } from '../../../base/assert.ts'
import { change, type FileFailure, namesIn, readBytes, type Work } from '../../persistence/files.ts'
import type { Jobs } from '../../persistence/jobs.ts'

/** A payload up to this size is never written to the disk. */
const MEMORY_BYTES = 1024 * 1024
/** More than this between us and the disk is waited for. */
const MAX_UNWRITTEN_BYTES = 4 * 1024 * 1024
/** What one read asks for. */
const READ_BYTES = 256 * 1024

const NAME = /^temp-sync-\d+-\d+\.rdb$/

/** A name no other process has used. */
export function spoolPath(wallMs: number, number: number): string {
  return `temp-sync-${wallMs}-${number}.rdb`
}

export class Spool {
  readonly #jobs: Jobs
  readonly #path: string
  #totalBytes = 0
  /** The whole payload as long as it is small, then what is not in the file yet. */
  #parts: string[] = []
  #partsBytes = 0
  #hasFile = false
  #isWriting = false
  /** Bytes on their way to the disk. */
  #writingBytes = 0
  #isComplete = false
  #failure: FileFailure | undefined

  constructor(jobs: Jobs, path: string) {
    this.#jobs = jobs
    this.#path = path
  }

  get totalBytes(): number {
    return this.#totalBytes
  }

  get failure(): FileFailure | undefined {
    return this.#failure
  }

  /** It should get no more until some of it has been written. */
  get isBehind(): boolean {
    return this.#hasFile && this.#partsBytes + this.#writingBytes > MAX_UNWRITTEN_BYTES
  }

  /** All of it is here, and can be read. */
  get isReadable(): boolean {
    if (!this.#isComplete || this.#failure !== undefined) return false
    return !this.#hasFile || (this.#partsBytes === 0 && !this.#isWriting)
  }

  push(bytes: string): void {
    this.#totalBytes += bytes.length
    this.#parts.push(bytes)
    this.#partsBytes += bytes.length
    if (this.#hasFile || this.#partsBytes > MEMORY_BYTES) this.#write()
  }

  /** Nothing more comes. */
  complete(): void {
    this.#isComplete = true
  }

  /** Gives the bytes from `offset` on, some of them at least, now or later; or why there are none. */
  read(offset: number, onEnd: (bytes: string | FileFailure) => void): void {
    assert(this.isReadable, 'only what is complete is read')
    if (this.#hasFile) return this.#jobs.start(readBytes(this.#path, offset, READ_BYTES), onEnd)
    // A small payload goes out in one piece.
    onEnd(this.#parts.join('').slice(offset))
  }

  remove(): void {
    this.#parts = []
    this.#partsBytes = 0
    this.#isComplete = true
    if (this.#hasFile) this.#jobs.start(change({ kind: 'remove', path: this.#path }), () => {})
  }

  #write(): void {
    if (this.#isWriting || this.#failure !== undefined) return
    this.#isWriting = true
    this.#jobs.start(this.#writeAll(), (failure) => {
      this.#isWriting = false
      this.#failure = failure
    })
  }

  *#writeAll(): Work<FileFailure | undefined> {
    if (!this.#hasFile) {
      this.#hasFile = true
      const failure = yield* change({ kind: 'create', path: this.#path })
      if (failure !== undefined) return failure
    }
    while (this.#partsBytes > 0) {
      const failure = yield* change({ kind: 'append', path: this.#path, bytes: this.#takeParts() })
      if (failure !== undefined) return failure
    }
    return undefined
  }

  #takeParts(): string {
    const bytes = this.#parts.join('')
    this.#parts = []
    this.#partsBytes = 0
    this.#writingBytes = bytes.length
    return bytes
  }
}

/** What a killed process has left behind. */
export function* removeOldSpools(isOurs: (path: string) => boolean): Work<void> {
  const names = yield* namesIn('')
  if ('kind' in names) return
  for (const path of names) {
    if (NAME.test(path) && !isOurs(path)) yield* change({ kind: 'remove', path })
  }
}
