/**
 * The master's PING in the stream: a replica that hears nothing for repl-timeout takes its master for
 * dead. It is part of the history like any command, and only masters send it.
 */

import { ageSeconds } from '../../seconds.ts'
import { PING } from '../history/propagation.ts'
import type { Stream } from '../history/stream.ts'
import type { ReplicationHost } from '../host.ts'
import type { Replicas } from './replicas.ts'

export class Heartbeat {
  readonly #host: ReplicationHost
  readonly #replicas: Replicas
  readonly #stream: Stream
  /** Monotonic. Undefined: the next second with a replica is the first. */
  #sentAtMs: number | undefined

  constructor(host: ReplicationHost, replicas: Replicas, stream: Stream) {
    this.#host = host
    this.#replicas = replicas
    this.#stream = stream
  }

  /** True: the stream has got longer. */
  everySecond(): boolean {
    if (this.#replicas.count === 0) {
      this.#sentAtMs = undefined
      return false
    }
    const nowMs = this.#host.now.monoMs
    const periodSeconds = this.#host.settings.int('repl-ping-replica-period')
    if (this.#sentAtMs !== undefined && ageSeconds(nowMs, this.#sentAtMs) < periodSeconds) {
      return false
    }
    this.#sentAtMs = nowMs
    this.#stream.feedIfKept(PING)
    return true
  }
}
