/**
 * MULTI and WATCH. A transaction is a queue of commands that were let in; EXEC runs them without anybody
 * else in between. WATCH makes it conditional: it does not run if a watched key was changed meanwhile, by
 * anybody, or ran out of time.
 */
import type { Db, Watcher } from '../keyspace/db.ts'

/** What EXEC has to know beforehand of each command it will run. */
interface Queued {
  readonly isWrite: boolean
  readonly mayReplicate: boolean
  readonly isStale: boolean
}

export class Transaction {
  readonly queue: (readonly string[])[] = []
  /** A command was refused when it was to be queued: EXEC will run nothing. */
  isBroken = false
  hasWrite = false
  /** Something in it would itself be held back by a pause of writes. */
  mayReplicate = false
  /** Something in it must not run on a replica that has lost its master. */
  needsFreshData = false

  add(command: Queued, argv: readonly string[]): void {
    this.queue.push(argv)
    if (command.isWrite) this.hasWrite = true
    if (command.isWrite || command.mayReplicate) this.mayReplicate = true
    if (!command.isStale) this.needsFreshData = true
  }
}

interface WatchedKey {
  readonly db: Db
  readonly key: string
  /** It was expired already: that it is deleted now is no change. */
  wasExpired: boolean
}

/** The keys one session watches. */
export class Watch implements Watcher {
  isBroken = false
  /** By `db key`. */
  readonly #keys = new Map<string, WatchedKey>()

  add(db: Db, key: string): void {
    const name = nameOf(db, key)
    if (this.#keys.has(name)) return
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

  /** Whether a key has run out of time since, though nobody has touched it. */
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
  }
}

function nameOf(db: Db, key: string): string {
  return `${db.index} ${key}`
}
