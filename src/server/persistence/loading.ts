/** Loading the data when the node starts. Until it is done, commands that touch data are refused. */
import type { PersistenceHost } from './host.ts'

export class Loading {
  readonly #host: PersistenceHost
  #isActive = true

  constructor(host: PersistenceHost) {
    this.#host = host
  }

  get isActive(): boolean {
    return this.#isActive
  }

  start(): void {
    this.#isActive = false
    this.#host.loaded(undefined)
    this.#host.port.ready()
  }
}
