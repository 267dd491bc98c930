/**
 * Whether WAIT can say what it is asked. It is about the writes before it on one connection to a server. On the connection
 * to the next one there are none, so WAIT would be answered at once and promise too much: that a write is with a replica
 * which may never have had it.
 */
import type { CarriedTransaction } from './asked.ts'
import type { CommandKind } from './command-kinds.ts'
import { WAIT_MOVED } from './proxy-errors.ts'

export class WaitedWrites {
  /** Writes went to the present server, and no WAIT behind them. */
  #hasWritten = false
  /** The same of a server that is gone. */
  #isElsewhere = false

  sends(kind: CommandKind): void {
    if (kind === 'write' || kind === 'run' || kind === 'exec') this.#hasWritten = true
    else if (kind === 'wait') this.#hasWritten = false
  }

  serverLost(): void {
    this.#isElsewhere ||= this.#hasWritten
    this.#hasWritten = false
  }

  /** Why this command asks in vain; undefined: it does not. Told once. In a transaction WAIT waits for nothing. */
  refusal(kind: CommandKind, transaction: CarriedTransaction | undefined): string | undefined {
    if (kind !== 'wait' || transaction !== undefined || !this.#isElsewhere) return undefined
    this.#isElsewhere = false
    return WAIT_MOVED
  }
}
