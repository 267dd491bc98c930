/**
 * The Sentinel's own connections, as `io/` keeps them in production: commands go out in order,
 * replies come back in order and get the purpose of their command, and what is pushed on a
 * subscribed connection becomes a message.
 */
import type { Effect } from '../../core/effect.ts'
import type { Event } from '../../core/event.ts'
import type { LinkId } from '../../core/ids.ts'
import { type Heard, KnownPieces, LinkInput } from '../../core/links/link-input.ts'
import { encodeCommand } from '../../resp/encode.ts'
import type { Socket } from '../network/socket.ts'
import type { Process } from './process.ts'

const CONNECT_TIMEOUT_MS = 10_000

interface Link {
  readonly id: LinkId
  readonly socket: Socket
  readonly input: LinkInput
}

export class SentinelLinks {
  readonly #process: Process
  readonly #feed: (event: Event) => void
  readonly #links = new Map<LinkId, Link>()
  readonly #pieces = new KnownPieces()

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
    this.#links.set(id, { id, socket, input: new LinkInput(this.#pieces) })
  }

  close(id: LinkId): void {
    const link = this.#links.get(id)
    this.#links.delete(id)
    link?.socket.close()
  }

  send(effect: Effect & { kind: 'send' }): void {
    const link = this.#links.get(effect.link)
    // The link may have been lost while the batch waited for the disk; the event is on its way.
    if (link === undefined) return
    link.input.expect(effect.purpose)
    link.socket.write(encodeCommand(effect.argv))
  }

  #received(id: LinkId, bytes: string): void {
    const link = this.#links.get(id)
    if (link === undefined) return
    link.input.push(bytes)
    // The machine may close the link while we are handling what came in on it.
    while (this.#links.has(id)) {
      const heard = link.input.next()
      if (heard === undefined) return
      this.#heard(link, heard)
    }
  }

  #heard(link: Link, heard: Heard): void {
    if (heard.kind === 'fault') {
      link.socket.close()
      this.#lost(link.id, heard.reason)
    } else {
      // The link first (CONTRIBUTING.md, Copies).
      this.#feed({ link: link.id, ...heard })
    }
  }

  #lost(id: LinkId, reason: string): void {
    if (this.#links.delete(id))
      this.#feed({ kind: 'linkLost', link: id, reason, isRefused: reason === 'connection refused' })
  }
}
