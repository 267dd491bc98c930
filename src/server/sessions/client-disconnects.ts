/**
 * Sends clients away from a node that is of no use to them any more, so that they ask a Sentinel
 * which node is the master, instead of collecting errors on a connection that works. A closed
 * connection is the one sign every client library understands.
 *
 * [demotion-closes-clients] A master that becomes a replica, by whatever order, closes all
 * connections of clients at the end of the turn: by then the client that gave the order has its
 * answer, and writes that waited have been told READONLY. If clients are paused, a coordinated
 * failover is taken to be under way: its conductor sends them away when the new master is known,
 * and only if that pause runs out are they closed here.
 *
 * [fenced-closes-clients] A master that refuses a write because too few replicas would have it may
 * have been replaced already, on the other side of a partition. The client is sent away after the
 * error. A client that finds no better node comes straight back, and is spared for a while: no
 * client is closed more often than every five seconds, and clients that only read are never closed.
 */

import type { Settings } from '../settings/settings.ts'
import type { Pause } from './pause.ts'
import type { ClientSession } from './session.ts'
import type { Sessions } from './sessions.ts'

/** A connection younger than this is not closed for a refused write. */
const FENCED_AGE_MIN_MS = 5_000

export class ClientDisconnects {
  readonly #settings: Settings
  readonly #sessions: Sessions
  readonly #pause: Pause
  /** When to close the clients: at the end of the present turn, or once the pause is over. */
  #due: 'turn' | 'pause' | undefined
  /**
   * The client that gave the order stays connected: it has more to say, and knows of the change.
   */
  #spared: ClientSession | undefined

  constructor(settings: Settings, sessions: Sessions, pause: Pause) {
    this.#settings = settings
    this.#sessions = sessions
    this.#pause = pause
  }

  /** Whether a master that becomes a replica sends its clients away. */
  get isOn(): boolean {
    return this.#settings.flag('demotion-closes-clients')
  }

  /** This node was a master until now. */
  demoted(by: ClientSession | undefined): void {
    if (!this.isOn) return
    this.#due = this.#pause.scope === undefined ? 'turn' : 'pause'
    this.#spared = by
  }

  /** Time has passed: a pause that no command has ended may be over. */
  timePassed(): void {
    if (this.#due === 'pause' && this.#pause.scope === undefined) this.#due = 'turn'
  }

  /**
   * Every command of the turn has been answered. A node that is a master again keeps its clients.
   */
  turnEnds(isReplica: boolean): void {
    if (this.#due === undefined) return
    if (this.#due === 'turn') {
      if (isReplica) this.#closeAll()
    }
    // A command ended the pause: the client that sent it has seen to the others.
    else if (this.#pause.scope !== undefined) return
    this.#due = undefined
    this.#spared = undefined
  }

  /**
   * A write of this client was refused because too few replicas would have it. `nowMs` is
   * monotonic.
   */
  fenced(session: ClientSession, nowMs: number): void {
    if (nowMs - session.connectedAtMs < FENCED_AGE_MIN_MS || session.isClosing) return
    if (this.#settings.flag('fenced-closes-clients')) this.#sessions.closeAfterReply(session)
  }

  #closeAll(): void {
    for (const session of [...this.#sessions]) {
      const isClient = session.kind === 'normal' || session.kind === 'pubsub'
      if (isClient && session !== this.#spared) this.#sessions.close(session)
    }
  }
}
