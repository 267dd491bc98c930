/**
 * What many sessions are told: a message of a channel, a line of MONITOR, keys that have changed. It is put into words
 * once for each protocol, not once for each session.
 */
import { encodeReply } from '../../resp/encode.ts'
import type { Protocol, Reply } from '../../resp/reply.ts'
import { mayBeLong } from './long-replies.ts'

export class Announcement {
  readonly reply: Reply
  /** Each session writes it in parts, as fast as its client takes them. */
  readonly isLong: boolean
  #resp2: string | undefined
  #resp3: string | undefined

  constructor(reply: Reply) {
    this.reply = reply
    this.isLong = mayBeLong(reply)
  }

  textFor(protocol: Protocol): string {
    if (protocol === 3) this.#resp3 ??= encodeReply(this.reply, 3)
    else this.#resp2 ??= encodeReply(this.reply, 2)
    return (protocol === 3 ? this.#resp3 : this.#resp2) ?? ''
  }
}
