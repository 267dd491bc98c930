/**
 * Links to masters, replicas and peers: plain or TLS sockets that carry commands out and replies back.
 * Nothing is decided here: when to connect again, what to ask and how long to wait for it is for the
 * machine, where it can be replayed.
 *
 * They are what a Sentinel spends its time on, so they are kept lean: what a turn writes leaves in one
 * piece, and all plain sockets read into one buffer, instead of 64 KiB of their own for every PONG.
 */
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'
import { assert } from '../base/assert.ts'
import type { Event } from '../core/event.ts'
import type { LinkId } from '../core/ids.ts'
import type { Purpose } from '../core/purpose.ts'
import { encodeCommand } from '../resp/encode.ts'
import { plainHost } from './address.ts'
import { type Heard, LinkInput } from './link-input.ts'
import { reasonOf } from './start-error.ts'
import { type Dial, dialFrom } from './surroundings.ts'
import type { Tls } from './tls.ts'

/** A backstop: the machine gives up on connections much earlier. */
const CONNECT_TIMEOUT_MS = 10_000
/** What is read in one go. */
const INBOX_BYTES = 64 * 1024
/** Links whose commands leave before others get their turn: half a millisecond's work. */
const FLUSHED_AT_ONCE = 64

type LinkEvent = Extract<Event, { kind: 'linkUp' | 'linkLost' | 'reply' | 'message' }>

/** Node documents `onread` for connecting, and reads it where a socket is made. */
type SocketOptions = SocketConstructorOpts & { readonly onread?: OnReadOpts }

interface Link {
  readonly id: LinkId
  readonly socket: Socket
  readonly input: LinkInput
  /** `told`: it has ended or the machine has closed it; nothing more is said about it. */
  status: 'opening' | 'up' | 'ending' | 'told'
  /** Written during this turn and not yet handed to the socket. */
  batch: string
  /** The first thing that went wrong, to be told when the connection has ended. */
  failure: string | undefined
}

export class Links {
  readonly #feed: (event: LinkEvent) => void
  readonly #dial: Dial
  readonly #tls: Tls | undefined
  readonly #links = new Map<LinkId, Link>()
  /** Shared by all plain sockets: what was read into it has become a string before the next read. */
  readonly #inbox = Buffer.allocUnsafeSlow(INBOX_BYTES)
  /** Those with a batch to send at the end of this turn. */
  #dirty: Link[] = []

  /** `localAddress` is the address links are opened from [bind-source-addr]. Without `tls` they are plain. */
  constructor(
    feed: (event: LinkEvent) => void,
    localAddress?: string,
    dial: Dial = dialFrom(localAddress),
    tls?: Tls,
  ) {
    this.#feed = feed
    this.#dial = dial
    this.#tls = tls
  }

