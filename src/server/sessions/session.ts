/**
 * One connection to us, or the master's stream: its user, what it has sent, what it waits for, and
 * the replies gathered for it. A session decides nothing; commands read and change it.
 */
import type { Account } from '../../acl/users.ts'
import type { Moment } from '../../base/clock.ts'
import { hostAndPort } from '../../base/ip.ts'
import { encodeReply } from '../../resp/encode.ts'
import type { Protocol, Reply } from '../../resp/reply.ts'
import { ReplyWriter } from '../../resp/reply-writer.ts'
import { RequestDecoder } from '../../resp/request-decoder.ts'
import type { ReplyMode, SessionClient } from '../../session/client.ts'
import type { ClientType } from '../../session/client-line.ts'
import type { Tracking } from '../../session/tracking.ts'
import type { ConnectionId, Endpoints } from '../port.ts'
import type { ReplicaPeer } from '../replication/serving/replica-peer.ts'
import type { Announcement } from './announcement.ts'
import type { Blocked, BlockedRun } from './blocked.ts'
import { mayBeLong } from './long-replies.ts'
import type { KeyWatch, Transaction } from './transactions.ts'

/** Told when a session has something to send; the sink takes the output later, once per input. */
export interface OutputSink {
  hasOutput(session: ClientSession): void
  /** The session has gathered so much output that it should go at once. */
  isFull(session: ClientSession): void
  /** Whether a reply alone is more than its client may be sent; then the session is closed. */
  isTooLong(session: ClientSession, reply: Reply): boolean
  /** The session has a reply too long for one turn: `writeOn` is to be called in later turns. */
  hasMore(session: ClientSession): void
}

/** What a session takes in memory, as it was counted last, and towards what. */
interface CountedMemory {
  bytes: number
  /** Those of them that the client has not taken yet. */
  outputBytes: number
  isReplica: boolean
  /** It may be closed to make room. */
  isEvictable: boolean
}

/** [CLIENT MAINT_NOTIFICATIONS] A client that is to be told before its master changes, see handoffs.ts. */
interface Handoff {
  /** MOVING names no address: the client goes back to the one it is configured with. */
  readonly isNameless: boolean
  /** Monotonic: the client came when this node expected to become the master. */
  readonly cameAtMs: number | undefined
  /** It has been told to move. */
  isMoving: boolean
}

/** Gathered output above this goes out at once: joining strings is cheap, keeping them is not. */
const GATHER_BYTES = 256 * 1024

/** How much of a long reply is written in one turn. */
const SLICE_BYTES = 512 * 1024
/** The size of one piece of it: joining more than this into one string takes longer by the byte. */
const PIECE_BYTES = 64 * 1024
/** A piece of this size goes out alone: it is flat, and a sum with others would be copied once more. */
const LONG_PIECE_BYTES = 1024

export class ClientSession implements SessionClient {
  readonly id: ConnectionId
  readonly ends: Endpoints
  readonly decoder: RequestDecoder
  readonly connectedAtMs: number
  readonly #sink: OutputSink
  #output = ''
  /** Output after `#output`: long replies, and what was sent after the first of them. */
  #later: (ReplyWriter | string)[] = []

  /** The class by which its output is limited; `master`: this is our master's stream. */
  kind: ClientType = 'normal'
  /** The user it is logged in as; undefined for our master's stream, which may do everything. */
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
  /** How often it has sent anything. */
  inputs = 0
  /** The name as in the command table, `client|list`. */
  lastCommand = 'NULL'
  /** Of the request that was read last. */
  requestBytes = 0
  /** Of all it was sent so far, long replies aside that are written in later turns. */
  answeredBytes = 0
  /** The one to the command that runs; undefined: there is none. */
  longReply: ReplyWriter | undefined
  isClosing = false
  /** It has closed its half: the connection is closed when all that it sent is answered. */
  isLeaving = false
  /** What it is sent now tells nothing of data, nor of what was done to them: PING, an error. */
  isPlain = false
  /** Something in the gathered output is not plain. */
  showsData = false
  /** False while EXEC runs and in the master's stream: blocking commands give up at once. */
  mayBlock = true
  /** [MONITOR] It is told of every command. */
  isMonitor = false
  /** [CLIENT TRACKING] */
  tracking: Tracking | undefined
  /** The connection to which its invalidations were to go was gone when there was one. */
  isRedirectBroken = false
  /** The commands of scripts run in it. */
  isScript = false
  noEvict = false
  noTouch = false
  /** CLIENT CAPA REDIRECT: a replica sends it to its master, unless READONLY was sent. */
  takesRedirects = false
  /** [CLIENT MAINT_NOTIFICATIONS] */
  handoff: Handoff | undefined
  /** READONLY. */
  readsReplica = false
  /** What client-memory.ts counts for it. */
  readonly counted: CountedMemory = {
    bytes: 0,
    outputBytes: 0,
    isReplica: false,
    isEvictable: false,
  }

  /** After its last command: the offset of the history, and the bytes of the file; for WAIT. */
  readonly lastDone = { offset: 0, fileBytes: 0 }

  replica: ReplicaPeer | undefined
  transaction: Transaction | undefined
  /** The transaction that EXEC runs. */
  runs: Transaction | undefined
  watch: KeyWatch | undefined
  blocked: Blocked | undefined
  /** The command that made it wait. */
  blockedRun: BlockedRun | undefined
  /** Its script takes longer than a slice, and goes on in later turns. */
  waitsForScript = false
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

