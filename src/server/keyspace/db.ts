/**
 * One database: keys, their values and their expiry. Every change of a key goes through here and tells
 * the rest of the node about it in one place:
 *
 * - the running snapshot, which must see each key as it was when the snapshot began (`changing`);
 * - the transactions that watch the key;
 * - clients that wait for a list, a sorted set or a stream to appear, or for a stream's group.
 *
 * Code that mutates a value calls `changing` first; every other change is `put`, `remove` or
 * `setExpiry`.
 */

import type { KeyTable } from '../key-table/key-table.ts'
import { Deadlines } from '../values/deadlines.ts'
import { LiveFields } from '../values/live-fields.ts'
import type { Sampler } from '../values/sampler.ts'
import { type HashValue, isPlainString, type Value } from '../values/value.ts'
import { type Entry, type EntryTable, expiryBytes, UNCOUNTED } from './entry-table.ts'
import type { Usage } from './usage.ts'

export type { Entry } from './entry-table.ts'

/**
 * What becomes of a key whose time is over: a master deletes it, a replica only hides it until the
 * master sends DEL, and commands from the master's stream see it as if it were alive (the master
 * has decided).
 */
export type ExpiryMode = 'delete' | 'hide' | 'ignore'

const TTL_SAMPLE = 20
/** The most fields that a command deletes because it has met them; replicas are told of them in one command. */
const MAX_FIELDS_AT_ONCE = 1000

const AWAITED: ReadonlySet<Value['type']> = new Set(['list', 'zset', 'stream'])

/** Wants to know that a key changed: a transaction under WATCH. */
export interface Watcher {
  keyChanged(db: Db, key: string): void
  /** All keys were exchanged for others, and this one was there before, or something is there now. */
  keyReplaced(db: Db, key: string, wasThere: boolean, now: 'gone' | 'alive' | 'expired'): void
}

/** Wants to know of every key that changes: CLIENT TRACKING. */
export interface KeyTracker {
  keyChanged(key: string): void
  /** The key was deleted for its time or for want of memory, and not by a command. */
  keyLost(key: string): void
}

/** What all databases of a node share. */
export interface DbRules {
  /** Wall-clock milliseconds, fixed while a command runs. */
  readonly nowMs: number
  readonly expiryMode: ExpiryMode
  /** True while a client of a replica writes: expired keys are hidden, and one that is to be written to is deleted. */
  readonly expiresWritten: boolean
  readonly serial: number
  readonly beforeChange: ((db: number, key: string, entry: Entry) => void) | undefined
  /** True while a command runs that only reads. */
  readonly countsLookups: boolean
  countLookup(isHit: boolean, db: number, key: string): void
  /** True while a command runs that uses the keys it looks up. */
  readonly touchesKeys: boolean
  readonly usage: Usage
  /** A client of a replica gave the key a time to live, of which the master knows nothing. */
  expiresHere(db: Db, key: string): void
  /** Undefined: no client tracks keys. */
  readonly tracker: KeyTracker | undefined
  /** What this database takes in memory may change until the command ends. */
  sizeChanged(db: Db): void
  /** Returns a table without keys. */
  newTable(): EntryTable
  keyExpired(db: number, key: string): void
  /** The time of these fields was over; `isGone`: the hash had no others. */
  fieldsExpired(db: number, key: string, fields: readonly string[], isGone: boolean): void
  /** A key was created by a command. */
  keyCreated(db: number, key: string): void
  keyEvicted(db: number, key: string): void
  /** A value that clients can wait for was created, or a stream is gone on whose groups clients wait. */
  keyAppeared(db: number, key: string): void
}

export class Db {
  readonly index: number
  readonly #rules: DbRules
  entries: EntryTable
  /** The same entries, of the keys that have an expiry. */
  expires: KeyTable<Entry>
  readonly watchers = new Map<string, Set<Watcher>>()
  #countedBytes = 0
  /** It may have changed since it was counted; see `Keyspace.sizeChanged`. */
  isResized = false
  /** See sampler.ts; for RANDOMKEY. */
  sampler?: Sampler

  constructor(index: number, rules: DbRules) {
    this.index = index
    this.#rules = rules
    this.entries = rules.newTable()
    this.expires = this.entries.sibling()
  }

  /** What all of it takes in memory. */
  get heapBytes(): number {
    return this.contentBytes + this.tableBytes + this.expiryBytes
  }

  /** What the keys and their values take in memory. */
  get contentBytes(): number {
    return this.entries.contentBytes
  }

  /** What it takes in memory to find them. */
  get tableBytes(): number {
    const { heapBytes, expiringFields } = this.entries
    const hintBytes = expiringFields.size === 0 ? 0 : expiringFields.heapBytes
    return heapBytes + hintBytes + (this.sampler?.heapBytes ?? 0)
  }

  /** What it takes in memory to know which of them expire, and when. */
  get expiryBytes(): number {
    return expiryBytes(this.expires)
  }

