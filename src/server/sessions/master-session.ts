/**
 * The session the commands of our master's stream run in. It belongs to no connection of a client,
 * answers nothing and never waits; what it keeps is the selected database and an open transaction.
 */
import type { Moment } from '../../base/clock.ts'
import type { Endpoints } from '../port.ts'
import type { StreamTarget } from '../replication/host.ts'
import { type OutputSink, Session } from './session.ts'

/** No connection of a client has this id. */
const NO_CONNECTION = 0
const NOWHERE: Endpoints = { remoteHost: '', remotePort: 0, localHost: '', localPort: 0 }

export interface StreamSessionOptions {
  readonly startedAt: Moment
  readonly sink: OutputSink
}

export interface MasterSessionOptions extends StreamSessionOptions {
  /** Runs one command of the stream. */
  readonly apply: (session: Session, argv: readonly string[]) => void
}

export class MasterSession implements StreamTarget {
  readonly #options: MasterSessionOptions
  #session: Session

  constructor(options: MasterSessionOptions) {
    this.#options = options
    this.#session = newStreamSession(options)
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
    this.#session = newStreamSession(this.#options)
    this.#session.db = db
  }
}

/** A session that answers nobody, never waits and for which nothing expires. */
export function newStreamSession({ startedAt, sink }: StreamSessionOptions): Session {
  const session = new Session(NO_CONNECTION, NOWHERE, startedAt, sink)
  session.kind = 'master'
  session.mayBlock = false
  return session
}
