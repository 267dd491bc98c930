/**
 * Links to masters, replicas and peers: ioredis as a pipe. Everything ioredis could decide is switched
 * off (reconnecting, queueing, ready checks, resubscribing), because the machine decides it, where it
 * can be replayed. What remains is what a client library is good at: matching replies to commands.
 *
 * ioredis does not tell a simple string from a bulk string: every string comes as `bulk`.
 */
import { Redis, ReplyError } from 'ioredis'
import { assert } from '../base/assert.ts'
import type { Event } from '../core/event.ts'
import type { LinkId } from '../core/ids.ts'
import type { Purpose } from '../core/purpose.ts'
import type { Reply } from '../resp/reply.ts'
import { plainHost } from './address.ts'
import { LinkConnector } from './connector.ts'
import { pipedCommand } from './piped-command.ts'
import { Screen } from './screen.ts'
import { reasonOf } from './start-error.ts'
import { type Dial, dialFrom } from './surroundings.ts'
import type { Tls } from './tls.ts'

/** A backstop: the machine gives up on connections much earlier. */
const CONNECT_TIMEOUT_MS = 10_000

type LinkEvent = Extract<Event, { kind: 'linkUp' | 'linkLost' | 'reply' | 'message' }>

interface Link {
  readonly id: LinkId
  readonly redis: Redis
  readonly connector: LinkConnector
  readonly screen: Screen
  /** The first thing that went wrong, to be told when the connection has ended. */
  failure: string | undefined
}

export class Links {
  readonly #feed: (event: LinkEvent) => void
  readonly #dial: Dial
  readonly #tls: Tls | undefined
  readonly #links = new Map<LinkId, Link>()

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
    const screen = new Screen()
    const connector = new LinkConnector({ host, port, dial: this.#dial, tls: this.#tls }, screen)
    const isTls = this.#tls?.isOpening ?? false
    const link: Link = { id, redis: pipe(connector, isTls), connector, screen, failure: undefined }
    this.#links.set(id, link)
    this.#listen(link)
    link.redis.connect().then(
      () => this.#up(link),
      // An `end` event follows and tells it.
      (error: unknown) => noteFailure(link, error),
    )
  }

  /** Closes at once and says nothing more about it. */
  close(id: LinkId): void {
    const link = this.#links.get(id)
    if (link === undefined) return
    this.#links.delete(id)
    link.redis.disconnect()
  }

  closeAll(): void {
    for (const id of [...this.#links.keys()]) this.close(id)
  }

  /** Sends a command of latin1 strings; its reply comes back with the purpose. */
  send(id: LinkId, purpose: Purpose, argv: readonly string[]): void {
    const link = this.#links.get(id)
    // A link may die between the machine's decision and this call; `linkLost` is on its way.
    if (link === undefined || link.redis.status !== 'ready') return
    assert(argv.length > 0, 'a command has a name')
    link.screen.expect(purpose.kind === 'subscribe' ? 'subscription' : 'reply')
    corkForThisTurn(link)
    Promise.resolve(link.redis.sendCommand(pipedCommand(purpose, argv))).then(
      (value) => this.#tell(link, { kind: 'reply', link: id, purpose, reply: toReply(value) }),
      (error: unknown) => this.#rejected(link, purpose, error),
    )
  }

  #listen(link: Link): void {
    link.redis.on('error', (error) => {
      noteFailure(link, error)
      // Without this a link that ioredis finds in disorder would stay open.
      link.connector.disconnect()
    })
    link.redis.once('end', () => {
      const reason = link.failure ?? 'closed by the other side'
      this.#tell(link, {
        kind: 'linkLost',
        link: link.id,
        reason,
        isRefused: reason === 'ECONNREFUSED',
      })
      this.#links.delete(link.id)
    })
    link.redis.on('messageBuffer', (channel: Buffer, payload: Buffer) => {
      const texts = { channel: latin1(channel), payload: latin1(payload) }
      this.#tell(link, { kind: 'message', link: link.id, ...texts })
    })
  }

  #up(link: Link): void {
    const localHost = plainHost(link.connector.socket?.localAddress)
    this.#tell(link, { kind: 'linkUp', link: link.id, localHost })
  }

  /** Only what the other side answered is a reply; the rest is told as the end of the link. */
  #rejected(link: Link, purpose: Purpose, error: unknown): void {
    if (error instanceof ReplyError) {
      this.#tell(link, { kind: 'reply', link: link.id, purpose, reply: toReply(error) })
    } else {
      noteFailure(link, error)
    }
  }

  /** Nothing is told about a link the machine has closed. */
  #tell(link: Link, event: LinkEvent): void {
    if (this.#links.get(link.id) === link) this.#feed(event)
  }
}

function pipe(connector: LinkConnector, isTls: boolean): Redis {
  return new Redis({
    // ioredis wants a class and makes the only instance itself; ours is made already.
    Connector: function connectorOf() {
      return connector
    } as unknown as new () => LinkConnector,
    // Only whether there are any counts: with them ioredis waits for the handshake of our socket.
    ...(isTls ? { tls: {} } : {}),
    protocol: 2,
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: null,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    enableAutoPipelining: false,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
  })
}

/** All commands of one turn leave in one packet: a transaction is not torn between two. */
function corkForThisTurn(link: Link): void {
  const socket = link.connector.socket
  if (socket === undefined || socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(() => socket.uncork())
}

function noteFailure(link: Link, error: unknown): void {
  link.failure ??= reasonOf(error)
}

function latin1(bytes: Buffer): string {
  return bytes.toString('latin1')
}

/** What ioredis made of a RESP2 reply, made a reply again. */
function toReply(value: unknown): Reply {
  if (value === null || value === undefined) return { kind: 'null' }
  if (Buffer.isBuffer(value)) return { kind: 'bulk', bytes: latin1(value) }
  if (typeof value === 'number') return { kind: 'integer', value }
  if (Array.isArray(value)) return { kind: 'array', items: value.map(toReply) }
  if (value instanceof Error) return { kind: 'error', text: value.message }
  return { kind: 'bulk', bytes: String(value) }
}
