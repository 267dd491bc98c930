/**
 * The MULTI that a client has begun, and the keys it watches: which commands are queued, and what EXEC answers if there
 * is no master, or if the transaction cannot go on with another one. What was queued is kept in asked.ts.
 */
import { type Asked, CarriedTransaction } from './asked.ts'
import type { CommandKind } from './command-kinds.ts'
import { TRANSACTION_TOO_LONG, TRANSACTION_WITHOUT_MASTER } from './proxy-errors.ts'

export class OpenTransaction {
  current: CarriedTransaction | undefined
  #isWatching = false
  /** Keys were watched on a server that is gone. */
  #isWatchLost = false

  /** Whether a server queues such a command until EXEC. */
  queues(kind: CommandKind): boolean {
    return this.current !== undefined && !isEnd(kind) && kind !== 'watch'
  }

  /** A server would carry out this EXEC, though a watched key may have changed. */
  mustNotRun(kind: CommandKind): boolean {
    return kind === 'exec' && this.#isWatchLost
  }

  /** The command is about to be sent. */
  sends(asked: Asked): void {
    const { kind, isQueued } = asked
    if (kind === 'multi' && this.current === undefined) this.#begin(asked)
    else if (isQueued) this.current?.add(asked)
    if (kind === 'watch') this.#isWatching = true
    if (kind === 'unwatch' && !isQueued) this.#forgetWatch()
    if (isEnd(kind)) this.#end()
  }

  /** The connection to the server is gone, and with it what was queued and watched there. */
  serverLost(): void {
    this.current?.moved()
    if (this.#isWatching) this.#isWatchLost = true
  }

  /** No master is confirmed: what answers the end of a transaction; undefined: the usual error. */
  answerWithoutMaster(kind: CommandKind): string | undefined {
    if (this.current === undefined) return undefined
    if (kind === 'exec' || kind === 'discard') {
      this.#forget()
      return kind === 'exec' ? TRANSACTION_WITHOUT_MASTER : '+OK\r\n'
    }
    this.current.ended = 'refused'
    return undefined
  }

  /** It was sent, has no answer, and will not be sent anew. A client whose MULTI is refused has begun nothing. */
  takenBack({ kind, transaction, isQueued }: Asked): void {
    if (transaction === undefined || transaction !== this.current) return
    if (kind === 'multi' && !isQueued) this.current = undefined
    else transaction.ended ??= 'refused'
  }

  /**
   * The answer in a transaction that cannot be carried out; undefined: it can. The client learns that from EXEC, as it
   * does from a server. `nothing` is how a server says that EXEC has done nothing.
   */
  answerIfEnded(kind: CommandKind, nothing: string): string | undefined {
    const why = this.current?.ended
    if (why === undefined) return undefined
    if (kind !== 'exec' && kind !== 'discard') return '+QUEUED\r\n'
    this.#forget()
    if (kind === 'discard') return '+OK\r\n'
    if (why === 'refused') return TRANSACTION_WITHOUT_MASTER
    return why === 'watch' ? nothing : TRANSACTION_TOO_LONG
  }

  #begin(asked: Asked): void {
    const transaction = new CarriedTransaction(this.#isWatching)
    asked.transaction = transaction
    transaction.add(asked)
    this.current = transaction
  }

  #end(): void {
    if (this.current !== undefined) this.current.isOver = true
    this.#forget()
  }

  /** EXEC and DISCARD end the watch as well, whoever answers them. */
  #forget(): void {
    this.current = undefined
    this.#forgetWatch()
  }

  #forgetWatch(): void {
    this.#isWatching = false
    this.#isWatchLost = false
  }
}

function isEnd(kind: CommandKind): boolean {
  return kind === 'exec' || kind === 'discard' || kind === 'reset'
}
