/**
 * [replica-read-only no] The keys to which a client of a replica gave a time to live. The master
 * knows nothing of that and sends no DEL, so the replica deletes them itself.
 */
import type { Db } from './db.ts'

interface LocalExpiry {
  readonly db: Db
  readonly key: string
}

export class LocalExpiries {
  /** By `db key`. */
  readonly #all = new Map<string, LocalExpiry>()

  get size(): number {
    return this.#all.size
  }

  add(db: Db, key: string): void {
    this.#all.set(`${db.index} ${key}`, { db, key })
  }

  /** The keys are gone, or this node decides about all of them now. */
  clear(): void {
    this.#all.clear()
  }

  /** Deletes those whose time is over, and forgets those that have none any more. */
  run(nowMs: number): void {
    for (const [name, { db, key }] of this.#all) {
      const expireAtMs = db.entries.get(key)?.expireAtMs
      if (expireAtMs !== undefined && expireAtMs >= nowMs) continue
      this.#all.delete(name)
      if (expireAtMs !== undefined) db.expire(key)
    }
  }
}
