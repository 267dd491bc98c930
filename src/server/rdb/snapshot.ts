/**
 * A copy of the dataset as it was at one moment, written while commands go on changing it.
 *
 * Redis lets fork() copy the memory. Here every entry carries the serial of the last snapshot that has it.
 * The walk takes a bounded number of bytes per slice; an older entry that is about to be changed, replaced
 * or deleted is put aside first, as it is; an entry created later is stamped as if it were taken, and so
 * is left out. Tables are swapped, never cleared, so a FLUSHALL leaves us the old ones.
 *
 * Entries put aside wait in a queue: a small record as its bytes, a large one as a reading of its value,
 * for which the value notes its changes (values/reading.ts). So memory grows by what changes meanwhile and
 * by nothing else, and no change waits for a copy of a collection. The queue is written before the walk
 * goes on, but never into the middle of a record.
 *
 * Only `advance` calls the sink. The caller pauses the snapshot by not calling `advance`; meanwhile
 * nothing grows but the queue.
 */
import { assert } from '../../base/assert.ts'
import type { Db, Entry } from '../keyspace/db.ts'
import type { Keyspace } from '../keyspace/keyspace.ts'
import type { Hold } from '../values/reading.ts'
import { Crc64 } from './crc64.ts'
import { rdbString } from './rdb-encode.ts'
import type { RdbDialect } from './rdb-format.ts'
import {
  compressedString,
  RDB_END,
  rdbFunction,
  rdbHeader,
  rdbRecord,
  rdbResizeDb,
  rdbSelectDb,
  type StringForm,
} from './rdb-writer.ts'

/** Gets the payload, piece by piece. */
export type SnapshotSink = (bytes: string) => void

/** A record that is written bit by bit; its value may change meanwhile if `freeze` is called first. */
export interface Pieces extends Hold {
  /** About `maxBytes`; undefined at the end. */
  next(maxBytes: number): string | undefined
  /** The same, before any piece was taken: a small record becomes its bytes. */
  settle(): string | Pieces
}

/** Another form of a snapshot than an RDB payload. */
export interface SnapshotForm {
  readonly header: string
  select(db: number): string
  record(key: string, entry: Entry): string | Pieces
}

export interface SnapshotOptions {
  /** Undefined for an RDB payload; the other options apply only to that. */
  readonly form?: SnapshotForm | undefined
  /** The sources of the function libraries. Servers before 7.0 cannot read a payload that has any. */
  readonly functions?: Iterable<string>
  /** [rdbcompression] For keys, elements and values of up to 64 KiB. */
  readonly compresses?: boolean
  /** For all that read this payload. */
  readonly dialect?: RdbDialect
  /** [rdbchecksum] If false, zero takes the place of the checksum, and readers do not check it. */
  readonly hasChecksum?: boolean
}

interface Source {
  readonly db: number
  readonly entries: Iterator<[string, Entry]>
}

/** A record that is being written, or waits for that. */
interface Pending {
  readonly db: number
  readonly record: string | Pieces
}

/** The entry the walk is writing; undefined once it has changed. */
interface Current {
  entry: Entry | undefined
  readonly record: Pieces
}

/** In place of a checksum: it was not computed. */
const NO_CHECKSUM = '\0'.repeat(8)

/** What skipping an entry costs of a slice, in bytes that could have been written in that time. */
const SKIP_BYTES = 16

/** The same for tidying up a part of a value that changed while it was kept. */
const RELEASE_BYTES = 1024

/** Code that has not run for long is slow: the first slice of a process took thirty times as long as a later one. */
const WARM_UP_BYTES = 4 * 1024
const WARM_UP_GROWTH = 1.25

export class Snapshot {
  readonly #keyspace: Keyspace
  readonly #serial: number
  readonly #sink: SnapshotSink
  readonly #stringForm: StringForm
  readonly #dialect: RdbDialect
  /** Undefined for RDB. */
  readonly #form: SnapshotForm | undefined
  /** Undefined if there is no checksum. */
  readonly #crc: Crc64 | undefined
  readonly keysTotal: number
  #sources: Source[]
  /** By the present number of a database, the one its contents had at the moment of the snapshot. */
  readonly #origins: number[]
  #untaken: number
  #written = 0
  #selectedDb: number | undefined
  #current: Current | undefined
  /** The records that were put aside, oldest first. */
  #aside: Pending[] = []
  #asideAt = 0
  #output = ''
  /** How much the next slice may write at most. */
  #warmUpBytes = WARM_UP_BYTES
  /** How much the current slice may still do. */
  #budgetBytes = 0
  #isOver = false

  /** Fixes the moment. Only one snapshot of a keyspace can run at a time. */
  constructor(
    keyspace: Keyspace,
    aux: readonly (readonly [string, string])[],
    sink: SnapshotSink,
    options: SnapshotOptions = {},
  ) {
    const { functions = [], compresses = false, hasChecksum = true, form } = options
    assert(keyspace.beforeChange === undefined, 'one snapshot runs at a time')
    keyspace.serial++
    keyspace.beforeChange = (db, key, entry) => this.#putAside(db, key, entry)
    keyspace.afterSwap = (first, second) => this.#swapped(first, second)
    this.#origins = keyspace.dbs.map(({ index }) => index)
    this.#keyspace = keyspace
    this.#serial = keyspace.serial
    this.#sink = sink
    this.#stringForm = compresses ? compressedString : rdbString
    this.#form = form
    this.#dialect = options.dialect ?? 'redis'
    this.#crc = hasChecksum && form === undefined ? new Crc64() : undefined
    this.#sources = keyspace.dbs.map((db) => ({ db: db.index, entries: db.entries.entries() }))
    this.keysTotal = keyspace.dbs.reduce((sum, db) => sum + db.entries.size, 0)
    this.#untaken = this.keysTotal
    this.#put(form?.header ?? rdbHeader(aux, this.#dialect))
    if (form !== undefined) return
    for (const source of functions) this.#put(rdbFunction(source))
    for (const db of keyspace.dbs) this.#announce(db)
  }

