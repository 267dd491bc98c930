/**
 * All client connections of the node. Replies gathered during one input leave together, one write per
 * session, when the input has been dealt with. A client whose output piles up beyond the limit of its
 * class is cut off, or its slowness would become our memory.
 */
import type { Users } from '../../acl/users.ts'
import type { Moment } from '../../base/clock.ts'
import { encodeReply } from '../../resp/encode.ts'
import type { Reply } from '../../resp/reply.ts'
import { RequestDecoder } from '../../resp/request-decoder.ts'
import { PROTECTED_MODE, TOO_MANY_CLIENTS } from '../errors.ts'
import type { Stats } from '../info/stats.ts'
import type { ConnectionId, Endpoints, NodePort } from '../port.ts'
import type { Settings } from '../settings/settings.ts'
import { isLoopback } from './addresses.ts'
import { type OutputSink, Session } from './session.ts'
import { isTooSlow } from './slowness.ts'

export interface SessionsOptions {
  readonly port: NodePort
  readonly settings: Settings
  readonly users: Users
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

  /** Lets a new connection in, or turns it away with a word. */
  accept(id: ConnectionId, ends: Endpoints, now: Moment): void {
    const { port, stats } = this.#options
    stats.connections++
    const refusal = this.#refusal(ends)
    if (refusal === undefined) return this.#open(id, ends, now)
    stats.rejectedConnections++
    port.write(id, encodeReply(refusal, 2))
    port.close(id)
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

  #refusal(ends: Endpoints): Reply | undefined {
    const { settings, users } = this.#options
    if (this.size >= settings.int('maxclients')) return TOO_MANY_CLIENTS
    const isOpen = users.default.user.hasNoPassword && settings.flag('protected-mode')
    return isOpen && !isLoopback(ends.remoteHost) ? PROTECTED_MODE : undefined
  }

  #open(id: ConnectionId, ends: Endpoints, now: Moment): void {
    const { settings, users } = this.#options
    const decoder = new RequestDecoder({
      maxBulkBytes: settings.int('proto-max-bulk-len'),
      maxPendingBytes: settings.int('client-query-buffer-limit'),
    })
    const session = new Session(id, ends, now, this, decoder)
    session.account = users.default
    session.isAuthenticated = !users.requiresAuth
    this.#byId.set(id, session)
  }

  #flush(session: Session): void {
    const output = session.takeOutput()
    if (output === '') return
    this.#options.port.write(session.id, output)
    this.#options.stats.outputBytes += output.length
    this.#options.stats.writes++
    if (!session.isClosing) this.#limit(session)
  }

  #limit(session: Session): void {
    const { port, settings } = this.#options
    // Replication watches over the output of replicas itself; our master has none.
    if (session.kind === 'replica' || session.kind === 'master') return
    const limit = settings.outputLimit(session.kind)
    if (limit.hardBytes === 0 && limit.softBytes === 0) return
    const queuedBytes = port.queuedBytes(session.id)
    if (!isTooSlow(session, queuedBytes, limit, this.#nowMs)) return
    port.log('warning', `client ${session.id} closed: ${queuedBytes} bytes of output not taken`)
    this.forget(session)
    port.close(session.id)
  }
}
