/**
 * Links to masters, replicas and peers: plain or TLS sockets that carry commands out and replies back.
 * Nothing is decided here: when to connect again, what to ask and how long to wait for it is decided
 * by the machine, where it can be replayed.
 *
 * A Sentinel spends most of its time on links, so they are kept lean: what a turn writes leaves in one
 * piece, and all plain sockets read into one buffer, instead of 64 KiB of their own for every PONG.
 */
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'
import { assert } from '../../base/assert.ts'
import type { Event } from '../../core/event.ts'
import type { LinkId } from '../../core/ids.ts'
import { type Heard, KnownPieces, LinkInput, PROTOCOL_FAULT } from '../../core/links/link-input.ts'
import type { Purpose } from '../../core/purpose.ts'
import { encodeCommand } from '../../resp/encode.ts'
import { type Dial, dialFrom } from '../host-environment.ts'
import { REAL_TIMERS } from '../process/timers.ts'
import { reasonOf } from '../start-error.ts'
import type { Tls } from '../tls/tls.ts'
import { plainHost } from './address.ts'
import { sendBatch } from './outbox.ts'

/** A backstop: the machine gives up on connections much earlier. */
const CONNECT_TIMEOUT_MS = 10_000
/** The most that is read in one go. */
const INBOX_BYTES = 64 * 1024
/** How many bytes of incomplete replies all instances together may have sent. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024
/** That total is checked whenever this much has come in. */
const LOOK_BYTES = 4 * 1024 * 1024
/** How many links send their commands before other work gets a turn: half a millisecond's work. */
const FLUSHED_AT_ONCE = 64

type LinkEvent = Extract<Event, { kind: 'linkUp' | 'linkLost' | 'reply' | 'message' }>

/** Node documents `onread` for connecting, but reads it where a socket is created. */
type SocketOptions = SocketConstructorOpts & { readonly onread?: OnReadOpts }

interface Link {
  readonly id: LinkId
  readonly socket: Socket
  readonly input: LinkInput
  /** `told`: it has ended or the machine has closed it; no more is reported about it. */
  status: 'opening' | 'up' | 'ending' | 'told'
  /** Written during this turn and not yet handed to the socket. */
  batch: string
  /** The first thing that went wrong, to be reported when the connection has ended. */
  failure: string | undefined
}

export class Links {
  readonly #feed: (event: LinkEvent) => void
  readonly #dial: Dial
  readonly #tls: Tls | undefined
  readonly #links = new Map<LinkId, Link>()
  readonly #pieces = new KnownPieces()
  /** Shared by all plain sockets: what was read into it becomes a string before the next read. */
  readonly #inbox = Buffer.allocUnsafeSlow(INBOX_BYTES)
  /** Links with a batch to send at the end of this turn. */
  #dirty: Link[] = []
  /** Links that are not read until the machine has time for them. */
  readonly #paused = new Set<Link>()
  /** Received since we last checked how much all links together hold. */
  #unlookedBytes = 0

  /**
   * `localAddress` is the address that links are opened from [bind-source-addr]. Without `tls` they are
   * plain.
   */
  constructor(
    feed: (event: LinkEvent) => void,
    localAddress?: string,
    dial: Dial = dialFrom(() => localAddress),
    tls?: Tls,
  ) {
    this.#feed = feed
    this.#dial = dial
    this.#tls = tls
  }

