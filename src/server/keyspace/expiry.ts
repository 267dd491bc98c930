/**
 * Deleting expired keys nobody asks for. Ten times a second a slice of the keys that have an expiry is
 * looked at, round and round; as long as many of them are dead, more slices follow at once. So the cost
 * follows the number of dead keys, and memory held by them stays a small share. Masters only.
 */
import type { Db } from './db.ts'
import type { Keyspace } from './keyspace.ts'

export const EXPIRY_PERIOD_MS = 100

const SLICE_KEYS = 500
const MAX_SLICES = 20

/** More than one in ten was dead: there are likely more. */
const CROWDED = 10

interface Walk {
  readonly expires: ReadonlySet<string>
  readonly keys: Iterator<string>
}

export class ExpiryCycle {
  /** DEBUG SET-ACTIVE-EXPIRE. */
  isEnabled = true
  readonly #walks = new Map<Db, Walk>()

  run(keyspace: Keyspace): void {
    if (!this.isEnabled) return
    for (const db of keyspace.dbs) {
      if (db.expires.size > 0) this.#clean(db, keyspace.nowMs)
    }
  }

  #clean(db: Db, nowMs: number): void {
    for (let slice = 0; slice < MAX_SLICES; slice++) {
      if (this.#cleanSlice(db, nowMs) * CROWDED <= SLICE_KEYS) return
    }
  }

  /** How many were dead. */
  #cleanSlice(db: Db, nowMs: number): number {
    const walk = this.#walkOf(db)
    let dead = 0
    for (let seen = 0; seen < SLICE_KEYS; seen++) {
      const { done, value: key } = walk.keys.next()
      if (done === true) {
        this.#walks.delete(db)
        return dead
      }
      const expireAtMs = db.entries.get(key)?.expireAtMs
      if (expireAtMs === undefined || expireAtMs >= nowMs) continue
      db.expire(key)
      dead++
    }
    return dead
  }

  #walkOf(db: Db): Walk {
    const known = this.#walks.get(db)
    // Another set: the database was flushed or replaced.
    if (known?.expires === db.expires) return known
    const walk = { expires: db.expires, keys: db.expires.values() }
    this.#walks.set(db, walk)
    return walk
  }
}
