/** The connection of a session to a data node, how far its set-up is, and what the session is for it. */
import { type Address, isSameAddress } from '../base/ip.ts'
import { encodeCommand } from '../resp/encode.ts'
import { Answers } from './answers.ts'
import type { CarriedTransaction } from './asked.ts'
import type { CarriedState, SetUpStep } from './carried-state.ts'
import type { ClientAnswers } from './client-answers.ts'
import type { InFlight } from './in-flight.ts'
import type { ClientEnds, Entrance, WireId } from './port.ts'

/** What a server is asked that has just ended another connection. */
export const ALIVE_QUESTION = encodeCommand(['PING'])

export class ServerLink {
  readonly id: WireId
  readonly address: Address
  readonly answers = new Answers()
  /** When it was opened, or its set-up went on. */
  openedAtMs: number
  /**
   * `leaving`: it is replaced; nothing is sent to it any more, and what it owes is waited for.
   */
  phase: 'connecting' | 'settingUp' | 'ready' | 'leaving' = 'connecting'
  /** It is asked whether it is alive, and has not answered. */
  owesPong = false
  /** Replies to the set-up still to come, and how many of them, the last ones, are about scripts. */
  setUpReplies = 0
  scriptReplies = 0
  /** Confirmations of subscriptions still to come after them. */
  setUpConfirmations = 0
  /** Replies to what was queued in the open transaction, after those. */
  queuedReplies = 0
  /** What was queued in the open transaction has to wait for commands before it that are sent anew. */
  isToQueue = false
  leavesAtMs: number | undefined
  /** When it answered last, or was first asked after it owed nothing. */
  heardAtMs: number
  /** It has said that it is no master. */
  isMisdirected = false
  /** What becomes of the reply that is coming in pieces. `aside`: it answers nothing, and is passed on. */
  fate: 'pass' | 'aside' | 'drop' = 'pass'

  constructor(id: WireId, address: Address, nowMs: number) {
    this.id = id
    this.address = address
    this.openedAtMs = nowMs
    this.heardAtMs = nowMs
  }

  get isSetUp(): boolean {
    const { owesPong, setUpReplies, setUpConfirmations, queuedReplies } = this
    return !owesPong && setUpReplies === 0 && setUpConfirmations === 0 && queuedReplies === 0
  }

  /** The set-up has been sent. */
  owes(steps: readonly SetUpStep[]): void {
    for (const { replies, about } of steps) {
      if (about === 'subscription') this.setUpConfirmations += replies
      else this.setUpReplies += replies
      if (about === 'script') this.scriptReplies += replies
    }
  }

  leads(to: Address): boolean {
    return isSameAddress(this.address, to)
  }
}

const RETRY_FIRST_MS = 10
const RETRY_MAX_MS = 200

/** When a node that has failed may be tried again: later each time, until one answers. Another node need not wait. */
export class NodeRetry {
  #failed: { readonly link: ServerLink; readonly untilMs: number } | undefined
  #waitMs = RETRY_FIRST_MS

  holdOff(link: ServerLink, nowMs: number): void {
    this.#failed = { link, untilMs: nowMs + this.#waitMs }
    this.#waitMs = Math.min(2 * this.#waitMs, RETRY_MAX_MS)
  }

  /** A connection is set up. */
  succeeded(): void {
    this.#failed = undefined
  }

  /** A command was answered. */
  answered(): void {
    this.#waitMs = RETRY_FIRST_MS
  }

  hasFailed(node: Address): boolean {
    return this.#failed?.link.leads(node) === true
  }

  mustWait(node: Address, nowMs: number): boolean {
    return this.#failed !== undefined && nowMs < this.#failed.untilMs && this.hasFailed(node)
  }
}

/** The session, as its server's half sees it. */
export interface Served {
  readonly client: WireId
  readonly answers: ClientAnswers
  readonly entrance: Entrance
  readonly ends: ClientEnds
  readonly state: CarriedState
  readonly inFlight: InFlight
  readonly transaction: CarriedTransaction | undefined
  readonly hasEnded: boolean
  /** What answers nothing: messages. */
  tellAside(bytes: string): void
  /** The server is gone: the rest of a long command is dropped. */
  streamLost(): void
  /** The connection to the server is gone, and what it was for the server. */
  serverLost(): void
  deliver(): void
  /** All that came from the server has been dealt with. */
  answersCame(nowMs: number): void
  pump(nowMs: number): void
  end(lastWords?: string): void
}
