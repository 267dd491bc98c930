/**
 * The session the commands of our master's stream run in. It belongs to no connection of a client,
 * answers nothing and never waits; what it keeps is the selected database and an open transaction.
 */
import type { Moment } from '../base/clock.ts'
import type { Endpoints } from './port.ts'
import type { StreamTarget } from './replication/host.ts'
import { type OutputSink, Session } from './session.ts'

/** No connection of a client has this id. */
const NO_CONNECTION = 0
const NOWHERE: Endpoints = { remoteHost: '', remotePort: 0, localHost: '', localPort: 0 }

export interface MasterSessionOptions {
  readonly startedAt: Moment
  readonly sink: OutputSink
  /** Runs one command of the stream. */
  readonly apply: (session: Session, argv: readonly string[]) => void
}

export class MasterSession implements StreamTarget {
  readonly #options: MasterSessionOptions
  #session: Session

  constructor(options: MasterSessionOptions) {
    this.#options = options
    this.#session = newSession(options)
  }

  get db(): number {
    return this.#session.db
  }

  set db(db: number) {
    this.#session.db = db
  }

  get isInTransaction(): boolean {
    return this.#session.transaction !== undefined
  }

  apply(argv: readonly string[]): void {
    this.#options.apply(this.#session, argv)
  }

  reset(): void {
    const { db } = this.#session
    this.#session = newSession(this.#options)
    this.#session.db = db
  }
}

function newSession({ startedAt, sink }: MasterSessionOptions): Session {
  const session = new Session(NO_CONNECTION, NOWHERE, startedAt, sink)
  session.kind = 'master'
  session.mayBlock = false
  return session
}
