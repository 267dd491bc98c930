/**
 * A copy of the dataset as it was at one moment, written while commands go on changing it.
 *
 * Redis lets fork() copy the memory. Here every entry carries the serial of the last snapshot that
 * has it. The walk takes a bounded number of bytes per slice; an entry about to be changed, replaced
 * or deleted that is still older is written first; an entry made later is stamped as if it were taken,
 * and so is left out. Maps are swapped, never cleared, so a FLUSHALL leaves us the old ones.
 *
 * An entry the walk is in the middle of (a large collection takes several slices) must not be cut in
 * two by another one. Entries that come in between wait in `#aside`.
 */
import { assert } from '../../base/assert.ts'
import type { Entry, Keyspace } from '../keyspace.ts'
import { Crc64 } from './crc64.ts'
import { RDB_END, rdbEntry, rdbHeader, rdbSelectDb } from './rdb-writer.ts'

/** Gets the payload, piece by piece. */
export type SnapshotSink = (bytes: string) => void

interface Source {
  readonly db: number
  readonly entries: Iterator<[string, Entry]>
}

/** The entry the walk is writing. */
interface Current {
  readonly entry: Entry
  readonly pieces: Iterator<string>
}

export class Snapshot {
  readonly #keyspace: Keyspace
  readonly #serial: number
  readonly #sink: SnapshotSink
  readonly #crc = new Crc64()
  readonly #sources: Source[]
  #untaken: number
  #selectedDb: number | undefined
  #current: Current | undefined
  #aside: string[] = []
  #output: string[] = []
  #outputBytes = 0
  #isOver = false

  /** Fixes the moment. One snapshot of a keyspace can run at a time. */
  constructor(keyspace: Keyspace, aux: readonly (readonly [string, string])[], sink: SnapshotSink) {
    assert(keyspace.beforeChange === undefined, 'one snapshot runs at a time')
    keyspace.serial++
    keyspace.beforeChange = (db, key, entry) => this.#takeBeforeChange(db, key, entry)
    this.#keyspace = keyspace
    this.#serial = keyspace.serial
    this.#sink = sink
    this.#sources = keyspace.dbs.map((db) => ({ db: db.index, entries: db.entries.entries() }))
    this.#untaken = keyspace.dbs.reduce((sum, db) => sum + db.entries.size, 0)
    this.#put(rdbHeader(aux))
  }

  /** The payload is complete, or was given up. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Writes about `sliceBytes` more; one piece of a value is the least it writes. */
  advance(sliceBytes: number): void {
    if (this.#isOver) return
    while (!this.#isOver && this.#outputBytes < sliceBytes) {
      if (this.#current !== undefined) this.#continueCurrent(this.#current)
      else if (!this.#takeNext()) this.#end()
    }
    this.#flush()
  }

  /** Gives it up: nobody wants it any more. */
  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#keyspace.beforeChange = undefined
  }

  /** Begins with the next entry not yet taken; false when there is none. */
  #takeNext(): boolean {
    while (this.#untaken > 0) {
      const source = this.#sources[0]
      assert(source !== undefined, 'every entry that is counted is found')
      const step = source.entries.next()
      if (step.done === true) {
        this.#sources.shift()
        continue
      }
      const [key, entry] = step.value
      if (entry.serial === this.#serial) continue
      this.#select(source.db)
      this.#current = { entry, pieces: rdbEntry(key, entry) }
      return true
    }
    return false
  }

  #continueCurrent(current: Current): void {
    const step = current.pieces.next()
    if (step.done !== true) this.#put(step.value)
    else this.#endCurrent(current)
  }

  #endCurrent(current: Current): void {
    this.#current = undefined
    this.#stamp(current.entry)
    for (const bytes of this.#aside) this.#put(bytes)
    this.#aside = []
  }

  #takeBeforeChange(db: number, key: string, entry: Entry): void {
    const current = this.#current
    if (current?.entry === entry) {
      while (this.#current !== undefined) this.#continueCurrent(current)
      return
    }
    this.#stamp(entry)
    const bytes = rdbSelectDb(db) + [...rdbEntry(key, entry)].join('')
    this.#selectedDb = undefined
    if (current === undefined) this.#put(bytes)
    else this.#aside.push(bytes)
  }

  #stamp(entry: Entry): void {
    assert(entry.serial !== this.#serial, 'an entry is taken once')
    entry.serial = this.#serial
    this.#untaken--
  }

  #select(db: number): void {
    if (db === this.#selectedDb) return
    this.#selectedDb = db
    this.#put(rdbSelectDb(db))
  }

  #put(bytes: string): void {
    this.#output.push(bytes)
    this.#outputBytes += bytes.length
  }

  #end(): void {
    this.#put(RDB_END)
    this.#flush()
    this.#sink(this.#crc.digest())
    this.stop()
  }

  #flush(): void {
    if (this.#outputBytes === 0) return
    const bytes = this.#output.join('')
    this.#output = []
    this.#outputBytes = 0
    this.#crc.update(bytes)
    this.#sink(bytes)
  }
}
