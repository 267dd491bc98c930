/**
 * How long and how large a backlog is kept. [repl-backlog-ttl] A master without replicas for long stops
 * counting what it writes, and must then not claim its old history. A replica keeps its backlog: it is not
 * the one who would have to stop counting.
 */
import { ageSeconds } from '../../seconds.ts'
import type { ReplicationHost } from '../host.ts'
import type { Replicas } from '../serving/replicas.ts'
import type { History } from './history.ts'

export class BacklogLifetime {
  readonly #host: ReplicationHost
  readonly #history: History
  readonly #replicas: Replicas

  constructor(host: ReplicationHost, history: History, replicas: Replicas) {
    this.#host = host
    this.#history = history
    this.#replicas = replicas
    host.settings.onChange('repl-backlog-size', () => {
      history.backlogSizeBytes = host.settings.int('repl-backlog-size')
    })
  }

  /** On masters only. */
  everySecond(): void {
    const ttlSeconds = this.#host.settings.int('repl-backlog-ttl')
    if (ttlSeconds === 0 || this.#history.backlog === undefined || this.#replicas.count > 0) return
    if (ageSeconds(this.#host.now.monoMs, this.#replicas.emptySinceMs) <= ttlSeconds) return
    this.#history.backlog = undefined
    this.#history.begin()
  }
}
