/**
 * What a client is told, in the order in which it asked. What a server answers goes on at once if it is the client's
 * turn to hear it, and otherwise waits until it is. An answer without an error also says what the connection has become
 * (carried-state.ts).
 */
import {
  type Asked,
  type CarriedTransaction,
  confirmedPart,
  isNothing,
  isPubSub,
  isSubscribing,
} from './asked.ts'
import { CarriedState } from './carried-state.ts'
import { InFlight } from './in-flight.ts'
import type { WireId } from './port.ts'
import { TRANSACTION_TOO_LONG } from './proxy-errors.ts'
import type { SessionHome } from './session-home.ts'

const MINUS = 45

export class ClientAnswers {
  readonly #home: SessionHome
  readonly #client: WireId
  readonly state = new CarriedState()
  readonly inFlight = new InFlight()

  constructor(home: SessionHome, client: WireId) {
    this.#home = home
    this.#client = client
  }

  /** Answers that are complete go to the client. Returns the last words if it has asked to be left with them. */
  deliver(): string | undefined {
    let out = ''
    while (this.inFlight.head?.state === 'told') {
      const { answer, kind } = this.inFlight.head
      out += answer
      this.inFlight.dropHead()
      if (kind === 'quit') return out
    }
    if (out !== '') this.#tell(out)
    return undefined
  }

  /** How many replies a server gives. It is told before the command is sent. */
  repliesTo({ kind, argv, transaction, isQueued, instead }: Asked): number {
    if (isQueued || instead !== undefined) return 1
    if (kind === 'exec') return this.#repliesToExec(transaction)
    return argv !== undefined && isPubSub(kind) ? this.state.subscribing(argv) : 1
  }

  /**
   * One, and one more for each channel after the first of a queued SUBSCRIBE: EXEC counts the command as one element,
   * and a server sends as many as there are channels. So the last ones stand behind the array.
   */
  #repliesToExec(transaction: CarriedTransaction | undefined): number {
    const subscribing = transaction?.effects.filter(isSubscribing) ?? []
    return subscribing.reduce((sum, argv) => sum + this.state.subscribing(argv) - 1, 1)
  }

  /** A server has answered: one reply of as many as there are to be. True if others may be told behind it. */
  answered(asked: Asked, reply: string): boolean {
    const { inFlight } = this
    // The rest of a long reply, and what stands behind the array of EXEC, say nothing about the whole.
    const isFirst = !asked.isPartlyTold
    const isError = isFirst && reply.charCodeAt(0) === MINUS
    const isOver = isError || (isFirst && asked.kind === 'exec' && isNothing(reply))
    asked.repliesLeft = isOver ? 0 : asked.repliesLeft - 1
    if (asked.argv !== undefined || asked.transaction !== undefined) this.#note(asked, isOver)
    if (asked.kind === 'exec' && asked.repliesLeft > 0) asked.isPartlyTold = true
    const answer = asked.instead ?? reply
    const isDone = asked.repliesLeft <= 0
    if (isDone) inFlight.closeNext()
    if (asked !== inFlight.head) {
      inFlight.keep(asked, answer)
      if (isDone) asked.state = 'told'
      return false
    }
    this.#tell(asked.answer + answer)
    asked.answer = ''
    if (isDone) asked.state = 'told'
    if (isDone) inFlight.dropHead()
    return isDone
  }

  /** No server will answer it: it is told this error, and what it was to change stays as it is. */
  refused(asked: Asked, error: string): void {
    this.#note(asked, true)
    this.inFlight.tell(asked, error)
  }

  /** The next replies to plain commands whose turn it is. True if others may be told behind them. */
  answeredPlainly(asked: Asked, replies: string, count: number): boolean {
    const { inFlight } = this
    this.#tell(replies)
    asked.left -= count
    if (asked.left > 0) return false
    asked.state = 'told'
    inFlight.closeNext()
    inFlight.dropHead()
    return true
  }

  answeredPartly(asked: Asked, bytes: string): void {
    asked.isPartlyTold = true
    if (asked === this.inFlight.head) this.#tell(bytes)
    else this.inFlight.keep(asked, bytes)
  }

  /** EXEC has done nothing, as a server says it. */
  get nothing(): string {
    return this.state.protocol === 3 ? '_\r\n' : '*-1\r\n'
  }

  /** What EXEC answers if its transaction cannot be sent to another server. */
  endOf(transaction: CarriedTransaction | undefined): string {
    return transaction?.isWatching === true ? this.nothing : TRANSACTION_TOO_LONG
  }

  #tell(bytes: string): void {
    this.#home.port.write(this.#client, bytes)
  }

  #note(asked: Asked, isRefused: boolean): void {
    const { kind, argv, transaction } = asked
    if (isRefused && argv !== undefined && isPubSub(kind)) this.state.subscriptionRefused(argv)
    if (kind === 'exec' && transaction !== undefined) this.#noteEffects(transaction, isRefused)
    if (isRefused || asked.isQueued || argv === undefined) return
    if (isPubSub(kind)) this.state.note(confirmedPart(argv, asked.repliesLeft))
    else this.state.note(argv)
  }

  #noteEffects({ effects }: CarriedTransaction, isRefused: boolean): void {
    for (const effect of effects) {
      if (!isRefused) this.state.note(effect)
      else if (isSubscribing(effect)) this.state.subscriptionRefused(effect)
    }
  }
}
