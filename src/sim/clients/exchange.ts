/** A client's connection: commands out, replies in. */
import type { Address } from '../../base/ip.ts'
import { encodeCommand } from '../../resp/encode.ts'
import type { Reply } from '../../resp/reply.ts'
import { ReplyDecoder } from '../../resp/reply-decoder.ts'
import type { Shell, ShellConnection } from '../processes/shell.ts'

export interface ExchangeHandler {
  connected(): void
  /** Replies come in the order of the commands; pushed messages come through here as well. */
  replied(reply: Reply): void
  /**
   * The connection could not be opened, the other side ended it, or the other side sent nonsense.
   * Called once.
   */
  lost(reason: string): void
}

export class Exchange {
  readonly address: Address
  readonly #connection: ShellConnection
  readonly #decoder = new ReplyDecoder()
  readonly #handler: ExchangeHandler
  /**
   * The answer to AUTH is still to come. It is ignored: a client that AUTH refused gets an error
   * for each command.
   */
  #isShowing: boolean
  #isOver = false
  /** Commands that leave together; undefined: each leaves at once. */
  #held: string | undefined

  /** The exchange sends `password` first; undefined if none is required. */
  constructor(
    shell: Shell,
    address: Address,
    timeoutMs: number,
    handler: ExchangeHandler,
    password?: string | undefined,
  ) {
    this.address = address
    this.#handler = handler
    this.#isShowing = password !== undefined
    this.#connection = shell.connect(address.host, address.port, timeoutMs, {
      connected: () => {
        if (password !== undefined) this.send(['AUTH', password])
        handler.connected()
      },
      received: (bytes) => this.#received(bytes),
      closed: (reason) => this.#lost(reason),
    })
  }

  send(argv: readonly string[]): void {
    const bytes = encodeCommand(argv)
    if (this.#held === undefined) this.#connection.write(bytes)
    else this.#held += bytes
  }

  /** Until `release`, commands wait for one another. */
  hold(): void {
    this.#held ??= ''
  }

  release(): void {
    const bytes = this.#held
    this.#held = undefined
    if (bytes && !this.#isOver) this.#connection.write(bytes)
  }

  /** Sends no more, and reads on. */
  closeSending(): void {
    this.#connection.closeSending()
  }

  /** The handler is not called after this. */
  close(): void {
    this.#isOver = true
    this.#connection.close()
  }

  #received(bytes: string): void {
    this.#decoder.push(bytes)
    while (!this.#isOver) {
      const reply = this.#decoder.next()
      if (reply === undefined) return
      if (reply.kind === 'malformed') this.#lost(reply.text)
      else if (this.#isShowing) this.#isShowing = false
      else this.#handler.replied(reply)
    }
  }

  #lost(reason: string): void {
    if (this.#isOver) return
    this.close()
    this.#handler.lost(reason)
  }
}
