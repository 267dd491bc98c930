/**
 * The session in which the commands of our master's stream run. It belongs to no client connection,
 * answers nothing and never waits; it keeps the selected database and an open transaction.
 */
import type { Moment } from '../../base/clock.ts'
import type { Address } from '../../base/ip.ts'
import type { ConnectionId, Endpoints } from '../port.ts'
import { ClientSession, type OutputSink } from './session.ts'

/** No connection of a client has this id. */
const NO_CONNECTION = 0
/** Connections that we made have negative ids, which CLIENT KILL does not take; no client's id comes this far. */
const ABOVE_CLIENTS = 2 ** 52
const NOWHERE: Endpoints = { remoteHost: '', remotePort: 0, localHost: '', localPort: 0 }

export class MasterSession {
  /**
   * Runs one command: no reply, no read-only check, expiry ignored, never propagated by itself; see
   * replay.ts.
   */
  run: (session: ClientSession, argv: readonly string[]) => void = () => undefined
  /** Told of each command that ends with an error, also of those in a transaction. */
  failed: (name: string, text: string) => void = () => undefined
  readonly #startedAt: Moment
  readonly #sink: OutputSink
  #session: ClientSession

  constructor(startedAt: Moment, sink: OutputSink) {
    this.#startedAt = startedAt
    this.#sink = sink
    this.#session = newStreamSession(startedAt, sink)
  }

  /** The database the stream has selected. */
  get db(): number {
    return this.#session.db
  }

  set db(db: number) {
    this.#session.db = db
  }

  /** Between MULTI and EXEC. */
  get isInTransaction(): boolean {
    return this.#session.transaction !== undefined
  }

  /** What CLIENT LIST shows of the connection it comes from. Times are monotonic. */
  asClient(
    id: ConnectionId,
    { host, port }: Address,
    times: { readonly connectedAtMs: number; readonly heardAtMs: number },
  ): ClientSession {
    const ends = { ...NOWHERE, remoteHost: host, remotePort: port }
    const connectedAt = { monoMs: times.connectedAtMs, wallMs: 0 }
    const shown = new ClientSession(ABOVE_CLIENTS + Math.abs(id), ends, connectedAt, this.#sink)
    const { db, transaction, lastCommand } = this.#session
    Object.assign(shown, { kind: 'master', db, transaction, lastCommand })
    shown.lastInputAtMs = times.heardAtMs
    return shown
  }

  apply(argv: readonly string[]): void {
    this.run(this.#session, argv)
  }

  /** Forgets an open transaction. */
  reset(): void {
    const { db } = this.#session
    this.#session = newStreamSession(this.#startedAt, this.#sink)
    this.#session.db = db
  }
}

/** A session that sends no replies, never waits and for which nothing expires. */
export function newStreamSession(startedAt: Moment, sink: OutputSink): ClientSession {
  const session = new ClientSession(NO_CONNECTION, NOWHERE, startedAt, sink)
  session.kind = 'master'
  session.mayBlock = false
  return session
}

/** A session in which the commands of scripts run: what it is sent goes nowhere. */
export function newScriptSession(startedAt: Moment): ClientSession {
  const session = new ClientSession(NO_CONNECTION, NOWHERE, startedAt, DEAF)
  session.isScript = true
  session.isAuthenticated = true
  session.mayBlock = false
  return session
}

const DEAF: OutputSink = {
  hasOutput: (session) => session.dropOutput(),
  isFull: (session) => session.dropOutput(),
  isTooLong: () => false,
  hasMore: (session) => session.dropOutput(),
}
