import { encodeCommand } from '../resp/encode.ts'
import type { Reply } from '../resp/reply.ts'
import { ReplyDecoder } from '../resp/reply-decoder.ts'
import type { Address } from './happening.ts'
import type { Connection, Shell } from './shell.ts'

export interface ExchangeHandler {
  connected(): void
  /** Replies come in the order of the commands; pushed messages come through here as well. */
  replied(reply: Reply): void
  /** It could not be opened, the other side ended it, or it talked nonsense. Said once. */
  lost(reason: string): void
}

/** A client's connection: commands out, replies in. */
export class Exchange {
  readonly address: Address
  readonly #connection: Connection
  readonly #decoder = new ReplyDecoder()
  readonly #handler: ExchangeHandler
  #isOver = false

  constructor(shell: Shell, address: Address, timeoutMs: number, handler: ExchangeHandler) {
    this.address = address
    this.#handler = handler
    this.#connection = shell.connect(address.host, address.port, timeoutMs, {
      connected: () => handler.connected(),
      received: (bytes) => this.#received(bytes),
      closed: (reason) => this.#lost(reason),
    })
  }

  send(argv: readonly string[]): void {
    this.#connection.write(encodeCommand(argv))
  }

  /** Nothing is heard of it after this. */
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
      else this.#handler.replied(reply)
    }
  }

  #lost(reason: string): void {
    if (this.#isOver) return
    this.close()
    this.#handler.lost(reason)
  }
}
