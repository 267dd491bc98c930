import type { Happening } from '../happening.ts'

/**
 * Lives of processes in which the disk failed at some time. A Sentinel that cannot save gives no
 * vote, but goes on announcing what it learns, and may have forgotten that after a restart.
 */
export class UnsavedLives {
  readonly #failing = new Set<string>()
  readonly #unsaved = new Set<string>()

  /** The process whose unsaved life ends with this happening. */
  endedWith(happening: Happening): string | undefined {
    if (happening.kind === 'fault') {
      this.#noteFault(happening)
      // What was told since the backup is forgotten.
      return happening.action?.kind === 'rollBack' ? happening.action.process : undefined
    }
    const { process } = happening
    if (happening.kind !== 'status' || process === undefined) return undefined
    if (happening.status === 'running' && this.#failing.has(process)) this.#unsaved.add(process)
    return happening.status === 'down' && this.#unsaved.delete(process) ? process : undefined
  }

  #noteFault({ action }: Happening & { readonly kind: 'fault' }): void {
    if (action?.kind === 'diskRepair') this.#failing.delete(action.process)
    if (action?.kind !== 'diskFailure') return
    this.#failing.add(action.process)
    this.#unsaved.add(action.process)
  }
}
