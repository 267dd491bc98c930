/**
 * Applies the master's stream. Our offset is a promise that everything before it has been executed,
 * so it moves only when a command has been executed, and over a transaction only as a whole: after
 * a broken link we ask again for what was half received. The same bytes then go on to our own
 * replicas, unchanged.
 */
import { RequestDecoder } from '../../../resp/request-decoder.ts'
import type { MasterSession } from '../../sessions/master-session.ts'
import { type ReplicationStream, TAKEOVER_WORD } from '../history/stream.ts'
import type { ReplicationState } from '../state.ts'
import { introduction } from './sync-position.ts'

/** More than the longest value, less than the longest string. */
const MAX_UNREAD_BYTES = 2 ** 29 - 4096

/** One command of an incomplete transaction. */
interface OpenCommand {
  readonly bytes: string
  readonly db: number
}

export class StreamReader {
  readonly #target: MasterSession
  readonly #stream: ReplicationStream
  readonly #node: ReplicationState['node']
  readonly #state: ReplicationState
  readonly #acknowledge: () => void
  readonly #decoder = new RequestDecoder({ acceptsInline: false })
  /** Bytes that are not part of a complete command yet. */
  #unread = ''
  /** The commands of a transaction that is still open, and the bytes in them. */
  #open: OpenCommand[] = []
  #openBytes = 0
  #mustAcknowledge = false
  /** The database selected in the stream, as far as it has been read. */
  #db: number

  /** `acknowledge` tells the master how far we are. */
  constructor(state: ReplicationState, acknowledge: () => void) {
    const { node, stream } = state
    this.#state = state
    this.#node = node
    this.#target = node.streamTarget
    this.#stream = stream
    this.#acknowledge = acknowledge
    this.#db = this.#target.db
  }

  /** Bytes that were received but not applied. */
  get unappliedBytes(): number {
    return this.#openBytes + this.#unread.length
  }

  /** Returns why the stream can no longer be trusted; undefined: all is well. */
  push(bytes: string): string | undefined {
    if (this.#unread.length + bytes.length > MAX_UNREAD_BYTES) return 'a command without an end'
    this.#unread += bytes
    this.#decoder.push(bytes)
    for (;;) {
      const before = this.#decoder.consumed
      const request = this.#decoder.next()
      if (request === undefined) return undefined
      if (request.kind === 'protocolError') return request.text
      if (request.kind === 'hangUp') return 'this is not a stream of commands'
      this.#apply(request.argv, this.#decoder.consumed - before)
    }
  }

  #apply(argv: readonly string[], lengthBytes: number): void {
    const bytes = this.#unread.slice(0, lengthBytes)
    this.#unread = this.#unread.slice(lengthBytes)
    const db = this.#db
    this.#execute(argv)
    // Nearly every command stands alone: not making a list for each speeds up a simulated world by
    // a twentieth.
    if (this.#openBytes === 0 && !this.#target.isInTransaction) return this.#settle(bytes, db)
    this.#open.push({ bytes, db })
    this.#openBytes += lengthBytes
    if (!this.#target.isInTransaction) this.#settleOpen()
  }

  #execute(argv: readonly string[]): void {
    const name = argv[0]?.toLowerCase()
    if (name === 'ping') return
    if (name === 'select') this.#db = Number(argv[1])
    if (name !== 'replconf') this.#target.apply(argv)
    else if (argv[1]?.toLowerCase() === 'getack') this.#mustAcknowledge = true
    if (this.#mustAcknowledge && argv[2] === TAKEOVER_WORD && this.#isHeir(argv[3], argv[4]))
      this.#node.handoffs.expect(this.#node.now.monoMs)
  }

  /** All replicas read that one of them is to take over: it is named as the master lists it. */
  #isHeir(host: string | undefined, port: string | undefined): boolean {
    const { announcedHost, listeningPort } = introduction(this.#node.settings)
    const ownHost = announcedHost || this.#state.linkHost
    return Number(port) === listeningPort && host?.toLowerCase() === ownHost.toLowerCase()
  }

  /**
   * The answer to GETACK gives the offset before it: GETACK counts as applied only after the
   * answer.
   */
  #settle(bytes: string, db: number): void {
    if (this.#mustAcknowledge) this.#acknowledge()
    this.#mustAcknowledge = false
    this.#stream.feed(bytes, db)
  }

  #settleOpen(): void {
    const commands = this.#open
    this.#open = []
    this.#openBytes = 0
    for (const { bytes, db } of commands) this.#settle(bytes, db)
  }
}
