/**
 * [min-replicas-to-write, min-replicas-max-lag] A master that too few replicas follow closely refuses writes:
 * nobody might have them when it is gone. How many follow is counted once a second (serving/replicas.ts).
 */
import type { ReplicationHost } from './host.ts'
import type { Replicas } from './serving/replicas.ts'

const NOREPLICAS = 'NOREPLICAS Not enough good replicas to write.'

export class WriteFence {
  readonly #host: ReplicationHost
  readonly #replicas: Replicas

  constructor(host: ReplicationHost, replicas: Replicas) {
    this.#host = host
    this.#replicas = replicas
    const recount = () => replicas.recountGood()
    host.settings.onChange('min-replicas-to-write', recount)
    host.settings.onChange('min-replicas-max-lag', recount)
  }

  /** For a master: why a write must be refused now; undefined: it may be done. */
  refusal(): string | undefined {
    const { settings } = this.#host
    const needed = settings.int('min-replicas-to-write')
    if (needed === 0 || settings.int('min-replicas-max-lag') === 0) return undefined
    return this.#replicas.goodCount < needed ? NOREPLICAS : undefined
  }
}
