/**
 * A connection that is opened again whenever it is lost, until it is closed: a poll, which asks
 * again a period after each answer, or a subscription.
 */

import type { Address } from '../../base/ip.ts'
import type { Reply } from '../../resp/reply.ts'
import { Exchange } from '../../sim/clients/exchange.ts'
import type { Shell } from '../../sim/processes/shell.ts'

const CONNECT_TIMEOUT_MS = 1_000
const RECONNECT_MS = 50

export interface LineStart {
  readonly shell: Shell
  readonly address: Address
  readonly connected: (line: EventStream) => void
  readonly replied: (reply: Reply, line: EventStream) => void
}

export class EventStream {
  readonly #start: LineStart
  #exchange: Exchange | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(start: LineStart) {
    this.#start = start
    this.#open()
  }

  send(argv: readonly string[]): void {
    this.#exchange?.send(argv)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#exchange?.close()
  }

  #open(): void {
    const { shell, address } = this.#start
    this.#exchange = new Exchange(shell, address, CONNECT_TIMEOUT_MS, {
      connected: () => this.#start.connected(this),
      replied: (reply) => this.#start.replied(reply, this),
      lost: () => this.#lost(),
    })
  }

  #lost(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => this.#open(), RECONNECT_MS)
  }
}

export interface PollStart {
  readonly shell: Shell
  readonly address: Address
  readonly periodMs: number
  /** The commands are sent together; their answers come together. */
  readonly commands: readonly (readonly string[])[]
  readonly answered: (replies: readonly Reply[]) => void
}

/** Asks the same again and again, and at once if told that something has changed. */
export class Poll {
  readonly #start: PollStart
  readonly #line: EventStream
  #replies: Reply[] = []
  #isWaiting = false
  #isOutdated = false
  #timer: NodeJS.Timeout | undefined

  constructor(start: PollStart) {
    this.#start = start
    this.#line = new EventStream({
      shell: start.shell,
      address: start.address,
      connected: () => this.#ask(),
      replied: (reply) => this.#replied(reply),
    })
  }

  /** An answer that is under way may be older than the change, so the poll then asks once more. */
  hurry(): void {
    if (this.#isWaiting) this.#isOutdated = true
    else if (this.#timer !== undefined) this.#ask()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#line.close()
  }

  #ask(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#replies = []
    this.#isWaiting = true
    this.#isOutdated = false
    for (const argv of this.#start.commands) this.#line.send(argv)
  }

  #replied(reply: Reply): void {
    this.#replies.push(reply)
    if (this.#replies.length < this.#start.commands.length) return
    this.#isWaiting = false
    this.#start.answered(this.#replies)
    const waitMs = this.#isOutdated ? 0 : this.#start.periodMs
    this.#timer = setTimeout(() => this.#ask(), waitMs)
  }
}
