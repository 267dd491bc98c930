/**
 * CLIENT PAUSE: commands wait until the pause is over. Meanwhile nothing expires either, so that the
 * data and the replication offset stand still while a replica catches up. A second pause never shortens
 * or loosens the first.
 */
import type { Session } from './session.ts'

export type PauseScope = 'writes' | 'all'

const NOBODY: readonly Session[] = []

export class Pause {
  #untilMs = 0
  #scope: PauseScope | undefined
  /** Sessions with a command that waits, in the order they came. */
  #held: Session[] = []

  /** What is held back at the moment; undefined: nothing. */
  get scope(): PauseScope | undefined {
    return this.#scope
  }

  /** Monotonic; undefined when there is no pause. */
  get untilMs(): number | undefined {
    return this.#scope === undefined ? undefined : this.#untilMs
  }

  start(untilMs: number, scope: PauseScope): void {
    this.#untilMs = this.#scope === undefined ? untilMs : Math.max(this.#untilMs, untilMs)
    if (this.#scope !== 'all') this.#scope = scope
  }

  end(): void {
    this.#scope = undefined
  }

  hold(session: Session, argv: readonly string[]): void {
    session.postponed = argv
    this.#held.push(session)
  }

  /** The sessions that may go on; none while there is a pause. */
  takeReleased(): readonly Session[] {
    if (this.#scope !== undefined || this.#held.length === 0) return NOBODY
    const released = this.#held
    this.#held = []
    return released
  }

  /** `nowMs` is monotonic. */
  isOver(nowMs: number): boolean {
    return this.#scope !== undefined && nowMs >= this.#untilMs
  }
}
