/** The append-only file. */
import type { PersistenceHost } from './host.ts'

export class Aof {
  readonly #host: PersistenceHost

  constructor(host: PersistenceHost) {
    this.#host = host
  }

  get isOn(): boolean {
    return this.#host.settings.flag('appendonly') && false
  }

  /** Effects of one command or transaction, in the form replicas are told. */
  propagate(_db: number, _commands: readonly (readonly string[])[]): void {}

  /** Before any reply of the turn leaves. */
  turnEnds(): void {}
}
