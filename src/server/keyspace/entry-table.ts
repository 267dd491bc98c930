/**
 * The keys of one database with their entries, and what all of it takes in memory. What is counted is
 * written down in each entry, so that a value which changes is taken out of the sum and put into it again,
 * and what was counted wrong between two of its changes is right after the second.
 */

import { KeyTable } from '../key-table/key-table.ts'
import { Deadlines } from '../values/deadlines.ts'
import { objectBytes, textBytes } from '../values/engine-sizes.ts'
import { enlarge } from '../values/large.ts'
import type { Value } from '../values/value.ts'
import { valueBytes } from '../values/value-size.ts'

export interface Entry {
  value: Value
  /** Wall-clock milliseconds. */
  expireAtMs: number | undefined
  /** Serial of the last snapshot that has taken this entry, or during which it was created. */
  serial: number
  /** See usage.ts. */
  usage: number
  /** How many bytes the table counts for the value; `UNCOUNTED` if the entry is in no table. */
  bytes: number
}

/** Of an entry that is not in a table, or not any more. */
export const UNCOUNTED = -1

const ENTRY_BYTES = objectBytes(5)
/** A moment in milliseconds is a number that has to be boxed. */
const EXPIRY_BYTES = 16

export class EntryTable extends KeyTable<Entry> {
  #bytes = 0
  /**
   * Hashes with fields that expire, and when the first of these does. Kept as hints: the moment may have changed since,
   * and the key may hold something else.
   */
  readonly expiringFields = new Deadlines()
  /** Entries whose values may have changed since they were counted. */
  readonly #changed: Entry[] = []

  /** What keys and values take, without the table. */
  get contentBytes(): number {
    this.settle()
    return this.#bytes
  }

  override add(key: string, entry: Entry): boolean {
    if (!super.add(key, entry)) return false
    enlarge(entry.value, this.hash)
    entry.bytes = valueBytes(entry.value)
    this.#bytes += entryBytes(key) + entry.bytes
    this.noteFieldExpiry(key, entry)
    return true
  }

  /** The value of the key may be a hash with fields that expire, or with others than before. */
  noteFieldExpiry(key: string, { value }: Entry): void {
    if (value.type !== 'hash' || value.expiries === undefined) return
    const next = value.expiries.soonest()
    if (next !== undefined) this.expiringFields.set(key, next.atMs)
  }

  override set(key: string, entry: Entry): this {
    const old = this.get(key)
    if (old === undefined) {
      this.add(key, entry)
      return this
    }
    this.#bytes -= old.bytes
    old.bytes = UNCOUNTED
    enlarge(entry.value, this.hash)
    entry.bytes = valueBytes(entry.value)
    this.#bytes += entry.bytes
    this.noteFieldExpiry(key, entry)
    return super.set(key, entry)
  }

  override take(key: string): Entry | undefined {
    const entry = super.take(key)
    if (entry === undefined) return undefined
    this.#bytes -= entryBytes(key) + entry.bytes
    entry.bytes = UNCOUNTED
    if (this.expiringFields.size > 0) this.expiringFields.delete(key)
    return entry
  }

  /** The value of this entry is about to change. */
  changing(entry: Entry): void {
    if (this.#changed[this.#changed.length - 1] !== entry) this.#changed.push(entry)
  }

  /** Counts what has changed, and gives large collections their tables. Until then the values must be left alone. */
  settle(): void {
    // One by one: to set the length of an array is a call of the engine's, dearer than a small command.
    for (let entry = this.#changed.pop(); entry !== undefined; entry = this.#changed.pop()) {
      if (entry.bytes === UNCOUNTED) continue
      enlarge(entry.value, this.hash)
      const bytes = valueBytes(entry.value)
      this.#bytes += bytes - entry.bytes
      entry.bytes = bytes
    }
  }
}

/** What one key takes, with its entry and its value. `tableBytes`: what the table takes for each key. */
export function bytesOfKey(key: string, entry: Entry, tableBytes: number): number {
  const expiry = entry.expireAtMs === undefined ? 0 : EXPIRY_BYTES + tableBytes
  return Math.round(entryBytes(key) + valueBytes(entry.value) + tableBytes + expiry)
}

function entryBytes(key: string): number {
  return textBytes(key.length) + ENTRY_BYTES
}

/** What the keys that have an expiry take: a table of their own, and the moments. */
export function expiryBytes(expires: KeyTable<Entry>): number {
  return expires.heapBytes + EXPIRY_BYTES * expires.size
}
