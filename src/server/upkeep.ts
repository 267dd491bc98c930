/**
 * What a node does by the clock, without a request: deleting expired keys, closing idle clients.
 */
import type { Moment } from '../base/clock.ts'
import type { NodeServices } from './context.ts'
import { earliest } from './earliest.ts'
import { EXPIRY_PERIOD_MS, EXPIRY_REST_MS, EXPIRY_RUN_MICROS } from './keyspace/expiry.ts'

/** How often idle clients are looked for, if [timeout] is set. */
const IDLE_CHECK_MS = 1000

export class Upkeep {
  readonly #node: NodeServices
  /** Monotonic. */
  #nextExpiryMs = 0
  /** Monotonic. */
  #nextIdleCheckMs = 0

  constructor(node: NodeServices) {
    this.#node = node
  }

  wake(now: Moment): void {
    if (now.monoMs >= this.#nextExpiryMs && this.#hasKeysToExpire()) {
      this.#nextExpiryMs = now.monoMs + (this.#runExpiry(now) ? EXPIRY_PERIOD_MS : EXPIRY_REST_MS)
    }
    if (this.#node.settings.int('timeout') > 0 && now.monoMs >= this.#nextIdleCheckMs) {
      this.#nextIdleCheckMs = now.monoMs + IDLE_CHECK_MS
      this.#closeIdle(now)
    }
  }

  /** Monotonic; undefined when nothing is due. */
  nextWakeUpMs(): number | undefined {
    const hasTimeout = this.#node.settings.int('timeout') > 0
    return earliest(
      this.#hasKeysToExpire() ? this.#nextExpiryMs : undefined,
      hasTimeout ? this.#nextIdleCheckMs : undefined,
    )
  }

  /** False: its time was over before its end. */
  #runExpiry(now: Moment): boolean {
    const { times, stats } = this.#node
    const startedAt = times.now()
    const isThrough = this.#expire(() => times.now() - startedAt < EXPIRY_RUN_MICROS)
    times.noteEvent('expire-cycle', startedAt, now.wallMs)
    stats.expiryMicros += times.now() - startedAt
    if (!isThrough) stats.expiryCaps++
    return isThrough
  }

  /** A replica waits until its master expires keys, apart from those of its own clients. */
  #expire(hasTime: () => boolean): boolean {
    const { keyspace, replication, expiryCycle, now } = this.#node
    if (replication.isReplica()) {
      keyspace.localExpiries.run(now.wallMs)
      return true
    }
    keyspace.localExpiries.clear()
    return expiryCycle.run(keyspace, hasTime)
  }

  /** A pause holds expiry back. */
  #hasKeysToExpire(): boolean {
    const { keyspace, pause, replication, expiryCycle } = this.#node
    if (!expiryCycle.isEnabled || pause.scope !== undefined) return false
    if (replication.isReplica()) return keyspace.localExpiries.size > 0
    return keyspace.dbs.some((db) => db.expires.size + db.entries.expiringFields.size > 0)
  }

  /** [timeout] Replicas, subscribers and waiting clients are never closed. */
  #closeIdle(now: Moment): void {
    const { sessions, settings } = this.#node
    const timeoutMs = 1000 * settings.int('timeout')
    for (const session of [...sessions]) {
      if (session.kind !== 'normal' || session.blocked !== undefined) continue
      if (now.monoMs - session.lastInputAtMs > timeoutMs) sessions.close(session)
    }
  }
}
