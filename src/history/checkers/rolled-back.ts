/**
 * Sentinels that were started again from an old copy of their state file. What they told since that copy
 * they may tell once more and otherwise: they may vote a second time in an epoch that they have forgotten,
 * and so an epoch may get a second leader. Nothing in the protocol can prevent that, and we do not promise
 * it. Later epochs are as safe as ever.
 */
import type { Happening } from '../happening.ts'

export class RolledBack {
  /** The highest epoch that each process has told. */
  readonly #told = new Map<string, number>()
  /** Up to which epoch each process may have forgotten its votes. */
  readonly #forgotten = new Map<string, number>()

  note(happening: Happening): void {
    const { process } = happening
    if (happening.kind === 'vote') this.#tell(process, happening.epoch)
    else if (happening.kind === 'hello') this.#tell(process, happening.currentEpoch ?? 0)
    else if (happening.kind === 'fault' && happening.action?.kind === 'rollBack') {
      const name = happening.action.process
      this.#forgotten.set(name, this.#told.get(name) ?? 0)
    }
  }

  /** Whether that process may not remember a vote of that epoch. */
  mayRepeat(process: string | undefined, epoch: number): boolean {
    return epoch <= (this.#forgotten.get(process ?? '') ?? -1)
  }

  /** Whether any process may have voted twice in that epoch. */
  mayHaveTwoLeaders(epoch: number): boolean {
    return [...this.#forgotten.values()].some((forgotten) => epoch <= forgotten)
  }

  #tell(process: string | undefined, epoch: number): void {
    if (process === undefined) return
    this.#told.set(process, Math.max(epoch, this.#told.get(process) ?? 0))
  }
}
