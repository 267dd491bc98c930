/**
 * Keeps a record on disk in bounded segments, the oldest removed first. Its owner never waits for it: what the disk
 * does not take in time is left out, and the record goes on with a new segment once there is room again.
 */
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  type StatsFs,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordedSegment } from '../../core/external-query.ts'
import type { KeptRecord } from '../external-queries.ts'
import { nowMs } from '../process/timers.ts'
import { reasonOf } from '../start-error.ts'
import { type FrameType, frameOf, frameOfSync, MAGIC, SEGMENT_SUFFIX } from './frames.ts'

export interface SegmentOptions {
  readonly folder: string
  /** All segments together. Undefined: see `usualBytes`. */
  readonly maxBytes: number | undefined
  readonly maxDays: number
  readonly warn: (text: string) => void
}

/** What knows the contents of the record. */
export interface SegmentOwner {
  /** Hands over everything up to now. */
  cut(): void
  /** Begins a new segment as soon as it can. */
  renew(): void
  /** There is no place for a record until `renew`. */
  pause(): void
}

/** A part of the record that is not on disk yet. */
interface Pending {
  readonly type: FrameType
  readonly text: string
  /** The file of its segment. */
  readonly path: string
  /** It begins the segment. */
  readonly isHead: boolean
}

/** How long after trouble with the disk a new segment is tried. */
const AGAIN_MS = 60_000
/** What may wait for the disk. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** A segment is a part of the whole, so that removing the oldest one leaves most of the record. */
const SEGMENTS = 8
/** Whoever looks for an incident plays its segment from the beginning, which takes some seconds with so many bytes. */
const MAX_SEGMENT_BYTES = 512 * 1024
const MIN_SEGMENT_BYTES = 64 * 1024

/** Readable only by its owner: a record tells which processes talk to each other. */
const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600
/** Nothing is cut off: two writers of the same frame may meet here, see `finish`. */
const WRITE = constants.O_CREAT | constants.O_RDWR

/** [black-box-size] */
export const USUAL_BYTES = 256 * 1024 * 1024
/** A state file or the data of a node are on the same disk, and matter more. */
const SHARE_OF_DISK = 0.1

/** What the segments may take if nobody has said it. A file system that does not tell its size has 0 blocks. */
export function usualBytes({ blocks, bsize }: Pick<StatsFs, 'blocks' | 'bsize'>): number {
  const share = blocks === 0 ? USUAL_BYTES : blocks * bsize * SHARE_OF_DISK
  return Math.max(MIN_SEGMENT_BYTES, Math.min(USUAL_BYTES, share))
}

export class SegmentFiles implements KeptRecord {
  readonly #options: SegmentOptions
  readonly #maxBytes: number
  readonly #owner: SegmentOwner
  #pending: Pending[] = []
  #pendingBytes = 0
  #isWriting = false
  /** The writing that is under way, or was last. */
  #written: Promise<void> = Promise.resolve()
  #file: FileHandle | undefined
  /** The file of the segment that the owner is at. */
  #path = ''
  /** Where the next frame goes. */
  #endsAt = 0
  /** By the monotonic clock, like `#begunAt`. */
  #openedAtMs = 0
  readonly #begunAt = { wallMs: Date.now(), monoMs: nowMs() }
  #number: number
  #again: NodeJS.Timeout | undefined
  #hasEnded = false

  /** Throws the file system's error if the folder cannot be made or read. */
  constructor(options: SegmentOptions, owner: SegmentOwner) {
    this.#options = options
    this.#owner = owner
    mkdirSync(options.folder, { recursive: true, mode: PRIVATE_FOLDER })
    this.#maxBytes = options.maxBytes ?? usualBytes(statfsSync(options.folder))
    this.#number = 1 + Math.max(0, ...this.#segments().map((name) => Number.parseInt(name, 10)))
  }

  /** Begins a segment. */
  begin(type: FrameType, text: string): void {
    this.#path = this.#pathOf(this.#number++)
    this.#put({ type, text, path: this.#path, isHead: true })
  }

  add(type: FrameType, text: string): void {
    this.#put({ type, text, path: this.#path, isHead: false })
  }

