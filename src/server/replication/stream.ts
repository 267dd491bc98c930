/**
 * The stream of changes this node passes on: on a master the effects of its commands, on a replica the
 * very bytes its own master sent. Everything is written to the history and to all replicas in the same
 * order, because positions in it are all that a resynchronisation goes by.
 */
import type { History } from './history.ts'
import { StreamEncoder } from './propagation.ts'
import type { Replicas } from './replicas.ts'

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
    this.feed(this.#encoder.encode(db, commands))
  }

  /** Something of ours that belongs to no database: a PING, a GETACK. */
  feedIfKept(bytes: string): void {
    if (this.#history.backlog !== undefined) this.feed(bytes)
  }

  /** Bytes of the history, which is ours or our master's. */
  feed(bytes: string): void {
    this.#history.append(bytes)
    this.#replicas.pass(bytes)
    this.#history.backlog?.trim(this.#replicas.neededFromOffset())
  }

  forgetDb(): void {
    this.#encoder.forgetDb()
  }
}
