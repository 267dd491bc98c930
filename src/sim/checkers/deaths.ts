/** When which process was really dead. */
import type { Happening } from '../happening.ts'

export interface DeathQuestion {
  /** Only longer ones count. */
  readonly forMs: number
  /** Deaths that were over before do not count. */
  readonly sinceMs: number
  readonly nowMs: number
}

interface Death {
  readonly fromMs: number
  /** Undefined: it lasts. */
  endMs: number | undefined
}

export class Deaths {
  readonly #of = new Map<string, Death[]>()

  note(happening: Happening): void {
    const { atMs, process } = happening
    if (happening.kind !== 'status' || process === undefined) return
    const deaths = this.#of.get(process) ?? []
    this.#of.set(process, deaths)
    const last = deaths.at(-1)
    if (last !== undefined && happening.status !== 'down') last.endMs ??= atMs
    if (happening.status === 'down') deaths.push({ fromMs: atMs, endMs: undefined })
  }

  hasDied(process: string, { forMs, sinceMs, nowMs }: DeathQuestion): boolean {
    const deaths = this.#of.get(process) ?? []
    return deaths.some(({ fromMs, endMs = nowMs }) => endMs >= sinceMs && endMs - fromMs > forMs)
  }
}
