/**
 * All client connections of the node. Replies gathered during one input leave together, one write per
 * session, when the input has been dealt with. A client whose output piles up beyond the limit of its
 * class is cut off, or its slowness would become our memory.
 */
import type { Moment } from '../base/clock.ts'
import { RequestDecoder } from '../resp/request-decoder.ts'
import type { OutputLimit } from './output-limits.ts'
import type { ConnectionId, Endpoints, NodePort } from './port.ts'
import { type OutputSink, Session } from './session.ts'
import type { Settings } from './settings.ts'
import type { Stats } from './stats.ts'

export interface SessionsOptions {
  readonly port: NodePort
  readonly settings: Settings
  readonly stats: Stats
  /** The session is gone: whatever refers to it lets go. */
  readonly onForget: (session: Session) => void
}

export class Sessions implements OutputSink, Iterable<Session> {
  readonly #options: SessionsOptions
  readonly #byId = new Map<ConnectionId, Session>()
  #withOutput: Session[] = []
  #closing: Session[] = []
  #nowMs = 0

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#byId.size
  }

  [Symbol.iterator](): IterableIterator<Session> {
    return this.#byId.values()
  }

  get(id: ConnectionId): Session | undefined {
    return this.#byId.get(id)
  }

  open(id: ConnectionId, ends: Endpoints, now: Moment): Session {
    const { settings } = this.#options
    const decoder = new RequestDecoder({
      maxBulkBytes: settings.int('proto-max-bulk-len'),
      maxPendingBytes: settings.int('client-query-buffer-limit'),
    })
    const session = new Session(id, ends, now, this, decoder)
    session.authenticated = settings.text('requirepass') === ''
    decoder.isAuthenticated = session.authenticated
    this.#byId.set(id, session)
    return session
  }

  /** Sends what is gathered, closes the connection and forgets it. */
  close(session: Session): void {
    if (!this.#byId.has(session.id)) return
    session.isClosing = true
    this.#flush(session)
    this.forget(session)
    this.#options.port.close(session.id)
  }

  /** Closes it when its command has been answered; it reads no more. */
  closeAfterReply(session: Session): void {
    session.isClosing = true
    this.#closing.push(session)
  }

  /** The connection is gone already. */
  forget(session: Session): void {
    if (!this.#byId.delete(session.id)) return
    session.isClosing = true
    session.takeOutput()
    this.#options.onForget(session)
  }

  hasOutput(session: Session): void {
    this.#withOutput.push(session)
  }

  isFull(session: Session): void {
    this.#flush(session)
  }

  /** Sends everything that was gathered, and closes what was to be closed after it. */
  flushAll(nowMs: number): void {
    this.#nowMs = nowMs
    if (this.#withOutput.length > 0) {
      const sessions = this.#withOutput
      this.#withOutput = []
      for (const session of sessions) this.#flush(session)
    }
    for (let session = this.#closing.pop(); session !== undefined; session = this.#closing.pop()) {
      this.close(session)
    }
  }

  #flush(session: Session): void {
    const output = session.takeOutput()
    if (output === '') return
    this.#options.port.write(session.id, output)
    this.#options.stats.outputBytes += output.length
    this.#options.stats.writes++
    // Replication watches over the output of replicas itself.
    if (session.kind === 'replica' || session.isClosing) return
    const limit = this.#options.settings.outputLimit(
      session.kind === 'pubsub' ? 'pubsub' : 'normal',
    )
    if (limit.hardBytes > 0 || limit.softBytes > 0) this.#limit(session, limit)
  }

  #limit(session: Session, limit: OutputLimit): void {
    const { port } = this.#options
    const queuedBytes = port.queuedBytes(session.id)
    const isOverSoft = limit.softBytes > 0 && queuedBytes > limit.softBytes
    if (!isOverSoft) session.overSoftLimitSinceMs = undefined
    else session.overSoftLimitSinceMs ??= this.#nowMs
    const softSinceMs = session.overSoftLimitSinceMs ?? this.#nowMs
    const isOverHard = limit.hardBytes > 0 && queuedBytes > limit.hardBytes
    if (!isOverHard && this.#nowMs - softSinceMs <= 1000 * limit.softSeconds) return
    port.log('warning', `client ${session.id} closed: ${queuedBytes} bytes of output not taken`)
    this.forget(session)
    port.close(session.id)
  }
}
