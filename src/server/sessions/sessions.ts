/**
 * All client connections of the node. Replies gathered during one input leave together, one write
 * per session, when the input has been dealt with. A client whose output piles up beyond the limit
 * of its class is cut off, because its slowness would fill our memory.
 *
 * Each turn writes one part of a long reply, so that other clients are served in between, and only
 * as fast as the client takes it. The data in the reply were read when its command ran. A reply that alone is above the
 * hard limit closes the client, as in Redis, however fast it reads. Many short ones do not: what the client of a pipeline
 * was sent in this turn counts when the kernel has taken what it could, in the next.
 */
import type { Users } from '../../acl/users.ts'
import type { Moment } from '../../base/clock.ts'
import { isLocalPeer } from '../../base/ip.ts'
import { encodeReply } from '../../resp/encode.ts'
import type { Reply } from '../../resp/reply.ts'
import { isLongerThan } from '../../resp/reply-writer.ts'
import { RequestDecoder } from '../../resp/request-decoder.ts'
import { sooner } from '../earliest.ts'
import { PROTECTED_MODE, TOO_MANY_CLIENTS } from '../errors.ts'
import type { NodeStats } from '../info/stats.ts'
import type { ConnectionId, Endpoints } from '../port.ts'
import type { Settings } from '../settings/settings.ts'
import type { OutputLimit } from './output-limits.ts'
import { ClientSession, type OutputSink } from './session.ts'
import { isTooSlow } from './slowness.ts'
import type { SyncGate } from './sync-gate.ts'

export interface SessionsOptions {
  readonly port: SyncGate
  readonly settings: Settings
  readonly users: Users
  readonly stats: NodeStats
  /** The session is gone: drop every reference to it. */
  readonly onForget: (session: ClientSession) => void
  /** This many bytes are about to be written to a connection. */
  readonly onOutput: (bytes: number) => void
  /** What the session keeps in memory has changed. */
  readonly onResized: (session: ClientSession) => void
}

/** More of a long reply is written when less than this waits for the client to take it. */
const MAX_QUEUED_BYTES = 1024 * 1024
/** In Redis, the first bytes of a reply have a place of their own in each client, and do not count. */
const UNCOUNTED_BYTES = 16 * 1024
/** The most long replies that are written on in one turn. */
const WRITERS_PER_TURN = 2
/**
 * How long to wait before looking again at clients that take nothing: at first, and at the most.
 */
const MIN_REST_MS = 1
const MAX_REST_MS = 64
/** How often clients above their soft limit are looked at that are sent nothing more. */
const SOFT_CHECK_MS = 1000

export class Sessions implements OutputSink, Iterable<ClientSession> {
  readonly #options: SessionsOptions
  readonly #byId = new Map<ConnectionId, ClientSession>()
  #withOutput: ClientSession[] = []
  #closing: ClientSession[] = []
  /**
   * What waits for them may be too much, which the next turn judges: what they were sent in the last one would be if the
   * kernel had taken nothing of it, or the limits have changed.
   */
  #suspects = new Set<ClientSession>()
  /** Above their soft limit when last looked at. */
  readonly #overSoft = new Set<ClientSession>()
  /** Monotonic. When to look at them again. */
  #softCheckAtMs = 0
  /** Sessions with long replies; the session that has waited longest comes first. */
  readonly #writing = new Set<ClientSession>()
  /** Monotonic. When to write on to those sessions. */
  #writeAtMs = 0
  #restMs = 0
  #nowMs = 0