  get address(): string {
    return hostAndPort(this.ends.remoteHost, this.ends.remotePort)
  }

  get localAddress(): string {
    return hostAndPort(this.ends.localHost, this.ends.localPort)
  }

  /** Channels and patterns together, which is the number in replies to SUBSCRIBE. */
  get subscriptions(): number {
    return this.channels.size + this.patterns.size
  }

  /**
   * Whether the client has logged in, or no password is required. Others may send less, so the
   * decoder must know.
   */
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
    if (this.blocked !== undefined || this.postponed !== undefined) return false
    return !this.isClosing && !this.waitsForScript
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

  /** Bytes of output that wait, with an estimate for long replies not written yet. */
  get pendingOutputBytes(): number {
    let bytes = this.#output.length
    for (const part of this.#later) bytes += typeof part === 'string' ? part.length : part.keptBytes
    return bytes
  }

  /** The same, with the messages that wait behind a long one. */
  get unwrittenBytes(): number {
    let bytes = this.#output.length
    for (const part of this.#later) {
      bytes += typeof part === 'string' ? part.length : part.unwrittenBytes
    }
    return bytes
  }

  /** A long reply has not been written to its end. */
  get isWriting(): boolean {
    return this.#later.length > 0
  }

  /** Answers a command, except in the master's stream and while CLIENT REPLY forbids it. */
  reply(reply: Reply): void {
    if (this.#isSilenced() || this.#isStream()) return
    const long = this.#write(reply)
    if (long === undefined) return
    if (long.isDone) this.answeredBytes += long.writtenBytes
    else this.longReply = long
  }

  /** CLIENT REPLY SKIP silences exactly the command after it. */
  commandEnded(): void {
    if (this.replyMode === 'skipNext') this.replyMode = 'skip'
    else if (this.replyMode === 'skip') this.replyMode = 'on'
  }

  /** Sends what is not an answer, and is therefore not silenced by CLIENT REPLY. */
  push(reply: Reply): void {
    if (!this.#isStream()) this.#write(reply)
  }

  /** The same for what other sessions are sent, too. */
  tell(one: Announcement): void {
    if (one.isLong) this.push(one.reply)
    else if (!this.#isStream()) this.send(one.textFor(this.protocol))
  }

  /** The same for what tells nothing of data. */
  tellPlain(one: Announcement): void {
    const { isPlain } = this
    this.isPlain = true
    this.tell(one)
    this.isPlain = isPlain
  }

  /** Begins an array whose elements follow as replies of their own. */
  replyArrayHeader(length: number): void {
    if (!this.#isSilenced() && !this.#isStream()) this.send(`*${length}\r\n`)
  }

  /** Sends bytes, in order with the replies. */
  send(bytes: string): void {
    this.answeredBytes += bytes.length
    if (this.isWriting) this.#sendLater(bytes)
    else this.#gather(bytes)
  }

  /** Gathers the part of the long replies that is written in this turn. */
  writeOn(): void {
    let left = SLICE_BYTES
    while (left > 0) {
      const [first] = this.#later
      if (first === undefined) return
      const bytes = typeof first === 'string' ? first : first.next(PIECE_BYTES)
      if (typeof first === 'string' || first.isDone) this.#later.shift()
      if (typeof first !== 'string' && first.isDone) first.onDone?.()
      left -= bytes.length
      if (bytes.length < LONG_PIECE_BYTES) this.#gather(bytes)
      else this.#gatherAlone(bytes)
    }
  }

  /** The connection has no reader any more. */
  dropOutput(): void {
    this.#output = ''
    this.#later = []
  }

  takeOutput(): string {
    const output = this.#output
    this.#output = ''
    this.showsData = false
    return output
  }

  #isSilenced(): boolean {
    return this.replyMode === 'off' || this.replyMode === 'skip'
  }

  /** A replica would take anything but the stream for a part of the stream. */
  #isStream(): boolean {
    return this.kind === 'master' || this.kind === 'replica'
  }

  #gather(bytes: string): void {
    if (!this.isPlain) this.showsData = true
    if (this.#output === '') this.#sink.hasOutput(this)
    this.#output += bytes
    if (this.#output.length > GATHER_BYTES) this.#sink.isFull(this)
  }

  /** Long pieces are not joined with others: the sum would be copied. */
  #gatherAlone(bytes: string): void {
    if (this.#output !== '') this.#sink.isFull(this)
    this.#gather(bytes)
    if (this.#output !== '') this.#sink.isFull(this)
  }

  #sendLater(bytes: string): void {
    const last = this.#later.at(-1)
    if (typeof last === 'string' && last.length < GATHER_BYTES) {
      this.#later[this.#later.length - 1] = last + bytes
    } else {
      this.#later.push(bytes)
    }
  }

  /** Returns the writer of a long reply. */
  #write(reply: Reply): ReplyWriter | undefined {
    if (!mayBeLong(reply)) {
      this.send(encodeReply(reply, this.protocol))
      return undefined
    }
    if (reply.kind !== 'push' && this.#sink.isTooLong(this, reply)) return undefined
    const wasWriting = this.isWriting
    const writer = new ReplyWriter(reply, this.protocol)
    this.#later.push(writer)
    if (wasWriting) return writer
    this.writeOn()
    if (this.isWriting) this.#sink.hasMore(this)
    return writer
  }
}
