/**
 * WAIT: a client that wants to know how many replicas have its writes. It waits for the offset as it
 * was after its last command; the replicas are asked to acknowledge at once instead of within a second.
 */
import { parseInt64 } from '../../../base/decimal.ts'
import { error, integer, type Reply } from '../../../resp/reply.ts'
import { NOT_AN_INTEGER, TIMEOUT_NEGATIVE, TIMEOUT_NOT_AN_INTEGER } from '../../errors.ts'
import type { ConnectionId } from '../../port.ts'
import type { Session } from '../../sessions/session.ts'
import type { History } from '../history/history.ts'
import { GETACK } from '../history/propagation.ts'
import type { Stream } from '../history/stream.ts'
import type { ReplicationHost } from '../host.ts'
import { AofWaits } from './aof-waits.ts'
import type { Replicas } from './replicas.ts'

const WAIT_ON_REPLICA = error(
  'ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a ' +
    'replica is configured to be writable (which is not the default) writes to replicas are just ' +
    'local and are not propagated.',
)

interface Waiter {
  readonly session: Session
  readonly offset: number
  /** How many replicas are to have it. */
  readonly wanted: number
}

export class Waits {
  readonly #host: ReplicationHost
  readonly #history: History
  readonly #replicas: Replicas
  readonly #stream: Stream
  readonly aof: AofWaits
  /** The offset after the last command of each client that has sent one. */
  readonly #offsets = new Map<ConnectionId, number>()
  readonly #waiters = new Map<ConnectionId, Waiter>()
  /** One GETACK serves everybody who begins to wait in the same turn. */
  #mustAsk = false

  constructor(host: ReplicationHost, history: History, replicas: Replicas, stream: Stream) {
    this.#host = host
    this.#history = history
    this.#replicas = replicas
    this.#stream = stream
    this.aof = new AofWaits({
      host,
      replicas,
      offsetOf: (session) => this.#offsets.get(session.id) ?? 0,
      askReplicas: () => {
        this.#mustAsk = true
      },
    })
  }

  commandExecuted(session: Session): void {
    this.#offsets.set(session.id, this.#history.offset)
    this.aof.commandExecuted(session)
  }

  forget(session: Session): void {
    this.#offsets.delete(session.id)
    this.#waiters.delete(session.id)
    this.aof.forget(session)
  }

  /** The role changes, and whoever waited has been answered. */
  clear(): void {
    this.#waiters.clear()
    this.aof.clear()
  }

  wait(session: Session, argv: readonly string[], isReplica: boolean): Reply | undefined {
    if (isReplica) return WAIT_ON_REPLICA
    const wanted = parseInt64(argv[1] ?? '')
    if (typeof wanted !== 'number') return NOT_AN_INTEGER
    const timeoutMs = parseInt64(argv[2] ?? '')
    if (typeof timeoutMs !== 'number') return TIMEOUT_NOT_AN_INTEGER
    if (timeoutMs < 0) return TIMEOUT_NEGATIVE
    const offset = this.#offsets.get(session.id) ?? 0
    const count = this.#replicas.countAcknowledged(offset)
    if (count >= wanted || !session.mayBlock) return integer(count)
    this.#block({ session, offset, wanted }, timeoutMs)
    return undefined
  }

  /** A replica has acknowledged something. */
  acknowledged(): void {
    this.aof.synced()
    for (const [id, waiter] of this.#waiters) {
      const count = this.#replicas.countAcknowledged(waiter.offset)
      if (count < waiter.wanted) continue
      this.#waiters.delete(id)
      this.#host.unblock(waiter.session, integer(count))
    }
  }

  wake(): void {
    // Who holds writes back waits for the end of the stream: WAIT must not move it.
    if (!this.#mustAsk || this.#host.isPaused) return
    this.#mustAsk = false
    if (this.#waiters.size > 0 || this.aof.areWaiting) this.#stream.feedIfKept(GETACK)
  }

  nextWakeUpMs(): number | undefined {
    return this.#mustAsk && !this.#host.isPaused ? this.#host.now.monoMs : undefined
  }

  #block(waiter: Waiter, timeoutMs: number): void {
    const { session, offset } = waiter
    this.#waiters.set(session.id, waiter)
    this.#mustAsk = true
    const deadlineMs = timeoutMs === 0 ? undefined : this.#host.now.monoMs + timeoutMs
    this.#host.block(session, deadlineMs, () => {
      this.#waiters.delete(session.id)
      return integer(this.#replicas.countAcknowledged(offset))
    })
  }
}
