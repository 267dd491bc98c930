/** The connection of a session to a data node, and how far its set-up is. */
import type { Address } from '../base/ip.ts'
import { Answers } from './answers.ts'
import type { WireId } from './port.ts'

export class ServerLink {
  readonly id: WireId
  readonly address: Address
  readonly answers = new Answers()
  readonly openedAtMs: number
  /**
   * `leaving`: it is replaced; nothing is sent to it any more, and what it owes is waited for.
   */
  phase: 'connecting' | 'settingUp' | 'ready' | 'leaving' = 'connecting'
  /** Replies to the set-up still to come. */
  setUpReplies = 0
  /** Confirmations of subscriptions still to come after them. */
  setUpConfirmations = 0
  /** Replies to what was queued in the open transaction, after those. */
  queuedReplies = 0
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

  leads(to: Address): boolean {
    return this.address.host === to.host && this.address.port === to.port
  }
}
