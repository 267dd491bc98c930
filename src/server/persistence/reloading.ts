/**
 * DEBUG RELOAD: saves the data and loads them again from the file, for tests. Nobody else's command runs
 * meanwhile, or what it did would be lost.
 */
import type { Pause } from '../sessions/pause.ts'
import type { PersistenceHost } from './host.ts'
import type { Jobs } from './jobs.ts'
import type { Loading } from './loading.ts'
import type { Saving } from './saving.ts'

export interface ReloadingParts {
  readonly host: PersistenceHost
  readonly jobs: Jobs
  readonly saving: Saving
  readonly loading: Loading
  readonly pause: Pause
}

/** Undefined: done. Otherwise why not. */
export type OnReloaded = (problem: string | undefined) => void

export class Reloading {
  readonly #parts: ReloadingParts
  #isActive = false

  constructor(parts: ReloadingParts) {
    this.#parts = parts
  }

  /** False: one is under way. */
  begin(mustSave: boolean, onReloaded: OnReloaded): boolean {
    if (this.#isActive) return false
    const { saving, pause } = this.#parts
    this.#isActive = true
    pause.start(Number.POSITIVE_INFINITY, 'all', 'reload')
    const end = (problem: string | undefined) => this.#end(problem, onReloaded)
    if (!mustSave) this.#load(end)
    else saving.order((failure) => (failure === undefined ? this.#load(end) : end(failure.text)))
    return true
  }

  #load(end: OnReloaded): void {
    const { host, jobs, loading } = this.#parts
    jobs.start(loading.reload(), (result) => {
      if (result.kind === 'refused') return end(result.text)
      for (const { db, key } of result.expiredKeys) host.tellExpired(db, key)
      host.stats.changes = 0
      end(undefined)
    })
  }

  #end(problem: string | undefined, onReloaded: OnReloaded): void {
    this.#isActive = false
    this.#parts.pause.end('reload')
    onReloaded(problem)
  }
}