  /** The entry of a key that is alive. On a master, an expired key is deleted by this. */
  find(key: string): Entry | undefined {
    const rules = this.#rules
    return this.#noteLookup(key, this.#findAlive(key, rules.expiresWritten), rules.countsLookups)
  }

  #noteLookup(key: string, entry: Entry | undefined, isCounted: boolean): Entry | undefined {
    const rules = this.#rules
    if (isCounted) rules.countLookup(entry !== undefined, this.index, key)
    if (entry !== undefined && rules.touchesKeys) rules.usage.touch(entry)
    return entry
  }

  /** The same for a command that asks about keys and does not use them: it counts as no lookup. */
  peek(key: string): Entry | undefined {
    return this.#findAlive(key, false)
  }

  value(key: string): Value | undefined {
    return this.find(key)?.value
  }

  /** The same, for a key that is read by a command that writes others: this counts as a lookup. */
  findSource(key: string): Entry | undefined {
    return this.#noteLookup(key, this.#findAlive(key, false), true)
  }

  source(key: string): Value | undefined {
    return this.findSource(key)?.value
  }

  /** Whether a client sees the key as alive; deletes nothing. */
  isAlive(entry: Entry): boolean {
    if (entry.expireAtMs === undefined || this.#rules.expiryMode === 'ignore') return true
    return entry.expireAtMs >= this.#rules.nowMs
  }

  /** Deletes a key because its time is over, and reports it. */
  expire(key: string): void {
    this.remove(key)
    this.#rules.tracker?.keyLost(key)
    this.#rules.keyExpired(this.index, key)
  }

  liveValue(key: string): Value | undefined {
    return this.live(key, this.find(key))
  }

  /**
   * The value of a key that was found, as a client sees it: without fields whose time is over: a master deletes these, and if there
   * are too many for one command hides the rest.
   */
  live(key: string, entry: Entry | undefined): Value | undefined {
    if (entry?.value.type !== 'hash') return entry?.value
    const { expiries } = entry.value
    const { nowMs, expiryMode } = this.#rules
    if (expiryMode === 'ignore' || expiries?.isDue(nowMs) !== true) return entry.value
    if (expiryMode === 'delete') {
      this.expireFields(key, entry, MAX_FIELDS_AT_ONCE)
      if (!expiries.isDue(nowMs)) return this.entries.get(key)?.value
    }
    const fields = new LiveFields(entry.value.fields, expiries, nowMs)
    return fields.size === 0 ? undefined : { type: 'hash', fields }
  }

  /** Gives fields of a hash, which are there, a moment at which they expire. */
  expireFieldsAt(key: string, fields: Iterable<string>, atMs: number): void {
    const entry = this.entries.get(key)
    if (entry?.value.type !== 'hash') return
    this.changing(key, entry)
    entry.value.expiries ??= new Deadlines()
    for (const field of fields) entry.value.expiries.set(field, atMs)
    this.entries.noteFieldExpiry(key, entry)
  }

  /** Deletes up to `most` fields because their time is over, and reports them. Returns how many. */
  expireFields(key: string, entry: Entry, most: number): number {
    const hash = entry.value as HashValue
    if (hash.expiries?.isDue(this.#rules.nowMs) !== true) return 0
    this.changing(key, entry)
    const due = hash.expiries.takeDue(this.#rules.nowMs, most)
    for (const field of due) {
      hash.sampler?.delete(field)
      hash.fields.delete(field)
    }
    if (hash.expiries.size === 0) hash.expiries = undefined
    this.entries.noteFieldExpiry(key, entry)
    const isGone = hash.fields.size === 0
    if (isGone) this.remove(key)
    this.#rules.fieldsExpired(this.index, key, due, isGone)
    return due.length
  }

  /** Counts it anew, and returns by how many bytes it has changed since the last time. */
  recount(): number {
    const before = this.#countedBytes
    this.isResized = false
    this.#countedBytes = this.heapBytes
    return this.#countedBytes - before
  }

  /** Deletes a key to make room, and reports it. */
  evict(key: string): void {
    this.remove(key)
    this.#rules.tracker?.keyLost(key)
    this.#rules.keyEvicted(this.index, key)
  }

  /** Must be called before the value of an existing key is mutated, and at no other time. */
  changing(key: string, entry: Entry | undefined = this.entries.get(key)): void {
    if (entry === undefined) return
    this.entries.changing(entry)
    this.#changing(key, entry)
  }

  /** The same for a change that WATCH does not count as one: what a stream's groups have read. */
  changingAside(key: string): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.entries.changing(entry)
    this.#rules.sizeChanged(this)
    if (entry.serial < this.#rules.serial) this.#preserve(key, entry)
  }

  /**
   * Creates a key, or replaces it together with its expiry. `usage` is given if it is known from
   * elsewhere.
   */
  put(key: string, value: Value, expireAtMs?: number, usage?: number): void {
    const old = this.entries.get(key)
    const rules = this.#rules
    const isAwaited = AWAITED.has(value.type) || old?.value.type === 'stream'
    if (old === undefined) {
      const entry: Entry = {
        value,
        expireAtMs,
        serial: rules.serial,
        usage: usage ?? rules.usage.fresh(),
        bytes: UNCOUNTED,
      }
      this.entries.add(key, entry)
      this.entries.changing(entry)
      rules.sizeChanged(this)
      this.sampler?.add(key)
      if (this.watchers.size > 0) this.#touched(key)
      rules.tracker?.keyChanged(key)
      if (expireAtMs !== undefined) {
        this.expires.add(key, entry)
        this.#expiresHere(key)
      }
      rules.keyCreated(this.index, key)
    } else {
      // Set in place, so that a running scan finds the key where it was.
      this.setExpiry(key, old, expireAtMs)
      this.entries.changing(old)
      overwrite(old, value)
      this.entries.noteFieldExpiry(key, old)
      old.usage = usage ?? rules.usage.replaced(old.usage)
    }
    if (isAwaited) rules.keyAppeared(this.index, key)
  }

  /** Returns whether there was such a key, expired or not. */
  remove(key: string): boolean {
    const entry = this.entries.get(key)
    if (entry === undefined) return false
    this.#changing(key, entry)
    this.entries.delete(key)
    this.sampler?.delete(key)
    if (entry.expireAtMs !== undefined) this.expires.delete(key)
    if (entry.value.type === 'stream') this.#rules.keyAppeared(this.index, key)
    return true
  }

  /** For a client. A key whose time is over is gone on a master; on a replica it is there until the master says so. */
  removeNamed(key: string): boolean {
    this.peek(key)
    return this.remove(key)
  }

  setExpiry(key: string, entry: Entry, expireAtMs: number | undefined): void {
    this.#changing(key, entry)
    if (expireAtMs === undefined) {
      if (entry.expireAtMs !== undefined) this.expires.delete(key)
    } else if (entry.expireAtMs === undefined) {
      this.expires.add(this.entries.ownKey(key), entry)
    }
    entry.expireAtMs = expireAtMs
    if (expireAtMs !== undefined) this.#expiresHere(key)
  }

  #expiresHere(key: string): void {
    if (this.#rules.expiryMode === 'hide') this.#rules.expiresHere(this, key)
  }

  /** Switches to `entries` at once. The old table is left as it is: a snapshot may still read it. */
  replace(entries: EntryTable, expires: KeyTable<Entry> = expiringKeys(entries)): void {
    const old = this.entries
    this.entries = entries
    this.expires = expires
    delete this.sampler
    this.#rules.sizeChanged(this)
    for (const [key, watchers] of this.watchers) {
      const wasThere = old.has(key)
      const entry = entries.get(key)
      if (!wasThere && entry === undefined) continue
      const now = entry === undefined ? 'gone' : this.isAlive(entry) ? 'alive' : 'expired'
      for (const watcher of watchers) watcher.keyReplaced(this, key, wasThere, now)
    }
  }

  /** Removes all keys. */
  empty(): void {
    this.replace(this.#rules.newTable(), this.entries.sibling())
  }

  /** The average time to live that is left, estimated from a few keys; 0 if none has an expiry. */
  averageTtlMs(nowMs: number): number {
    let seen = 0
    let sumMs = 0
    for (const { expireAtMs } of this.expires.values()) {
      sumMs += (expireAtMs ?? nowMs) - nowMs
      if (++seen === TTL_SAMPLE) break
    }
    return seen === 0 ? 0 : sumMs / seen
  }

  #changing(key: string, entry: Entry): void {
    const rules = this.#rules
    rules.sizeChanged(this)
    if (entry.serial < rules.serial) this.#preserve(key, entry)
    if (this.watchers.size > 0) this.#touched(key)
    rules.tracker?.keyChanged(key)
  }

  #touched(key: string): void {
    const watchers = this.watchers.get(key)
    if (watchers === undefined) return
    for (const watcher of watchers) watcher.keyChanged(this, key)
  }

  #findAlive(key: string, isWritten: boolean): Entry | undefined {
    const entry = this.entries.get(key)
    if (entry?.expireAtMs === undefined || entry.expireAtMs >= this.#rules.nowMs) return entry
    switch (this.#rules.expiryMode) {
      case 'ignore':
        return entry
      case 'hide':
        if (isWritten) this.expire(key)
        return undefined
      case 'delete':
        this.expire(key)
        return undefined
    }
  }

  #preserve(key: string, entry: Entry): void {
    this.#rules.beforeChange?.(this.index, key, entry)
    entry.serial = this.#rules.serial
  }
}

/**
 * A plain string takes over the bytes of the other: what is thrown away at once costs the engine nothing,
 * while a new object in an old entry is copied twice.
 */
function overwrite(entry: Entry, value: Value): void {
  if (isPlainString(value) && isPlainString(entry.value)) entry.value.bytes = value.bytes
  else entry.value = value
}

function expiringKeys(entries: EntryTable): KeyTable<Entry> {
  const expires = entries.sibling<Entry>()
  for (const [key, entry] of entries) if (entry.expireAtMs !== undefined) expires.add(key, entry)
  return expires
}
