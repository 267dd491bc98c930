/**
 * MULTI and WATCH. A transaction is a queue of commands that were let in; EXEC runs them without
 * any other command in between. WATCH makes it conditional: it does not run if a watched key was
 * changed meanwhile, by any client, or has expired.
 */
import type { Demands } from '../catalogue/command-info.ts'
import type { Db, Watcher } from '../keyspace/db.ts'

/** What EXEC has to know beforehand about each command it will run. */
type Queued = Demands

/** Roughly what the words of a command take in memory while they are kept. */
export function wordsBytes(words: readonly string[]): number {
  let bytes = WORD_BYTES
  for (const word of words) bytes += WORD_BYTES + word.length
  return bytes
}

export class Transaction {
  readonly queue: (readonly string[])[] = []
  /** A command was refused instead of queued: EXEC will run nothing. */
  isBroken = false
  hasWrite = false
  /** A command in the queue would itself be held back by a pause of writes. */
  mayReplicate = false
  /** A command in the queue must not run on a replica that has lost its master. */
  needsFreshData = false
  /** A command in the queue may make the data larger. */
  needsMemory = false
  /** A command in the queue reads or changes data, or may. */
  showsData = false
  /** Roughly what the queue takes in memory. */
  bytes = 0

  add(command: Queued, argv: readonly string[], showsData = true): void {
    this.showsData ||= showsData
    this.queue.push(argv)
    this.bytes += wordsBytes(argv)
    if (command.needsMemory) this.needsMemory = true
    if (command.isWrite) this.hasWrite = true
    if (command.isWrite || command.mayReplicate) this.mayReplicate = true
    if (!command.isStale) this.needsFreshData = true
  }
}

/** What a string or an array takes besides its contents, with its place where it is kept. */
const WORD_BYTES = 32
/** What a watched key takes here and among the watchers of its database, besides its bytes. */
const WATCHED_BYTES = 300

interface WatchedKey {
  readonly db: Db
  readonly key: string
  /** The key had expired when WATCH came: its deletion is then no change. */
  wasExpired: boolean
}

/** The keys one session watches. */
export class KeyWatch implements Watcher {
  isBroken = false
  /** Roughly what the watched keys take in memory. */
  bytes = 0
  /** By `db key`. */
  readonly #keys = new Map<string, WatchedKey>()

  get size(): number {
    return this.#keys.size
  }

  add(db: Db, key: string): void {
    const name = nameOf(db, key)
    if (this.#keys.has(name)) return
    this.bytes += WATCHED_BYTES + 2 * key.length
    const entry = db.entries.get(key)
    this.#keys.set(name, { db, key, wasExpired: entry !== undefined && !db.isAlive(entry) })
    const watchers = db.watchers.get(key)
    if (watchers === undefined) db.watchers.set(key, new Set([this]))
    else watchers.add(this)
  }

  keyChanged(db: Db, key: string): void {
    const watched = this.#keys.get(nameOf(db, key))
    if (watched?.wasExpired === true) watched.wasExpired = false
    else this.isBroken = true
  }

  /** What had expired, and is gone or expired now, has not changed. */
  keyReplaced(db: Db, key: string, wasThere: boolean, now: 'gone' | 'alive' | 'expired'): void {
    const watched = this.#keys.get(nameOf(db, key))
    if (watched === undefined) return
    const wasNothing = watched.wasExpired || !wasThere
    if (now === 'alive' || !wasNothing) this.isBroken = true
    else watched.wasExpired = now === 'expired'
  }

  /** Whether a watched key has expired since, though no command has touched it. */
  hasExpired(): boolean {
    for (const { db, key, wasExpired } of this.#keys.values()) {
      const entry = db.entries.get(key)
      if (!wasExpired && entry !== undefined && !db.isAlive(entry)) return true
    }
    return false
  }

  release(): void {
    for (const { db, key } of this.#keys.values()) {
      const watchers = db.watchers.get(key)
      watchers?.delete(this)
      if (watchers?.size === 0) db.watchers.delete(key)
    }
    this.#keys.clear()
    this.bytes = 0
  }
}

function nameOf(db: Db, key: string): string {
  return `${db.index} ${key}`
}