  /** Starts to connect; `linkUp` or `linkLost` follows, but never before this returns. */
  open(id: LinkId, host: string, port: number): void {
    const isTls = this.#tls?.isOpening ?? false
    const receive = (bytes: string) => this.#received(link, bytes)
    const raw = new Socket(isTls ? {} : this.#readInto(receive))
    // The reason of TLS says more than how the socket ended.
    const tell = (reason: string) => {
      link.failure = reason
    }
    const socket = this.#connect(raw, host, port, tell)
    const input = new LinkInput(this.#pieces)
    const link: Link = { id, socket, input, status: 'opening', batch: '', failure: undefined }
    this.#links.set(id, link)
    if (isTls) socket.on('data', (chunk) => receive(chunk.toString('latin1')))
    this.#listen(link, isTls ? 'secureConnect' : 'connect')
  }

  /** Closes at once and reports nothing more: a dead peer would never end the connection itself. */
  close(id: LinkId): void {
    const link = this.#links.get(id)
    if (link === undefined) return
    this.#forget(link)
    // Commands that the machine sent in the same turn are still to reach the other side.
    sendBatch(link)
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

  /** Leaves whatever else the other side sends with the kernel until `resumeReading`. */
  pauseReading(id: LinkId): void {
    const link = this.#links.get(id)
    if (link === undefined || this.#paused.has(link)) return
    this.#paused.add(link)
    link.socket.pause()
  }

  /** Called after everything that is heard, so it makes no iterator for nobody. */
  resumeReading(): void {
    if (this.#paused.size === 0) return
    for (const { socket } of this.#paused) socket.resume()
    this.#paused.clear()
  }

  #readInto(receive: (bytes: string) => void): SocketOptions {
    const callback = (length: number) => {
      receive(this.#inbox.toString('latin1', 0, length))
      return true
    }
    return { onread: { buffer: this.#inbox, callback } }
  }

  #connect(raw: Socket, host: string, port: number, tell: (reason: string) => void): Socket {
    raw.setNoDelay(true)
    raw.setKeepAlive(true)
    try {
      this.#dial(raw, host, port)
    } catch (error) {
      // A port out of range, for instance: reported like any other connection that fails.
      return raw.destroy(error as Error)
    }
    return this.#tls?.over(raw, host, port, tell) ?? raw
  }

  #listen(link: Link, up: 'connect' | 'secureConnect'): void {
    const { socket } = link
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => end(link, 'ETIMEDOUT'))
    socket.once(up, () => this.#up(link))
    socket.on('error', (error) => noteFailure(link, reasonOf(error)))
    // The other side would not read anything we still had to send.
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
    this.#paused.delete(link)
  }

  #received(link: Link, bytes: string): void {
    link.input.push(bytes)
    // The machine may close the link while we are handling what came in on it.
    while (link.status === 'up') {
      const heard = link.input.next()
      if (heard === undefined) break
      this.#heard(link, heard)
    }
    this.#unlookedBytes += bytes.length
    if (this.#unlookedBytes >= LOOK_BYTES) this.#relieve()
  }

  /** Ends the links that hold the most, until all together hold what they may. */
  #relieve(): void {
    this.#unlookedBytes = 0
    const links = [...this.#links.values()].filter(({ input }) => input.pendingBytes > 0)
    links.sort((one, other) => other.input.pendingBytes - one.input.pendingBytes)
    let heldBytes = links.reduce((sum, { input }) => sum + input.pendingBytes, 0)
    for (const link of links) {
      if (heldBytes <= MAX_PENDING_BYTES) return
      heldBytes -= link.input.pendingBytes
      end(link, `${PROTOCOL_FAULT}all instances together have sent too much that is not whole`)
    }
  }

  #heard(link: Link, heard: Heard): void {
    if (heard.kind === 'fault') {
      end(link, heard.reason)
    } else {
      this.#feed(onLink(link.id, heard))
    }
  }

  /** All commands of one turn leave in one packet: a transaction is not split between two. */
  #markDirty(link: Link): void {
    if (this.#dirty.length === 0) REAL_TIMERS.nextTick(() => this.#flushAll())
    this.#dirty.push(link)
  }

  /**
   * A round of PINGs to thousands of links lets other work in between; what a turn sends to a few
   * leaves at once.
   */
  #flushAll(): void {
    const dirty = this.#dirty
    this.#dirty = []
    flushFrom(dirty, 0)
  }
}

function flushFrom(dirty: readonly Link[], from: number): void {
  const to = Math.min(from + FLUSHED_AT_ONCE, dirty.length)
  for (let at = from; at < to; at++) sendBatch(dirty[at] as Link)
  if (to < dirty.length) REAL_TIMERS.setImmediate(() => flushFrom(dirty, to))
}

/** Gives a connection up from our side; `close` follows, with what went wrong first, if anything did. */
function end(link: Link, reason?: string): void {
  if (link.status === 'told') return
  if (reason !== undefined) noteFailure(link, reason)
  link.status = 'ending'
  link.socket.destroy()
}

/** Not with a spread, which shows in a profile: everything that is heard comes through here. */
function onLink(link: LinkId, heard: Exclude<Heard, { kind: 'fault' }>): LinkEvent {
  if (heard.kind === 'reply')
    return { kind: 'reply', link, purpose: heard.purpose, reply: heard.reply }
  return { kind: 'message', link, channel: heard.channel, payload: heard.payload }
}

function noteFailure(link: Link, reason: string): void {
  link.failure ??= reason
}
