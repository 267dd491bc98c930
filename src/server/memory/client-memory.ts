/**
 * What all connections take, kept up to date where it changes: a session is counted again after what it
 * sent was dealt with, and after something was written to it. What the kernel takes from a connection
 * the engine does not tell us, so all are counted again before it matters.
 *
 * [maxmemory-clients] While clients together take more than that, the one that takes most is closed. Our
 * replicas and our master do not count, nor do clients that said CLIENT NO-EVICT.
 */
import type { NodeStats } from '../info/stats.ts'
import type { NodePort } from '../port.ts'
import { CONNECTION_BYTES, heldBytes } from '../sessions/held-bytes.ts'
import type { ClientSession } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Settings } from '../settings/settings.ts'

/** A lower limit would close the clients that could raise it. */
const LEAST_LIMIT_BYTES = 128 * 1024
const KIB = 1024

interface ClientNode {
  readonly port: NodePort
  readonly settings: Settings
  readonly sessions: Sessions
  readonly stats: NodeStats
}

export class ClientMemory {
  readonly #node: ClientNode
  #normalBytes = 0
  #replicaBytes = 0
  /** The part of `normalBytes` that clients have not taken yet, and what it was at the last `settle`. */
  #outputBytes = 0
  #settledOutputBytes = 0
  /** The bytes of the clients that may be closed to free memory. */
  #evictableBytes = 0

  constructor(node: ClientNode) {
    this.#node = node
  }

  /** What clients take that are not replicas, subscribers included. */
  get normalBytes(): number {
    return this.#normalBytes
  }

  /**
   * Output beyond that of the last `settle`. Most of it has left since: a connection says that it has taken
   * something only when it is asked.
   */
  get unsettledBytes(): number {
    return Math.max(0, this.#outputBytes - this.#settledOutputBytes)
  }

  get replicaBytes(): number {
    return this.#replicaBytes
  }

  /** Counts a session again. */
  note(session: ClientSession): void {
    const { counted } = session
    this.#add(session, -1)
    const queued = this.#node.port.queuedBytes(session.id)
    counted.bytes = CONNECTION_BYTES + heldBytes(session, queued)
    counted.outputBytes = session.pendingOutputBytes + queued
    counted.isReplica = session.kind === 'replica'
    counted.isEvictable = !counted.isReplica && !session.noEvict
    this.#add(session, 1)
  }

  /** The session is gone. */
  forget(session: ClientSession): void {
    this.#add(session, -1)
    session.counted.bytes = 0
    session.counted.outputBytes = 0
    session.counted.isEvictable = false
  }

  /** Counts all again, because what was sent has left meanwhile. */
  refresh(): void {
    for (const session of this.#node.sessions) this.note(session)
  }

  /** The same at a moment when what was sent has had time to leave: what clients still hold, they hold for longer. */
  settle(): void {
    this.refresh()
    this.#settledOutputBytes = this.#outputBytes
  }

  /** Closes those that take most while there is a limit and all together are above it. */
  keepLimit(): void {
    const limitBytes = this.#limitBytes()
    if (limitBytes === 0 || this.#evictableBytes <= limitBytes) return
    this.refresh()
    if (this.#evictableBytes <= limitBytes) return
    const { sessions } = this.#node
    const evictable = [...sessions].filter(
      ({ counted, isClosing }) => counted.isEvictable && !isClosing,
    )
    for (const session of evictable.sort((a, b) => b.counted.bytes - a.counted.bytes)) {
      if (this.#evictableBytes <= limitBytes) return
      this.#close(session, limitBytes)
    }
  }

  /** [maxmemory-clients] 0: there is none. A percentage is one of [maxmemory]. */
  #limitBytes(): number {
    const { settings } = this.#node
    const given = settings.int('maxmemory-clients')
    const bytes = given < 0 ? Math.floor((settings.int('maxmemory') * -given) / 100) : given
    return bytes === 0 ? 0 : Math.max(LEAST_LIMIT_BYTES, bytes)
  }

  #close(session: ClientSession, limitBytes: number): void {
    const { stats, port, sessions } = this.#node
    stats.evictedClients++
    port.log(
      'notice',
      `client ${session.id} (${session.address}) closed: it takes ${kib(session.counted.bytes)} KB, more ` +
        `than others, and all together take more than maxmemory-clients (${kib(limitBytes)} KB) ` +
        `(last command: ${session.lastCommand})`,
    )
    sessions.cutOff(session)
  }

  #add({ counted }: ClientSession, sign: 1 | -1): void {
    const bytes = sign * counted.bytes
    if (counted.isEvictable) this.#evictableBytes += bytes
    if (counted.isReplica) {
      this.#replicaBytes += bytes
    } else {
      this.#normalBytes += bytes
      this.#outputBytes += sign * counted.outputBytes
    }
  }
}

function kib(bytes: number): number {
  return Math.round(bytes / KIB)
}