  /**
   * The process ends, or has failed: everything is written before this returns. A frame that is
   * just being written goes to the same place once more.
   */
  finish(): void {
    if (this.#hasEnded) return
    this.#owner.cut()
    this.#hasEnded = true
    clearTimeout(this.#again)
    try {
      for (const pending of this.#pending) this.#writeNow(pending)
    } catch (error) {
      this.#options.warn(`black box: its end is lost: ${reasonOf(error)}`)
    }
    if (!this.#isWriting) this.#close()
  }

  /** With what happened up to now. Throws an error with the reason. */
  async list(): Promise<readonly RecordedSegment[]> {
    this.#owner.cut()
    while (this.#isWriting) await this.#written
    return this.#segments().map((name) => {
      const { size, mtimeMs } = statSync(join(this.#options.folder, name))
      return { name, bytes: size, writtenAtMs: Math.floor(mtimeMs) }
    })
  }

  /** A byte string. Throws an error with the reason. */
  async read(segment: string, offset: number, bytes: number): Promise<string> {
    if (!this.#segments().includes(segment))
      throw new Error(
        `there is no segment ${segment}: the oldest are removed, ask for the list again`,
      )
    const file = await open(join(this.#options.folder, segment), constants.O_RDONLY)
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, offset)
      return buffer.toString('latin1', 0, bytesRead)
    } finally {
      await file.close()
    }
  }

  #put(pending: Pending): void {
    if (this.#hasEnded) return
    this.#pending.push(pending)
    this.#pendingBytes += pending.text.length
    if (this.#pendingBytes > MAX_PENDING_BYTES && this.#pending.length > 1)
      return this.#giveUp('the disk does not take it as fast as it comes')
    if (!this.#isWriting) this.#written = this.#writeAll()
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    try {
      for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
        await this.#write(next)
        if (this.#hasEnded) return this.#close()
        // Given up meanwhile: what is left belongs to another segment.
        if (this.#pending[0] !== next) continue
        this.#pending.shift()
        this.#pendingBytes -= next.text.length
      }
      this.#renewIfFull()
    } catch (error) {
      this.#giveUp(reasonOf(error))
    } finally {
      this.#isWriting = false
    }
  }

  async #write({ type, text, path, isHead }: Pending): Promise<void> {
    if (isHead) await this.#openNext(path)
    const frame = await frameOf(type, text)
    if (this.#hasEnded || this.#file === undefined) return
    await this.#file.write(frame, 0, frame.length, this.#endsAt)
    this.#endsAt += frame.length
  }

  async #openNext(path: string): Promise<void> {
    this.#close()
    this.#prune()
    this.#file = await open(path, WRITE, PRIVATE_FILE)
    await this.#file.write(MAGIC, 0)
    this.#endsAt = MAGIC.length
    this.#openedAtMs = nowMs()
  }

  #writeNow({ type, text, path, isHead }: Pending): void {
    if (isHead) this.#endsAt = writeAt(path, Buffer.from(MAGIC), 0)
    this.#endsAt = writeAt(path, frameOfSync(type, text), this.#endsAt)
  }

  #close(): void {
    const file = this.#file
    this.#file = undefined
    file?.close().catch(() => undefined)
  }

  /** A segment that is big or old enough is followed by the next. */
  #renewIfFull(): void {
    const share = Math.floor(this.#maxBytes / SEGMENTS)
    const limit = Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, share))
    const isOld = nowMs() - this.#openedAtMs > HOUR_MS
    if (this.#endsAt > limit || isOld) this.#owner.renew()
  }

  #giveUp(reason: string): void {
    this.#owner.pause()
    this.#pending = []
    this.#pendingBytes = 0
    this.#options.warn(
      `black box: what happens now is not recorded: ${reason} (${this.#options.folder}); ` +
        `a new segment is tried in ${AGAIN_MS / 1000} seconds`,
    )
    this.#again ??= setTimeout(() => {
      this.#again = undefined
      this.#owner.renew()
    }, AGAIN_MS).unref()
  }

  /**
   * Removes segments that are too old, and the oldest until there is room for another one. A wall clock that was
   * set ahead makes nothing older: the record of just that accident would be removed.
   */
  #prune(): void {
    const { folder, maxDays } = this.#options
    const oldest = this.#begunAt.wallMs + nowMs() - this.#begunAt.monoMs - maxDays * DAY_MS
    const all = this.#segments().map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name))
      return { path: join(folder, name), size, mtimeMs }
    })
    let bytes = all.reduce((sum, { size }) => sum + size, 0)
    const room = this.#maxBytes - Math.floor(this.#maxBytes / SEGMENTS)
    for (const { path, size, mtimeMs } of all) {
      if (bytes <= room && mtimeMs >= oldest) continue
      rmSync(path, { force: true })
      bytes -= size
    }
  }

  /** The names of the segments, the oldest first. */
  #segments(): readonly string[] {
    const names = readdirSync(this.#options.folder)
    return names.filter((name) => /^\d{8}\.vbb$/.test(name)).sort()
  }

  #pathOf(number: number): string {
    return join(this.#options.folder, `${String(number).padStart(8, '0')}${SEGMENT_SUFFIX}`)
  }
}

/** Returns the offset behind what it has written. */
function writeAt(path: string, bytes: Buffer, at: number): number {
  const file = openSync(path, WRITE, PRIVATE_FILE)
  try {
    writeSync(file, bytes, 0, bytes.length, at)
  } finally {
    closeSync(file)
  }
  return at + bytes.length
}
