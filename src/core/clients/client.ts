import type { Account } from '../../acl/users.ts'
import type { SessionClient } from '../../session/client.ts'
import type { Tracking } from '../../session/tracking.ts'
import type { Answer } from '../external-query.ts'

/**
 * A client of this Sentinel: an application, an operator, or a peer that asks questions and sends
 * hellos.
 */
export interface Client extends SessionClient {
  /** The user of the connection; the default user until the client logs in as another. */
  account: Account
  /** Bytes of the names of all its channels and patterns together. */
  subscribedBytes: number
  /**
   * [CLIENT TRACKING] What the client asked for. There are no keys here, so nothing is ever
   * invalidated.
   */
  tracking: Tracking | undefined
  /** The present command waits for an answer from outside; the commands after it wait too. */
  isWaiting: boolean
  /** The words of the command that waits. */
  waitingArgv: readonly string[]
  /** The answers that the present command has got so far, by question. */
  readonly answers: Map<string, Answer>
  /** Bytes of answers and events sent since the client was last known to have taken all. */
  promisedBytes: number
  /** We serve the client no further until it has taken what we sent. */
  isHeld: boolean
  /** The present command is the client's last one: answer, then close. */
  isLeaving: boolean
  /** We have closed the connection; what the client still sends is ignored. */
  isClosing: boolean
}
