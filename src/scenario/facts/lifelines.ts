/** What is known about one process over a run. */
import type { NodeRole } from '../../history/happening.ts'
import type { RunHistory } from '../world.ts'

export interface Lifeline {
  /** When the process went down, and when it was up again: only the times it came back. */
  readonly restarts: readonly Restart[]
  /** Each role is true until the next one. */
  readonly roles: readonly RoleSpan[]
  /** When the process stopped running: it died, was stopped, or hung for a while. */
  readonly halts: readonly number[]
  /** When the process began to run, or continued. */
  readonly starts: readonly number[]
}

export interface Restart {
  readonly downAtMs: number
  readonly upAtMs: number
}

export interface RoleSpan {
  readonly fromMs: number
  readonly untilMs: number
  readonly role: NodeRole
}

const NOTHING_KNOWN: Lifeline = { restarts: [], roles: [], halts: [], starts: [] }

/** The lifeline of each process, by name. */
export class Lifelines {
  readonly #lines = new Map<string, Draft>()

  constructor(history: Pick<RunHistory, 'happenings' | 'endMs'>) {
    for (const happening of history.happenings) {
      const { process, atMs } = happening
      if (process === undefined) continue
      if (happening.kind === 'status') {
        const line = this.#draft(process)
        if (happening.status === 'running') line.started(atMs)
        else line.halted(atMs, happening.status === 'down')
      } else if (happening.kind === 'role') this.#draft(process).saidRole(atMs, happening.role)
    }
    for (const line of this.#lines.values()) line.endRole(history.endMs)
  }

  of(process: string): Lifeline {
    return this.#lines.get(process) ?? NOTHING_KNOWN
  }

  #draft(process: string): Draft {
    const known = this.#lines.get(process)
    if (known !== undefined) return known
    const draft = new Draft()
    this.#lines.set(process, draft)
    return draft
  }
}

class Draft implements Lifeline {
  readonly restarts: Restart[] = []
  readonly roles: RoleSpan[] = []
  readonly halts: number[] = []
  readonly starts: number[] = []
  #downAtMs: number | undefined
  #role: { readonly fromMs: number; readonly role: NodeRole } | undefined

  started(atMs: number): void {
    this.starts.push(atMs)
    if (this.#downAtMs !== undefined) {
      this.restarts.push({ downAtMs: this.#downAtMs, upAtMs: atMs })
    }
    this.#downAtMs = undefined
  }

  halted(atMs: number, isDown: boolean): void {
    this.halts.push(atMs)
    if (!isDown) return
    this.#downAtMs = atMs
    this.endRole(atMs)
  }

  saidRole(atMs: number, role: NodeRole): void {
    this.endRole(atMs)
    this.#role = { fromMs: atMs, role }
  }

  endRole(untilMs: number): void {
    if (this.#role !== undefined) this.roles.push({ ...this.#role, untilMs })
    this.#role = undefined
  }
}
