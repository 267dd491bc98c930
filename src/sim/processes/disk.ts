/**
 * The files of one process, saved as in production: the new content is written beside the old and
 * synced, renamed over it, and then the folder is synced. So a crash before the rename leaves the
 * old content for ever, and one after it the new, whether reported or not; between the rename and
 * the last sync, a power loss leaves one of the two. It is never a mix.
 */
import type { Rng } from '../../base/rng.ts'
import type { Scheduler } from '../scheduler.ts'
import { DataFiles } from './data-files.ts'

/** How long a save takes until it is durable: one draw of min..max per save. */
export interface SaveLatency {
  readonly minMs: number
  readonly maxMs: number
}

export interface DiskStart {
  readonly scheduler: Scheduler
  readonly rng: Rng
  readonly latency: SaveLatency
}

/** A file as it was until then. */
interface FileVersion {
  readonly path: string
  readonly bytes: string
  readonly untilMs: number
}

/** Backups that are older than this many saves are gone. */
const VERSIONS_MAX = 500

/** `failure` is undefined if the bytes are safe. */
export type SaveDone = (failure: string | undefined) => void

export interface DiskFault {
  /**
   * `write`: nothing is written. `sync`: the new content is in place and may not survive a power
   * loss.
   */
  readonly operation: 'write' | 'sync'
  readonly reason: string
}

export class Disk {
  /** The folder of a data node on this disk. */
  readonly data = new DataFiles()
  readonly #start: DiskStart
  /** The files as any process sees them. */
  readonly #files = new Map<string, string>()
  /**
   * What the disk certainly has for files whose last rename is not synced; undefined for no such
   * file.
   */
  readonly #synced = new Map<string, string | undefined>()
  readonly #powerRng: Rng
  readonly #dataRng: Rng
  /** What the files were before, for backups: the oldest first. */
  readonly #versions: FileVersion[] = []
  /** How much longer than usual everything takes. */
  #delayMs = 0
  /** Saves of an earlier life must not finish in a later one. */
  #life = 0
  #fault: DiskFault | undefined

  constructor(start: DiskStart) {
    this.#start = start
    this.#powerRng = start.rng.fork('power')
    this.#dataRng = start.rng.fork('data')
  }

  read(path: string): string | undefined {
    return this.#files.get(path)
  }

  /** Puts a file there that no process of this world writes: it came with the installation. */
  install(path: string, bytes: string): void {
    this.#files.set(path, bytes)
  }

  /** `done` is called when the bytes are safe or the save has failed; never after a crash. */
  save(path: string, bytes: string, done: SaveDone): void {
    const { scheduler } = this.#start
    const life = this.#life
    const tookMs = this.nextLatencyMs()
    let failure: string | undefined
    // Syncing the folder takes as long as writing the file.
    scheduler.after(tookMs >> 1, () => {
      if (life === this.#life) failure = this.#replace(path, bytes)
    })
    scheduler.after(tookMs, () => {
      if (life === this.#life) done(failure ?? this.#sync(path))
    })
  }

  /** A save that blocks its process. Returns the reason if it failed. */
  saveNow(path: string, bytes: string): string | undefined {
    return this.#replace(path, bytes) ?? this.#sync(path)
  }

  /** From now on every save fails with this fault; undefined repairs the disk. */
  failWith(fault: DiskFault | undefined): void {
    this.#fault = fault
    this.data.failWith(fault && { operation: fault.operation, code: fault.reason })
  }

  /** From now on whatever must reach the disk takes this much longer. */
  slowDown(byMs: number): void {
    this.#delayMs = byMs
  }

  repair(): void {
    this.failWith(undefined)
    this.#delayMs = 0
  }

  /** How much longer than usual a save takes at present. */
  get delayMs(): number {
    return this.#delayMs
  }

  /** How long the next save takes until it is durable. */
  nextLatencyMs(): number {
    const { rng, latency } = this.#start
    return latency.minMs + rng.below(latency.maxMs - latency.minMs + 1) + this.#delayMs
  }

  /**
   * The files are again as they were so long ago; a backup of a file that did not exist yet is the
   * first that was written. The data of a node stay as they are.
   */
  rollBack(byMs: number): void {
    const atMs = this.#start.scheduler.nowMs - byMs
    for (const { path, bytes, untilMs } of this.#versions.toReversed()) {
      if (untilMs > atMs) this.#files.set(path, bytes)
    }
    this.#synced.clear()
  }

  /** The process died: unfinished saves that had not renamed yet never happened. */
  crash(): void {
    this.#life++
  }

  /** Chance decides whether the disk has what was not synced. */
  losePower(): void {
    this.crash()
    for (const [path, old] of this.#synced) {
      if (this.#powerRng.chance(1, 2)) continue
      if (old === undefined) this.#files.delete(path)
      else this.#files.set(path, old)
    }
    this.#synced.clear()
    this.data.losePower(this.#dataRng)
  }

  /** Everything is gone, as when a container comes back without its volume. */
  wipe(): void {
    this.#files.clear()
    this.#synced.clear()
    this.data.wipe()
  }

  #replace(path: string, bytes: string): string | undefined {
    if (this.#fault?.operation === 'write') return this.#fault.reason
    const old = this.#files.get(path)
    if (!this.#synced.has(path)) this.#synced.set(path, old)
    if (old !== undefined && old !== bytes) this.#keepVersion(path, old)
    this.#files.set(path, bytes)
    return undefined
  }

  #keepVersion(path: string, bytes: string): void {
    this.#versions.push({ path, bytes, untilMs: this.#start.scheduler.nowMs })
    if (this.#versions.length > VERSIONS_MAX) this.#versions.shift()
  }

  #sync(path: string): string | undefined {
    if (this.#fault?.operation === 'sync') return this.#fault.reason
    this.#synced.delete(path)
    return undefined
  }
}
