import type { Rng } from '../base/rng.ts'
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

/**
 * The files of one process. A save replaces a file as a whole: until it is done the old content
 * stands, and a crash before that leaves the old content for ever. What is done survives everything
 * but an explicit wipe.
 */
export class Disk {
  readonly #start: DiskStart
  readonly #files = new Map<string, string>()
  /** Saves of an earlier life must not finish in a later one. */
  #life = 0
  #failure: string | undefined

  constructor(start: DiskStart) {
    this.#start = start
  }

  read(path: string): string | undefined {
    return this.#files.get(path)
  }

  /** `done` is called when the bytes are safe or the save has failed; never after a crash. */
  save(path: string, bytes: string, done: SaveDone): void {
    const { scheduler, rng, latency } = this.#start
    const life = this.#life
    const tookMs = latency.minMs + rng.below(latency.maxMs - latency.minMs + 1)
    scheduler.after(tookMs, () => {
      if (life !== this.#life) return
      done(this.saveNow(path, bytes))
    })
  }

  /** A save that blocks its process. Gives the reason when it failed. */
  saveNow(path: string, bytes: string): string | undefined {
    if (this.#failure !== undefined) return this.#failure
    this.#files.set(path, bytes)
    return undefined
  }

  /** From now on every save fails with this reason; undefined repairs the disk. */
  failWith(reason: string | undefined): void {
    this.#failure = reason
  }

  /** The process died: saves that were not done yet have never happened. */
  crash(): void {
    this.#life++
  }

  /** Everything is gone, as when a container comes back without its volume. */
  wipe(): void {
    this.#files.clear()
  }
}