  /** Starts to connect; `linkUp` or `linkLost` follows, never before this returns. */
  open(id: LinkId, host: string, port: number): void {
    const isTls = this.#tls?.isOpening ?? false
    const receive = (bytes: string) => this.#received(link, bytes)
    const raw = new Socket(isTls ? {} : this.#readInto(receive))
    const socket = this.#connect(raw, host, port)
    const input = new LinkInput()
    const link: Link = { id, socket, input, status: 'opening', batch: '', failure: undefined }
    this.#links.set(id, link)
    if (isTls) socket.on('data', (chunk) => receive(chunk.toString('latin1')))
    this.#listen(link, isTls ? 'secureConnect' : 'connect')
  }

  /** Closes at once and says nothing more about it: a dead peer would never say goodbye. */
  close(id: LinkId): void {
    const link = this.#links.get(id)
    if (link === undefined) return
    this.#forget(link)
    // What the machine said last, in the turn in which it lets go, is to be heard all the same.
    flush(link)
    link.socket.destroy()
  }

  closeAll(): void {
    for (const id of [...this.#links.keys()]) this.close(id)
  }

  /** Sends a command of latin1 strings; its reply comes back with the purpose. */
  send(id: LinkId, purpose: Purpose, argv: readonly string[]): void {
    const link = this.#links.get(id)
    // A link may die between the machine's decision and this call; `linkLost` is on its way.
    if (link?.status !== 'up') return
    assert(argv.length > 0, 'a command has a name')
    link.input.expect(purpose)
    if (link.batch === '') this.#markDirty(link)
    link.batch += encodeCommand(argv)
  }

  #readInto(receive: (bytes: string) => void): SocketOptions {
    const callback = (length: number) => {
      receive(this.#inbox.toString('latin1', 0, length))
      return true
    }
    return { onread: { buffer: this.#inbox, callback } }
  }

  #connect(raw: Socket, host: string, port: number): Socket {
    raw.setNoDelay(true)
    raw.setKeepAlive(true)
    try {
      this.#dial(raw, host, port)
    } catch (error) {
      // A port out of range, say: told like any other connection that fails.
      return raw.destroy(error as Error)
    }
    return this.#tls?.over(raw, host, port) ?? raw
  }

  #listen(link: Link, up: 'connect' | 'secureConnect'): void {
    const { socket } = link
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => end(link, 'ETIMEDOUT'))
    socket.once(up, () => this.#up(link))
    socket.on('error', (error) => noteFailure(link, reasonOf(error)))
    // Nothing that we still had to say would be heard.
    socket.once('end', () => end(link))
    socket.once('close', () => this.#lost(link))
  }

  #up(link: Link): void {
    if (link.status !== 'opening') return
    link.socket.setTimeout(0)
    link.status = 'up'
    const localHost = plainHost(link.socket.localAddress)
    this.#feed({ kind: 'linkUp', link: link.id, localHost })
  }

  #lost(link: Link): void {
    if (link.status === 'told') return
    this.#forget(link)
    const reason = link.failure ?? 'closed by the other side'
    const isRefused = reason === 'ECONNREFUSED'
    this.#feed({ kind: 'linkLost', link: link.id, reason, isRefused })
  }

  #forget(link: Link): void {
    link.status = 'told'
    this.#links.delete(link.id)
  }

  #received(link: Link, bytes: string): void {
    link.input.push(bytes)
    // The machine may close the link in the middle of what has come in on it.
    while (link.status === 'up') {
      const heard = link.input.next()
      if (heard === undefined) return
      this.#heard(link, heard)
    }
  }

  #heard(link: Link, heard: Heard): void {
    if (heard.kind === 'fault') {
      end(link, heard.reason)
    } else if (heard.kind === 'reply') {
      const { purpose, reply } = heard
      this.#feed({ kind: 'reply', link: link.id, purpose, reply })
    } else {
      const { channel, payload } = heard
      this.#feed({ kind: 'message', link: link.id, channel, payload })
    }
  }

  /** All commands of one turn leave in one packet: a transaction is not torn between two. */
  #markDirty(link: Link): void {
    if (this.#dirty.length === 0) process.nextTick(() => this.#flushAll())
    this.#dirty.push(link)
  }

  /** A round of PINGs to thousands lets others in between; what a turn says to a few leaves at once. */
  #flushAll(): void {
    const dirty = this.#dirty
    this.#dirty = []
    flushFrom(dirty, 0)
  }
}

function flushFrom(dirty: readonly Link[], from: number): void {
  const to = Math.min(from + FLUSHED_AT_ONCE, dirty.length)
  for (let at = from; at < to; at++) flush(dirty[at] as Link)
  if (to < dirty.length) setImmediate(() => flushFrom(dirty, to))
}

function flush(link: Link): void {
  const bytes = link.batch
  if (bytes === '') return
  link.batch = ''
  if (link.socket.writable) link.socket.write(bytes, 'latin1')
}

/** Gives a connection up from our side; `close` follows, and what went wrong before it, if anything did. */
function end(link: Link, reason?: string): void {
  if (link.status === 'told') return
  if (reason !== undefined) noteFailure(link, reason)
  link.status = 'ending'
  link.socket.destroy()
}

function noteFailure(link: Link, reason: string): void {
  link.failure ??= reason
}
