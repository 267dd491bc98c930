/**
 * The Sentinel's own connections, as `io/` keeps them in production: commands go out in order, replies
 * come back in order and get the purpose of their command, and what is pushed on a subscribed
 * connection becomes a message.
 */
import type { Effect } from '../core/effect.ts'
import type { Event } from '../core/event.ts'
import type { LinkId } from '../core/ids.ts'
import type { Purpose } from '../core/purpose.ts'
import { encodeCommand } from '../resp/encode.ts'
import type { Reply } from '../resp/reply.ts'
import { ReplyDecoder } from '../resp/reply-decoder.ts'
import type { Process } from './process.ts'
import type { Socket } from './socket.ts'

const CONNECT_TIMEOUT_MS = 10_000

interface Link {
  readonly id: LinkId
  readonly socket: Socket
  readonly decoder: ReplyDecoder
  /** What the replies still to come were asked for. */
  readonly purposes: Purpose[]
}

export class SentinelLinks {
  readonly #process: Process
  readonly #feed: (event: Event) => void
  readonly #links = new Map<LinkId, Link>()

  constructor(process: Process, feed: (event: Event) => void) {
    this.#process = process
    this.#feed = feed
  }

  open(effect: Effect & { kind: 'openLink' }): void {
    const id = effect.link
    const socket = this.#process.connect(effect.host, effect.port, CONNECT_TIMEOUT_MS, {
      connected: () => this.#feed({ kind: 'linkUp', link: id, localHost: socket.ends.localHost }),
      received: (bytes) => this.#received(id, bytes),
      closed: (reason) => this.#lost(id, reason),
    })
    this.#links.set(id, { id, socket, decoder: new ReplyDecoder(), purposes: [] })
  }

  close(id: LinkId): void {
    const link = this.#links.get(id)
    this.#links.delete(id)
    link?.socket.close()
  }

  send(effect: Effect & { kind: 'send' }): void {
    const link = this.#links.get(effect.link)
    // It may have been lost while the batch waited for the disk; the event is on its way.
    if (link === undefined) return
    link.purposes.push(effect.purpose)
    link.socket.write(encodeCommand(effect.argv))
  }

  #received(id: LinkId, bytes: string): void {
    const link = this.#links.get(id)
    if (link === undefined) return
    link.decoder.push(bytes)
    for (;;) {
      const reply = link.decoder.next()
      if (reply === undefined) return
      if (reply.kind === 'malformed') {
        link.socket.close()
        this.#lost(id, reply.text)
        return
      }
      this.#answered(link, reply)
    }
  }

  #answered(link: Link, reply: Reply): void {
    const message = readMessage(reply)
    if (message !== undefined) {
      this.#feed({ kind: 'message', link: link.id, ...message })
      return
    }
    const purpose = link.purposes.shift()
    // An answer nobody asked for: the peer talks nonsense.
    if (purpose === undefined) {
      link.socket.close()
      this.#lost(link.id, 'unexpected reply')
      return
    }
    this.#feed({ kind: 'reply', link: link.id, purpose, reply })
  }

  #lost(id: LinkId, reason: string): void {
    if (this.#links.delete(id))
      this.#feed({ kind: 'linkLost', link: id, reason, isRefused: reason === 'connection refused' })
  }
}

function readMessage(reply: Reply): { channel: string; payload: string } | undefined {
  if (reply.kind !== 'array' && reply.kind !== 'push') return undefined
  const [type, channel, payload] = reply.items
  if (type?.kind !== 'bulk' || type.bytes !== 'message') return undefined
  if (channel?.kind !== 'bulk' || payload?.kind !== 'bulk') return undefined
  return { channel: channel.bytes, payload: payload.bytes }
}
