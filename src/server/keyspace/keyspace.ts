/**
 * All databases of a node, and what they have in common: the frozen time of the command being executed, how
 * expired keys are treated, and the running snapshot.
 *
 * No fork exists here, so a snapshot is taken in small steps while commands go on. It starts by raising
 * `serial`. An entry whose serial is older has not been taken yet; before such an entry changes,
 * `beforeChange` hands it over as it was. An entry created meanwhile carries the new serial and is left
 * out.
 */

import type { KeyHash } from '../key-table/key-hash.ts'
import type { KeyTable } from '../key-table/key-table.ts'
import { Db, type DbRules, type Entry, type ExpiryMode, type KeyTracker } from './db.ts'
import { EntryTable } from './entry-table.ts'
import { Usage } from './usage.ts'

export type { Entry } from './db.ts'

/** Learns what happens to keys apart from what commands do. */
export interface KeyspaceObserver {
  countLookup(isHit: boolean, db: number, key: string): void
  keyExpired(db: number, key: string): void
  fieldsExpired(db: number, key: string, fields: readonly string[], isGone: boolean): void
  keyCreated(db: number, key: string): void
  keyEvicted(db: number, key: string): void
  keyAppeared(db: number, key: string): void
  /** All data were replaced, now with this many keys, without a command for it. */
  dataReplaced(keys: number): void
}

const NOBODY: KeyspaceObserver = {
  countLookup: () => undefined,
  keyExpired: () => undefined,
  fieldsExpired: () => undefined,
  keyCreated: () => undefined,
  keyEvicted: () => undefined,
  keyAppeared: () => undefined,
  dataReplaced: () => undefined,
}

export class Keyspace implements DbRules {
  readonly dbs: Db[] = []
  /** Serial of the running (or last) snapshot. New entries are stamped with it. */
  serial = 0
  /** Set while a snapshot runs: called with every entry whose serial is older, before it changes. */
  beforeChange: ((db: number, key: string, entry: Entry) => void) | undefined
  /** Set while a snapshot runs: called when two databases, by number, have exchanged their contents. */
  afterSwap: ((first: number, second: number) => void) | undefined
  #nowMs = 0
  expiryMode: ExpiryMode = 'delete'
  expiresWritten = false
  countsLookups = false
  touchesKeys = false
  readonly usage: Usage
  observer: KeyspaceObserver = NOBODY
  tracker: KeyTracker | undefined
  readonly localExpiries = new LocalExpiries()
  readonly #hash: KeyHash
  #heapBytes = 0
  /** Databases that may have changed since they were counted. */
  #resized: Db[] = []

  /** `hash`: for the keys of all tables. */
  constructor(databases: number, hash: KeyHash, usage = new Usage()) {
    this.#hash = hash
    this.usage = usage
    for (let index = 0; index < databases; index++) {
      const db = new Db(index, this)
      this.dbs.push(db)
      this.sizeChanged(db)
    }
  }

  /** Wall-clock milliseconds. */
  get nowMs(): number {
    return this.#nowMs
  }

  set nowMs(nowMs: number) {
    this.#nowMs = nowMs
    this.usage.setTime(nowMs)
  }

  /** What all data take in memory. */
  get heapBytes(): number {
    this.settle()
    return this.#heapBytes
  }

  expiresHere(db: Db, key: string): void {
    this.localExpiries.add(db, key)
  }

  sizeChanged(db: Db): void {
    if (db.isResized) return
    db.isResized = true
    this.#resized.push(db)
  }

  /**
   * Counts what has changed: at the end of a turn, and when the size is asked for. No command may be in the middle
   * of changing a value.
   */
  settle(): void {
    if (this.#resized.length === 0) return
    for (const db of this.#resized) this.#heapBytes += db.recount()
    this.#resized = []
  }

  newTable(): EntryTable {
    return new EntryTable(this.#hash)
  }

  /** One table for each database, for data that are to replace the current ones. */
  newTables(): EntryTable[] {
    return this.dbs.map(() => this.newTable())
  }

  countLookup(isHit: boolean, db: number, key: string): void {
    this.observer.countLookup(isHit, db, key)
  }

  keyCreated(db: number, key: string): void {
    this.observer.keyCreated(db, key)
  }

  keyExpired(db: number, key: string): void {
    this.observer.keyExpired(db, key)
  }

  fieldsExpired(db: number, key: string, fields: readonly string[], isGone: boolean): void {
    this.observer.fieldsExpired(db, key, fields, isGone)
  }

  keyEvicted(db: number, key: string): void {
    this.observer.keyEvicted(db, key)
  }

  keyAppeared(db: number, key: string): void {
    this.observer.keyAppeared(db, key)
  }

  /**
   * Switches to these tables, as a full resynchronisation does; databases without one become empty. A
   * running snapshot goes on with the old tables, which do not change any more: what happens from now on
   * does not concern it. `expires`: the keys of each table that have an expiry, if they are known.
   */
  replaceAll(dbs: readonly EntryTable[], expires: readonly KeyTable<Entry>[] = []): void {
    this.beforeChange = undefined
    this.afterSwap = undefined
    this.localExpiries.clear()
    for (const db of this.dbs) db.replace(dbs[db.index] ?? this.newTable(), expires[db.index])
    this.observer.dataReplaced(dbs.reduce((sum, entries) => sum + entries.size, 0))
  }

  /** Exchanges the contents of two databases; clients stay where they are. */
  swap(first: Db, second: Db): void {
    const { entries, expires } = first
    first.replace(second.entries, second.expires)
    second.replace(entries, expires)
    this.afterSwap?.(first.index, second.index)
  }
}

/**
 * [replica-read-only no] The keys to which a client of a replica gave a time to live. The master
 * knows nothing of that and sends no DEL, so the replica deletes them itself.
 */
interface LocalExpiry {
  readonly db: Db
  readonly key: string
}

class LocalExpiries {
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
