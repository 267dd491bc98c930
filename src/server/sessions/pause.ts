/**
 * CLIENT PAUSE and FAILOVER: commands wait until the pause is over. Meanwhile nothing expires
 * either, so that the data and the replication offset stand still while a replica catches up. A
 * second pause of the same cause never shortens or loosens the first, and the end of one cause
 * leaves the other alone.
 */
import type { ClientSession } from './session.ts'

/** `data`: whatever shows or changes data; PING and INFO do neither. */
export type PauseScope = 'writes' | 'data' | 'all'
const SCOPES: readonly PauseScope[] = ['all', 'data', 'writes']
/**
 * What holds commands back: CLIENT PAUSE, a running FAILOVER or MIGRATE, the role to come, a shutdown, DEBUG RELOAD,
 * or the fence under which a strict master does not know whether it stays one.
 */
export type PauseCause =
  | 'client'
  | 'failover'
  | 'takeover'
  | 'shutdown'
  | 'reload'
  | 'migration'
  | 'fence'

interface Hold {
  /** Monotonic; Infinity: until the cause itself ends it. */
  readonly untilMs: number
  readonly scope: PauseScope
}

const NOBODY: readonly ClientSession[] = []

export class Pause {
  readonly #holds = new Map<PauseCause, Hold>()
  #scope: PauseScope | undefined
  /** Sessions whose command waits, in the order the commands came. */
  #held: ClientSession[] = []

  /** Which commands are held back at the moment; undefined: none. */
  get scope(): PauseScope | undefined {
    return this.#scope
  }

  /** Whether this is all that holds commands back. */
  isOnlyFor(cause: PauseCause): boolean {
    return this.#holds.size === 1 && this.#holds.has(cause)
  }

  /** The oldest of those that hold commands back at the moment. */
  get cause(): PauseCause | undefined {
    const [oldest] = this.#holds.keys()
    return oldest
  }

  /** When the next hold ends by itself, monotonic; undefined: none does. */
  get untilMs(): number | undefined {
    let untilMs = Number.POSITIVE_INFINITY
    for (const hold of this.#holds.values()) untilMs = Math.min(untilMs, hold.untilMs)
    return untilMs === Number.POSITIVE_INFINITY ? undefined : untilMs
  }

  start(untilMs: number, scope: PauseScope, cause: PauseCause = 'client'): void {
    const before = this.#holds.get(cause)
    this.#holds.set(cause, {
      untilMs: Math.max(before?.untilMs ?? untilMs, untilMs),
      scope: before?.scope === 'all' ? 'all' : scope,
    })
    this.#update()
  }

  end(cause: PauseCause = 'client'): void {
    if (this.#holds.delete(cause)) this.#update()
  }

  /** Whether this is one of the causes why commands wait. */
  has(cause: PauseCause): boolean {
    return this.#holds.has(cause)
  }

  hold(session: ClientSession, argv: readonly string[]): void {
    session.postponed = argv
    this.#held.push(session)
  }

  /** The sessions that may go on; none while there is a pause. */
  takeReleased(): readonly ClientSession[] {
    if (this.#scope !== undefined || this.#held.length === 0) return NOBODY
    const released = this.#held
    this.#held = []
    return released
  }

  /** Ends the holds whose time is over. `nowMs` is monotonic. */
  endOverdue(nowMs: number): void {
    for (const [cause, hold] of this.#holds) if (nowMs >= hold.untilMs) this.end(cause)
  }

  #update(): void {
    const scopes = [...this.#holds.values()].map(({ scope }) => scope)
    this.#scope = SCOPES.find((scope) => scopes.includes(scope))
  }
}
