import type { Happening } from '../happening.ts'

/**
 * Lives of processes whose disk failed at some time in them. A Sentinel that cannot save gives no vote,
 * but goes on telling what it learns; what it told then, it may not know after a restart.
 */
export class UnsavedLives {
  readonly #failing = new Set<string>()
  readonly #unsaved = new Set<string>()

  /** The process whose unsaved life has ended with this happening. */
  endedWith(happening: Happening): string | undefined {
    if (happening.kind === 'fault') this.#noteFault(happening)
    const { process } = happening
    if (happening.kind !== 'status' || process === undefined) return undefined
    if (happening.status === 'running' && this.#failing.has(process)) this.#unsaved.add(process)
    return happening.status === 'down' && this.#unsaved.delete(process) ? process : undefined
  }

  #noteFault({ action }: Happening & { readonly kind: 'fault' }): void {
    if (action?.kind === 'repairDisk') this.#failing.delete(action.process)
    if (action?.kind !== 'failDisk') return
    this.#failing.add(action.process)
    this.#unsaved.add(action.process)
  }
}
