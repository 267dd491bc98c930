/**
 * One database: keys, their values and their expiry. Every change of a key goes through here and tells
 * the rest of the node about it in one place:
 *
 * - the running snapshot, which must see each key as it was when the snapshot began (`changing`);
 * - the transactions that watch the key;
 * - clients that wait for a list, a sorted set or a stream to appear, or for a stream's group.
 *
 * Whoever mutates a value calls `changing` first; all else is `put`, `remove` and `setExpiry`.
 */

import type { Sampler } from '../values/sampler.ts'
import type { Value } from '../values/value.ts'
import type { KeyTable } from './key-table.ts'
import type { Usage } from './usage.ts'

export interface Entry {
  value: Value
  /** Wall-clock milliseconds. */
  expireAtMs: number | undefined
  /** Serial of the last snapshot that has taken this entry, or during which it was created. */
  serial: number
  /** See usage.ts. */
  usage: number
}

/**
 * What becomes of a key whose time is over: a master deletes it, a replica only hides it until the
 * master says DEL, and the master's stream sees it as if it were alive (the master has decided).
 */
export type ExpiryMode = 'delete' | 'hide' | 'ignore'

const TTL_SAMPLE = 20

export const AWAITED: ReadonlySet<Value['type']> = new Set(['list', 'zset', 'stream'])

/** Somebody who wants to know that a key changed: a transaction under WATCH. */
export interface Watcher {
  keyChanged(db: Db, key: string): void
}

/** What the databases of one node share. */
export interface DbRules {
  /** Wall-clock milliseconds, frozen for the length of a command. */
  readonly nowMs: number
  readonly expiryMode: ExpiryMode
  readonly serial: number
  readonly beforeChange: ((db: number, key: string, entry: Entry) => void) | undefined
  /** Set while a command runs that only reads. */
  readonly countsLookups: boolean
  countLookup(isHit: boolean): void
  /** Set while a command runs that uses the keys it looks up. */
  readonly touchesKeys: boolean
  readonly usage: Usage
  /** Without keys. */
  newTable(): KeyTable<Entry>
  /** A key was deleted because its time was over. */
  keyExpired(db: number, key: string): void
  /** A value that clients can wait for came into being, or a stream whose groups they may read is gone. */
  keyAppeared(db: number, key: string): void
}

export class Db {
  readonly index: number
  readonly #rules: DbRules
  entries: KeyTable<Entry>
  /** Keys that have an expiry, in the order they got one. */
  expires = new Set<string>()
  readonly watchers = new Map<string, Set<Watcher>>()
  /** See sampler.ts; for RANDOMKEY. */
  sampler?: Sampler

  constructor(index: number, rules: DbRules) {
    this.index = index
    this.#rules = rules
    this.entries = rules.newTable()
  }

  /** The entry of a key that is alive. On a master an expired key is deleted on the way. */
  find(key: string): Entry | undefined {
    const entry = this.#findAlive(key)
    const rules = this.#rules
    if (rules.countsLookups) rules.countLookup(entry !== undefined)
    if (entry !== undefined && rules.touchesKeys) rules.usage.touch(entry)
    return entry
  }

  value(key: string): Value | undefined {
    return this.find(key)?.value
  }

  /** Alive in the eyes of a client, without deleting anything. */
  isAlive(entry: Entry): boolean {
    if (entry.expireAtMs === undefined || this.#rules.expiryMode === 'ignore') return true
    return entry.expireAtMs >= this.#rules.nowMs
  }

  /** Deletes a key because its time is over, and says so. */
  expire(key: string): void {
    this.remove(key)
    this.#rules.keyExpired(this.index, key)
  }

  /** Must be called before the value of an existing key is mutated, and at no other time. */
  changing(key: string, entry: Entry | undefined = this.entries.get(key)): void {
    if (entry === undefined) return
    if (entry.serial < this.#rules.serial) this.#preserve(key, entry)
    if (this.watchers.size > 0) this.#touched(key)
  }

  /** The same for what is no change in the eyes of WATCH: what a stream's groups have read. */
  changingAside(key: string): void {
    const entry = this.entries.get(key)
    if (entry !== undefined && entry.serial < this.#rules.serial) this.#preserve(key, entry)
  }

  /** Creates a key or replaces it, its expiry included. `usage`: if it is known from elsewhere. */
  put(key: string, value: Value, expireAtMs?: number, usage?: number): void {
    const old = this.entries.get(key)
    const rules = this.#rules
    const isAwaited = AWAITED.has(value.type) || old?.value.type === 'stream'
    if (old === undefined) {
      const { serial } = rules
      this.entries.add(key, { value, expireAtMs, serial, usage: usage ?? rules.usage.fresh() })
      this.sampler?.add(key)
      if (this.watchers.size > 0) this.#touched(key)
      if (expireAtMs !== undefined) this.expires.add(key)
    } else {
      // Set in place, so that a scan under way meets the key where it was.
      this.setExpiry(key, old, expireAtMs)
      old.value = value
      old.usage = usage ?? rules.usage.replaced(old.usage)
    }
    if (isAwaited) rules.keyAppeared(this.index, key)
  }

  /** Whether there was such a key, expired or not. */
  remove(key: string): boolean {
    const entry = this.entries.get(key)
    if (entry === undefined) return false
    this.changing(key, entry)
    this.entries.delete(key)
    this.sampler?.delete(key)
    if (entry.expireAtMs !== undefined) this.expires.delete(key)
    if (entry.value.type === 'stream') this.#rules.keyAppeared(this.index, key)
    return true
  }

  setExpiry(key: string, entry: Entry, expireAtMs: number | undefined): void {
    this.changing(key, entry)
    if (expireAtMs !== undefined) this.expires.add(key)
    else if (entry.expireAtMs !== undefined) this.expires.delete(key)
    entry.expireAtMs = expireAtMs
  }

  /** Becomes `entries` at once. The old table is left as it is: a snapshot may still read it. */
  replace(entries: KeyTable<Entry>, expires: Set<string> = expiringKeys(entries)): void {
    const old = this.entries
    this.entries = entries
    this.expires = expires
    delete this.sampler
    for (const key of this.watchers.keys()) {
      if (old.has(key) || entries.has(key)) this.#touched(key)
    }
  }

  /** Loses all keys. */
  empty(): void {
    this.replace(this.#rules.newTable(), new Set())
  }

  /** What is left on average, judged by a few keys; 0 if none has an expiry. */
  averageTtlMs(nowMs: number): number {
    let seen = 0
    let sumMs = 0
    for (const key of this.expires) {
      sumMs += (this.entries.get(key)?.expireAtMs ?? nowMs) - nowMs
      if (++seen === TTL_SAMPLE) break
    }
    return seen === 0 ? 0 : sumMs / seen
  }

  #touched(key: string): void {
    const watchers = this.watchers.get(key)
    if (watchers === undefined) return
    for (const watcher of watchers) watcher.keyChanged(this, key)
  }

  #findAlive(key: string): Entry | undefined {
    const entry = this.entries.get(key)
    if (entry?.expireAtMs === undefined || entry.expireAtMs >= this.#rules.nowMs) return entry
    switch (this.#rules.expiryMode) {
      case 'ignore':
        return entry
      case 'hide':
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

function expiringKeys(entries: KeyTable<Entry>): Set<string> {
  const keys = new Set<string>()
  for (const [key, entry] of entries) if (entry.expireAtMs !== undefined) keys.add(key)
  return keys
}
