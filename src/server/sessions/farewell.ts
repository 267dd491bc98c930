/**
 * Sending clients away from a node that is of no use to them any more, so that they ask a Sentinel who the
 * master is, instead of collecting errors on a connection that works. A closed connection is the one
 * sign every client library understands.
 *
 * [demotion-closes-clients] A master that becomes a replica, whoever wanted that, closes all connections of
 * clients once the turn is over: whoever gave the order has its answer, and writes that waited have been
 * told READONLY. Where clients are paused, somebody is conducting the change and will send them away when
 * the new master is known (coordinated failover); only if that pause runs out is it done here.
 *
 * [fenced-closes-clients] A master that refuses a write because too few replicas would have it may have
 * been replaced already, on the other side of a partition. The client is sent away behind the error. One
 * that finds nobody better comes straight back, and is spared for a while: no client is closed more
 * often than every five seconds, and those that only read never.
 */

import type { Settings } from '../settings/settings.ts'
import type { Pause } from './pause.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'

/** A connection younger than this is not closed for a refused write. */
const FENCED_AGE_MIN_MS = 5_000

export interface FarewellParts {
  readonly settings: Settings
  readonly sessions: Sessions
  readonly pause: Pause
  isReplica(): boolean
}

export class Farewell {
  readonly #parts: FarewellParts
  /** When the clients are to go: with the present turn, or once the pause is over. */
  #due: 'turn' | 'pause' | undefined
  /** Whoever ordered it goes on: it has more to say, and knows. */
  #spared: Session | undefined

  constructor(parts: FarewellParts) {
    this.#parts = parts
  }

  /** This node was a master until now. */
  demoted(by: Session | undefined): void {
    const { settings, pause } = this.#parts
    if (!settings.flag('demotion-closes-clients')) return
    this.#due = pause.scope === undefined ? 'turn' : 'pause'
    this.#spared = by
  }

  /** Time has passed: a pause that nobody has ended may be over. */
  timePassed(): void {
    if (this.#due === 'pause' && this.#parts.pause.scope === undefined) this.#due = 'turn'
  }

  /** Every command of the turn has been answered. */
  turnEnds(): void {
    if (this.#due === undefined) return
    if (this.#due === 'turn') this.#closeAll()
    // Ended by a command: whoever gave it has seen to the clients.
    else if (this.#parts.pause.scope !== undefined) return
    this.#due = undefined
    this.#spared = undefined
  }

  /** A write of this client was refused for want of replicas. `nowMs` is monotonic. */
  fenced(session: Session, nowMs: number): void {
    const { settings, sessions } = this.#parts
    if (nowMs - session.connectedAtMs < FENCED_AGE_MIN_MS || session.isClosing) return
    if (settings.flag('fenced-closes-clients')) sessions.closeAfterReply(session)
  }

  #closeAll(): void {
    const { sessions, isReplica } = this.#parts
    if (!isReplica()) return
    for (const session of [...sessions]) {
      const isClient = session.kind === 'normal' || session.kind === 'pubsub'
      if (isClient && session !== this.#spared) sessions.close(session)
    }
  }
}