  constructor(options: SessionsOptions) {
    this.#options = options
    options.settings.onChange('client-output-buffer-limit', () => this.#judgeAll())
  }

  get size(): number {
    return this.#byId.size
  }

  [Symbol.iterator](): IterableIterator<ClientSession> {
    return this.#byId.values()
  }

  get(id: ConnectionId): ClientSession | undefined {
    return this.#byId.get(id)
  }

  /** Lets a new connection in, or turns it away with an error. */
  accept(id: ConnectionId, ends: Endpoints, now: Moment): void {
    const { port, stats } = this.#options
    stats.connections++
    const refusal = this.#refusal(ends)
    if (refusal === undefined) return this.#open(id, ends, now)
    stats.rejectedConnections++
    port.write(id, encodeReply(refusal, 2), false)
    port.close(id)
  }

  /** Sends what is gathered, closes the connection and forgets the session. */
  close(session: ClientSession): void {
    if (!this.#byId.has(session.id)) return
    session.isClosing = true
    this.#flush(session)
    this.forget(session)
    this.#options.port.close(session.id)
  }

  /** Closes the connection at once and drops its output. */
  cutOff(session: ClientSession): void {
    this.forget(session)
    this.#options.port.close(session.id, true)
  }

  /** Some session is about to be sent what shows data. */
  get showData(): boolean {
    return this.#withOutput.some(({ showsData }) => showsData)
  }

  /** Closes the connection when its command has been answered; the session reads no more. */
  closeAfterReply(session: ClientSession): void {
    session.isClosing = true
    this.#closing.push(session)
  }

  /** The connection is gone already. */
  forget(session: ClientSession): void {
    if (!this.#byId.delete(session.id)) return
    session.isClosing = true
    session.dropOutput()
    this.#writing.delete(session)
    this.#suspects.delete(session)
    this.#overSoft.delete(session)
    this.#options.stats.closedClients++
    this.#options.onForget(session)
  }

  hasOutput(session: ClientSession): void {
    this.#withOutput.push(session)
  }

  isFull(session: ClientSession): void {
    this.#flush(session)
  }

  isTooLong(session: ClientSession, reply: Reply): boolean {
    const { hardBytes = 0 } = this.#limitOf(session) ?? {}
    if (hardBytes === 0) return false
    if (!isLongerThan(hardBytes + UNCOUNTED_BYTES, reply, session.protocol)) return false
    if (this.#byId.has(session.id)) this.#closeForOutput(session, hardBytes)
    return true
  }

  hasMore(session: ClientSession): void {
    this.#writing.add(session)
    this.#writeAtMs = this.#nowMs
    this.#restMs = 0
  }

  /** Monotonic; undefined: no session has a long reply, or too much output. */
  nextWakeUpMs(): number | undefined {
    if (this.#suspects.size > 0) return this.#nowMs
    const writeAtMs = this.#writing.size === 0 ? undefined : this.#writeAtMs
    return this.#overSoft.size === 0 ? writeAtMs : sooner(writeAtMs, this.#softCheckAtMs)
  }

  /** Writes more of the long replies; the bytes leave at the end of the turn. */
  wake({ monoMs }: Moment): void {
    this.#nowMs = monoMs
    const suspects = this.#suspects
    this.#suspects = new Set()
    for (const session of suspects) if (!session.isClosing) this.#limit(session)
    if (monoMs >= this.#softCheckAtMs) this.#checkOverSoft()
    if (this.#writing.size === 0 || monoMs < this.#writeAtMs) return
    const { port } = this.#options
    const takes = ({ id }: ClientSession) => port.queuedBytes(id) < MAX_QUEUED_BYTES
    // What they are sent behind a long reply is not flushed, and so not judged there.
    for (const session of [...this.#writing]) if (!takes(session)) this.#limit(session)
    const takers = [...this.#writing].filter(takes)
    for (const session of takers.slice(0, WRITERS_PER_TURN)) {
      this.#writing.delete(session)
      session.writeOn()
      if (session.isWriting) this.#writing.add(session)
    }
    this.#restMs = takers.length > 0 ? 0 : Math.min(MAX_REST_MS, 2 * this.#restMs || MIN_REST_MS)
    this.#writeAtMs = monoMs + this.#restMs
  }

  /**
   * Sends everything that was gathered, then closes the sessions that were to be closed after it.
   */
  flushAll(nowMs: number): void {
    this.#nowMs = nowMs
    if (this.#withOutput.length > 0) {
      const sessions = this.#withOutput
      this.#withOutput = []
      for (const session of sessions) this.#flush(session)
    }
    if (this.#closing.length === 0) return
    const closing = this.#closing
    this.#closing = closing.filter((session) => session.isWriting)
    for (const session of closing) if (!session.isWriting) this.close(session)
  }

  #refusal(ends: Endpoints): Reply | undefined {
    const { settings, users } = this.#options
    if (this.size >= settings.int('maxclients')) return TOO_MANY_CLIENTS
    const isOpen = users.default.user.hasNoPassword && settings.flag('protected-mode')
    return isOpen && !isLocalPeer(ends.remoteHost) ? PROTECTED_MODE : undefined
  }

  #open(id: ConnectionId, ends: Endpoints, now: Moment): void {
    const { settings, users } = this.#options
    const decoder = new RequestDecoder({
      maxBulkBytes: settings.int('proto-max-bulk-len'),
      maxPendingBytes: settings.int('client-query-buffer-limit'),
    })
    const session = new ClientSession(id, ends, now, this, decoder)
    session.account = users.default
    session.isAuthenticated = !users.requiresAuth
    this.#byId.set(id, session)
    this.#options.onResized(session)
  }

  #flush(session: ClientSession): void {
    const { showsData } = session
    const output = session.takeOutput()
    if (output === '') return
    this.#options.onOutput(output.length)
    const before = this.#waitingFor(session)
    this.#options.port.write(session.id, output, showsData)
    this.#options.stats.outputBytes += output.length
    this.#options.stats.writes++
    this.#options.onResized(session)
    if (!session.isClosing) this.#limit(session, before)
  }

  #judgeAll(): void {
    for (const session of this) if (this.#waitingFor(session) > 0) this.#suspects.add(session)
  }

  #checkOverSoft(): void {
    this.#softCheckAtMs = this.#nowMs + SOFT_CHECK_MS
    for (const session of [...this.#overSoft]) this.#limit(session)
  }

  /** `before`: what waited before it was sent something in this turn. */
  #limit(session: ClientSession, before?: number): void {
    const limit = this.#limitOf(session)
    if (limit === undefined || (limit.hardBytes === 0 && limit.softBytes === 0)) return
    if (this.#suspects.has(session)) return
    const waiting = this.#waitingFor(session)
    const isSlow = isTooSlow(session, waiting, limit, this.#nowMs)
    this.#watch(session)
    if (!isSlow) return
    const isNew = before !== undefined && before <= limit.hardBytes && waiting > limit.hardBytes
    if (isNew && limit.hardBytes > 0) this.#suspects.add(session)
    else this.#closeForOutput(session, waiting)
  }

  #watch(session: ClientSession): void {
    if (session.overSoftLimitSinceMs === undefined) this.#overSoft.delete(session)
    else if (this.#overSoft.size === 0) {
      this.#overSoft.add(session)
      this.#softCheckAtMs = this.#nowMs + SOFT_CHECK_MS
    } else this.#overSoft.add(session)
  }

  /** Undefined: replication watches the output of replicas itself, and our master has none. */
  #limitOf({ kind }: ClientSession): OutputLimit | undefined {
    if (kind === 'replica' || kind === 'master') return undefined
    return this.#options.settings.outputLimit(kind)
  }

  /**
   * Bytes that its connection has not taken, or that are not written yet. If it takes all it is sent, what waits in long
   * messages waits for us.
   */
  #waitingFor(session: ClientSession): number {
    const queued = this.#options.port.queuedBytes(session.id)
    if (queued < MAX_QUEUED_BYTES) return queued + session.pendingOutputBytes
    return queued + session.unwrittenBytes
  }

  #closeForOutput(session: ClientSession, waiting: number): void {
    const { port, stats } = this.#options
    stats.slowClients++
    port.log('warning', `client ${session.id} closed: ${waiting} bytes of output not taken`)
    this.forget(session)
    port.close(session.id)
  }
}
