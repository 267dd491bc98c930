import type { Rng } from '../base/rng.ts'
import { DataFiles } from './data-files.ts'
import type { Scheduler } from './scheduler.ts'

/** How long a save takes until it is safe: one draw of min..max per save. */
export interface SaveLatency {
  readonly minMs: number
  readonly maxMs: number
}

export interface DiskStart {
  readonly scheduler: Scheduler
  readonly rng: Rng
  readonly latency: SaveLatency
}

/** `failure` is undefined when the bytes are safe. */
export type SaveDone = (failure: string | undefined) => void

export interface DiskFault {
  /** `write`: nothing is taken. `sync`: the new content is in place and may not survive a power loss. */
  readonly operation: 'write' | 'sync'
  readonly reason: string
}

/**
 * The files of one process, saved as in production: the new content is written beside the old and
 * synced, renamed over it, and then the folder is synced. So a crash before the rename leaves the old
 * content for ever, one after it the new, told or not; and between the rename and the last sync a
 * power loss leaves one of the two. It is never a mix.
 */
export class Disk {
  /** The folder of a data node on this disk. */
  readonly data = new DataFiles()
  readonly #start: DiskStart
  /** As any process sees them. */
  readonly #files = new Map<string, string>()
  /** What the disk surely holds of those whose last rename is not synced; undefined: no such file. */
  readonly #synced = new Map<string, string | undefined>()
  readonly #powerRng: Rng
  readonly #dataRng: Rng
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

  /** Puts a file there that nobody in this world has to write: it came with the installation. */
  install(path: string, bytes: string): void {
    this.#files.set(path, bytes)
  }

  /** `done` is called when the bytes are safe or the save has failed; never after a crash. */
  save(path: string, bytes: string, done: SaveDone): void {
    const { scheduler } = this.#start
    const life = this.#life
    const tookMs = this.nextLatencyMs()
    let failure: string | undefined
    // The folder is synced as long as the file before it.
    scheduler.after(tookMs >> 1, () => {
      if (life === this.#life) failure = this.#replace(path, bytes)
    })
    scheduler.after(tookMs, () => {
      if (life === this.#life) done(failure ?? this.#sync(path))
    })
  }

  /** A save that blocks its process. Gives the reason when it failed. */
  saveNow(path: string, bytes: string): string | undefined {
    return this.#replace(path, bytes) ?? this.#sync(path)
  }

  /** From now on every save fails so; undefined repairs the disk. */
  failWith(fault: DiskFault | undefined): void {
    this.#fault = fault
    this.data.failWith(fault && { operation: fault.operation, code: fault.reason })
  }

  /** How long the next save takes until it is safe. */
  nextLatencyMs(): number {
    const { rng, latency } = this.#start
    return latency.minMs + rng.below(latency.maxMs - latency.minMs + 1)
  }

  /** The process died: of its saves under way, those not renamed yet have never happened. */
  crash(): void {
    this.#life++
  }

  /** Of what was not synced, chance says whether the disk has it. */
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
    if (!this.#synced.has(path)) this.#synced.set(path, this.#files.get(path))
    this.#files.set(path, bytes)
    return undefined
  }

  #sync(path: string): string | undefined {
    if (this.#fault?.operation === 'sync') return this.#fault.reason
    this.#synced.delete(path)
    return undefined
  }
}
