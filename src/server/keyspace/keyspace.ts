/**
 * All databases of a node, and what holds for every one of them: the frozen time of the command being
 * executed, what an expired key is worth, and the running snapshot.
 *
 * No fork exists here, so a snapshot is taken in small steps while commands go on. It starts by raising
 * `serial`. An entry whose serial is older has not been taken yet; before such an entry changes,
 * `beforeChange` hands it over as it was. What is created meanwhile carries the new serial and is left out.
 */
import { Db, type DbRules, type Entry, type ExpiryMode } from './db.ts'
import type { KeyHash } from './key-hash.ts'
import { KeyTable } from './key-table.ts'
import { Usage } from './usage.ts'

export type { Entry } from './db.ts'

/** Told about what happens to keys outside of any command's own doing. */
export interface KeyspaceObserver {
  countLookup(isHit: boolean): void
  keyExpired(db: number, key: string): void
  keyAppeared(db: number, key: string): void
  /** All data were replaced by so many keys, and no command has told of them. */
  dataReplaced(keys: number): void
}

const NOBODY: KeyspaceObserver = {
  countLookup: () => undefined,
  keyExpired: () => undefined,
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
  countsLookups = false
  touchesKeys = false
  readonly usage: Usage
  observer: KeyspaceObserver = NOBODY
  readonly #hash: KeyHash

  /** `hash`: of all its keys. */
  constructor(databases: number, hash: KeyHash, usage = new Usage()) {
    this.#hash = hash
    this.usage = usage
    for (let index = 0; index < databases; index++) this.dbs.push(new Db(index, this))
  }

  /** Wall-clock milliseconds. */
  get nowMs(): number {
    return this.#nowMs
  }

  set nowMs(nowMs: number) {
    this.#nowMs = nowMs
    this.usage.setTime(nowMs)
  }

  newTable(): KeyTable<Entry> {
    return new KeyTable(this.#hash)
  }

  /** One for each database, for data that are to take the place of what is here. */
  newTables(): KeyTable<Entry>[] {
    return this.dbs.map(() => this.newTable())
  }

  countLookup(isHit: boolean): void {
    this.observer.countLookup(isHit)
  }

  keyExpired(db: number, key: string): void {
    this.observer.keyExpired(db, key)
  }

  keyAppeared(db: number, key: string): void {
    this.observer.keyAppeared(db, key)
  }

  /**
   * Starts from these tables, as a full resynchronisation does; databases not given become empty. A running
   * snapshot goes on with the old ones, which nobody changes any more: what happens from now on is none
   * of its concern. `expires`: for each table its keys with an expiry, if they are known.
   */
  replaceAll(dbs: readonly KeyTable<Entry>[], expires: readonly Set<string>[] = []): void {
    this.beforeChange = undefined
    this.afterSwap = undefined
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
