/**
 * One connection to us, or the master's stream: who it is, what it has sent, what it waits for, and the
 * replies gathered for it. A session decides nothing; commands read and change it.
 */
import type { Account } from '../../acl/users.ts'
import type { Moment } from '../../base/clock.ts'
import { encodeReply, writeReply } from '../../resp/encode.ts'
import type { Protocol, Reply } from '../../resp/reply.ts'
import { RequestDecoder } from '../../resp/request-decoder.ts'
import type { ConnectionId, Endpoints } from '../port.ts'
import type { ReplicaPeer } from '../replication/serving/replica-peer.ts'
import type { Blocked } from './blocked.ts'
import type { OutputClass } from './output-limits.ts'
import type { Transaction, Watch } from './transactions.ts'

/** A client of one of the classes, or our master's stream. */
export type SessionKind = OutputClass | 'master'

/** CLIENT REPLY. `skipNext` becomes `skip` after the command that asked for it, `skip` becomes `on`. */
export type ReplyMode = 'on' | 'off' | 'skipNext' | 'skip'

/** Told when a session has something to send; the output is taken later, once per input. */
export interface OutputSink {
  hasOutput(session: Session): void
  /** So much was gathered that it should go at once. */
  isFull(session: Session): void
}

const COLLECTIONS: ReadonlySet<Reply['kind']> = new Set(['array', 'set', 'push', 'map'])

/** Gathered output above this goes out at once: joining strings is cheap, keeping them is not. */
const GATHER_BYTES = 256 * 1024

export class Session {
  readonly id: ConnectionId
  readonly ends: Endpoints
  readonly decoder: RequestDecoder
  readonly connectedAtMs: number
  readonly #sink: OutputSink
  #output = ''

  kind: SessionKind = 'normal'
  /** Who it is; undefined for our master's stream, which may do everything. */
  account: Account | undefined
  name = ''
  libraryName = ''
  libraryVersion = ''
  protocol: Protocol = 2
  /** Index of the selected database. */
  db = 0
  replyMode: ReplyMode = 'on'
  /** Monotonic. */
  lastInputAtMs: number
  /** As in the command table, `client|list`. */
  lastCommand = 'NULL'
  isClosing = false
  /** False while EXEC runs and in the master's stream: blocking commands give up at once. */
  mayBlock = true
  noEvict = false
  noTouch = false

  replica: ReplicaPeer | undefined
  transaction: Transaction | undefined
  watch: Watch | undefined
  blocked: Blocked | undefined
  /** A command that arrived during CLIENT PAUSE and runs when it ends. */
  postponed: readonly string[] | undefined
  readonly channels = new Set<string>()
  readonly patterns = new Set<string>()
  readonly shardChannels = new Set<string>()
  /** Monotonic. Since when the unsent output has been above the soft limit of its class. */
  overSoftLimitSinceMs: number | undefined

  constructor(
    id: ConnectionId,
    ends: Endpoints,
    now: Moment,
    sink: OutputSink,
    decoder: RequestDecoder = new RequestDecoder(),
  ) {
    this.id = id
    this.ends = ends
    this.connectedAtMs = now.monoMs
    this.lastInputAtMs = now.monoMs
    this.#sink = sink
    this.decoder = decoder
  }

  /** Channels and patterns, which is what subscribing replies count. */
  get subscriptions(): number {
    return this.channels.size + this.patterns.size
  }

  /** The password was shown, or none was required. Strangers may send less: the decoder must know. */
  get isAuthenticated(): boolean {
    return this.decoder.isAuthenticated
  }

  set isAuthenticated(isAuthenticated: boolean) {
    this.decoder.isAuthenticated = isAuthenticated
  }

  get isSubscribed(): boolean {
    return this.subscriptions > 0 || this.shardChannels.size > 0
  }

  /** Whether its next command may run. */
  get isReady(): boolean {
    return this.blocked === undefined && this.postponed === undefined && !this.isClosing
  }

  /** Leaves MULTI, and forgets the keys that were watched for it. */
  endTransaction(): void {
    this.transaction = undefined
    this.unwatch()
  }

  unwatch(): void {
    this.watch?.release()
    this.watch = undefined
  }

  get pendingOutputBytes(): number {
    return this.#output.length
  }

  /** Answers a command. Nothing for the master's stream, or as long as CLIENT REPLY says so. */
  reply(reply: Reply): void {
    if (!this.#isSilenced) this.push(reply)
  }

  /** CLIENT REPLY SKIP silences exactly the command after it. */
  commandEnded(): void {
    if (this.replyMode === 'skipNext') this.replyMode = 'skip'
    else if (this.replyMode === 'skip') this.replyMode = 'on'
  }

  /** Sends what is not an answer, and so is not silenced by CLIENT REPLY. */
  push(reply: Reply): void {
    if (!this.#isStream) this.#write(reply)
  }

  /** Begins an array whose elements follow as replies of their own. */
  replyArrayHeader(length: number): void {
    if (!this.#isSilenced && !this.#isStream) this.send(`*${length}\r\n`)
  }

  /** Sends bytes, in order with the replies. */
  send(bytes: string): void {
    if (this.#output === '') this.#sink.hasOutput(this)
    this.#output += bytes
    if (this.#output.length > GATHER_BYTES) this.#sink.isFull(this)
  }

  takeOutput(): string {
    const output = this.#output
    this.#output = ''
    return output
  }

  get #isSilenced(): boolean {
    return this.replyMode === 'off' || this.replyMode === 'skip'
  }

  /** A replica would take anything but the stream for a part of it. */
  get #isStream(): boolean {
    return this.kind === 'master' || this.kind === 'replica'
  }

  /** Collections go out in pieces: together their elements need not fit into one string. */
  #write(reply: Reply): void {
    if (COLLECTIONS.has(reply.kind)) {
      writeReply(reply, this.protocol, (piece) => this.send(piece))
    } else {
      this.send(encodeReply(reply, this.protocol))
    }
  }
}
