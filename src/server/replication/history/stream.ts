/**
 * The stream of changes this node passes on: on a master the effects of its commands, on a replica the
 * very bytes its own master sent. Everything is written to the history and to all replicas in the same
 * order, because positions in it are all that a resynchronisation goes by.
 */

import type { Replicas } from '../serving/replicas.ts'
import type { History } from './history.ts'
import { StreamEncoder } from './propagation.ts'

export class Stream {
  readonly #history: History
  readonly #replicas: Replicas
  readonly #encoder = new StreamEncoder()

  constructor(history: History, replicas: Replicas) {
    this.#history = history
    this.#replicas = replicas
  }

  /** Effects of a command of ours. Without a backlog nobody can ask for them, and they do not count. */
  propagate(db: number, commands: readonly (readonly string[])[]): void {
    if (this.#history.backlog === undefined || commands.length === 0) return
    const { db: selected } = this.#encoder
    this.feed(this.#encoder.encode(db, commands), selected)
  }

  /** Something of ours that belongs to no database: a PING, a GETACK. */
  feedIfKept(bytes: string): void {
    if (this.#history.backlog !== undefined) this.feed(bytes, this.#encoder.db)
  }

  /** Bytes of the history, which is ours or our master's. `db`: the database selected before them. */
  feed(bytes: string, db: number | undefined): void {
    this.#history.append(bytes, db)
    this.#replicas.pass(bytes)
    this.#history.backlog?.trim(this.#replicas.neededFromOffset())
  }

  /** The database selected in our own stream; undefined: the next command selects one. */
  get db(): number | undefined {
    return this.#encoder.db
  }

  forgetDb(): void {
    this.#encoder.forgetDb()
  }
}