  /** Whether the payload is complete, or was given up. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** How many of `keysTotal` are written or put aside. */
  get keysTaken(): number {
    return this.keysTotal - this.#untaken
  }

  /** How many records are written. */
  get keysWritten(): number {
    return this.#written
  }

  /** Writes about `sliceBytes` more, at first less, and at most `maxKeys`; a string of up to 64 KiB is not cut. */
  advance(sliceBytes: number, maxKeys = Number.POSITIVE_INFINITY): void {
    if (this.#isOver) return
    this.#budgetBytes = Math.min(sliceBytes, this.#warmUpBytes) - this.#output.length
    this.#warmUpBytes = Math.ceil(WARM_UP_GROWTH * this.#warmUpBytes)
    const last = this.#written + maxKeys
    while (!this.#isOver && this.#budgetBytes > 0 && this.#written < last) this.#step()
    this.#flush()
  }

  /** Gives up the snapshot: its result is no longer wanted. */
  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#keyspace.beforeChange = undefined
    this.#keyspace.afterSwap = undefined
    this.#sources = []
    this.#current?.record.release()
    for (const { record } of this.#aside.slice(this.#asideAt)) {
      if (typeof record !== 'string') record.release()
    }
    this.#aside = []
    this.#current = undefined
  }

  #step(): void {
    if (this.#current !== undefined) this.#continue(this.#current)
    else if (this.#asideAt < this.#aside.length) this.#takeAside()
    else if (this.#untaken > 0) this.#walk()
    else this.#end()
  }

  #continue(current: Current): void {
    const bytes = current.record.next(this.#budgetBytes)
    if (bytes !== undefined) return this.#put(bytes)
    if (!current.record.release()) {
      this.#budgetBytes -= RELEASE_BYTES
      return
    }
    this.#current = undefined
    this.#written++
    if (current.entry !== undefined) this.#stamp(current.entry)
  }

  #takeAside(): void {
    const { db, record } = this.#aside[this.#asideAt++] as Pending
    if (this.#asideAt === this.#aside.length) {
      this.#aside = []
      this.#asideAt = 0
    }
    this.#begin(db, record, undefined)
  }

  #walk(): void {
    const source = this.#sources[0]
    assert(source !== undefined, 'every entry that is counted is found')
    const step = source.entries.next()
    this.#budgetBytes -= SKIP_BYTES
    if (step.done === true) {
      this.#sources.shift()
      return
    }
    const [key, entry] = step.value
    if (entry.serial === this.#serial) return
    const record = this.#recordOf(key, entry)
    if (typeof record === 'string') this.#stamp(entry)
    this.#begin(source.db, record, entry)
  }

  #begin(db: number, record: string | Pieces, entry: Entry | undefined): void {
    this.#select(db)
    if (typeof record !== 'string') {
      this.#current = { entry, record }
      return
    }
    this.#put(record)
    this.#written++
  }

  #swapped(first: number, second: number): void {
    const origins = this.#origins
    const origin = origins[first] as number
    origins[first] = origins[second] as number
    origins[second] = origin
  }

  #putAside(present: number, key: string, entry: Entry): void {
    const db = this.#origins[present] as number
    this.#stamp(entry)
    const current = this.#current
    if (current?.entry === entry) {
      current.entry = undefined
      current.record.freeze()
      return
    }
    const record = this.#recordOf(key, entry)
    this.#aside.push({ db, record: typeof record === 'string' ? record : record.settle() })
  }

  #recordOf(key: string, entry: Entry): string | Pieces {
    if (this.#form !== undefined) return this.#form.record(key, entry)
    const usage = this.#keyspace.usage.known(entry.usage)
    return rdbRecord(key, entry, this.#stringForm, usage, this.#dialect)
  }

  #stamp(entry: Entry): void {
    assert(entry.serial !== this.#serial, 'an entry is taken once')
    entry.serial = this.#serial
    this.#untaken--
  }

  #announce(db: Db): void {
    if (db.entries.size === 0) return
    this.#select(db.index)
    this.#put(rdbResizeDb(db.entries.size, db.expires.size))
  }

  #select(db: number): void {
    if (db === this.#selectedDb) return
    this.#selectedDb = db
    this.#put(this.#form?.select(db) ?? rdbSelectDb(db))
  }

  #put(bytes: string): void {
    this.#output += bytes
    this.#budgetBytes -= bytes.length
  }

  #end(): void {
    if (this.#form === undefined) this.#put(RDB_END)
    this.#flush()
    if (this.#form === undefined) this.#sink(this.#crc?.digest() ?? NO_CHECKSUM)
    this.stop()
  }

  #flush(): void {
    const bytes = this.#output
    if (bytes === '') return
    this.#output = ''
    // Reading it for the checksum also makes the engine join the parts into one string.
    this.#crc?.update(bytes)
    this.#sink(bytes)
  }
}
