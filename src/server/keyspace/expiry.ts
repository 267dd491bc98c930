/**
 * Deletes expired keys and fields that no client asks for. Ten times a second it looks at a slice of the keys that
 * have an expiry, round and round; as long as many of them are dead, more slices follow at once. So the
 * cost follows the number of dead keys, and the memory they hold stays a small share. Fields are found in the order in
 * which their time is over. Clients wait for each run, so it takes a few milliseconds at most, and goes on after a rest.
 * Masters only.
 */

import type { KeyTable } from '../key-table/key-table.ts'
import type { Db, Entry } from './db.ts'
import type { Keyspace } from './keyspace.ts'

export const EXPIRY_PERIOD_MS = 100
/** After so much of a run clients have their turn, and the next one follows after the rest: a third of the time at most. */
export const EXPIRY_RUN_MICROS = 2_500
export const EXPIRY_REST_MS = 8
/** The clock is looked at after so many keys. */
const KEYS_PER_LOOK = 16

const SLICE_KEYS = 500
const MAX_SLICES = 20

/** If more than one in ten was dead, there are likely more. */
const CROWDED = 10

interface Walk {
  readonly expires: KeyTable<Entry>
  readonly keys: Iterator<[key: string, entry: Entry]>
}

export class ExpiryCycle {
  /** DEBUG SET-ACTIVE-EXPIRE. */
  isEnabled = true
  readonly #walks = new Map<Db, Walk>()
  /** The database that comes next: a crowded one must not keep the others from their turn. */
  #next = 0

  /** False: `hasTime` ended it before its end. */
  run(keyspace: Keyspace, hasTime: () => boolean): boolean {
    if (!this.isEnabled) return true
    const { dbs, nowMs } = keyspace
    for (let left = dbs.length; left > 0; left--) {
      const db = dbs[this.#next++ % dbs.length]
      if (db === undefined) continue
      if (db.expires.size > 0) this.#clean(db, nowMs, hasTime)
      if (db.entries.expiringFields.size > 0) cleanFields(db, nowMs, hasTime)
      if (!hasTime()) return false
    }
    return true
  }

  #clean(db: Db, nowMs: number, hasTime: () => boolean): void {
    for (let slice = 0; slice < MAX_SLICES && hasTime(); slice++) {
      if (this.#cleanSlice(db, nowMs, hasTime) * CROWDED <= SLICE_KEYS) return
    }
  }

  /** Returns how many were dead. */
  #cleanSlice(db: Db, nowMs: number, hasTime: () => boolean): number {
    const walk = this.#walkOf(db)
    let dead = 0
    for (let seen = 0; seen < SLICE_KEYS; seen++) {
      if (seen % KEYS_PER_LOOK === 0 && !hasTime()) return dead
      const step = walk.keys.next()
      if (step.done === true) {
        this.#walks.delete(db)
        return dead
      }
      const [key, { expireAtMs }] = step.value
      if (expireAtMs === undefined || expireAtMs >= nowMs) continue
      db.expire(key)
      dead++
    }
    return dead
  }

  #walkOf(db: Db): Walk {
    const known = this.#walks.get(db)
    // Another table means that the database was flushed or replaced.
    if (known?.expires === db.expires) return known
    const walk = { expires: db.expires, keys: db.expires.entries() }
    this.#walks.set(db, walk)
    return walk
  }
}

/** How many fields one run deletes, or hints that were out of date it puts right. */
const MAX_FIELDS = SLICE_KEYS * MAX_SLICES

function cleanFields(db: Db, nowMs: number, hasTime: () => boolean): void {
  const { expiringFields } = db.entries
  for (let left = MAX_FIELDS; left > 0 && hasTime(); left--) {
    const next = expiringFields.soonest()
    if (next === undefined || next.atMs >= nowMs) return
    expiringFields.delete(next.name)
    const entry = db.entries.get(next.name)
    if (entry?.value.type !== 'hash') continue
    left -= db.expireFields(next.name, entry, Math.min(left, SLICE_KEYS))
    if (db.entries.get(next.name) === entry) db.entries.noteFieldExpiry(next.name, entry)
  }
}
