/**
 * [CLIENT TRACKING] Tells clients which keys of their caches have changed. In the default mode the
 * node remembers which clients read a key, and tells those clients once, when it changes; with BCAST it tells
 * of every key with a prefix, at the end of the turn.
 *
 * A client hears of its own change after the answer to the command that made it, never inside.
 */
import { array, bulk, bulks, integer, NULL, type Reply } from '../../resp/reply.ts'
import type { Tracking } from '../../session/tracking.ts'
import type { CommandInfo } from '../catalogue/command-info.ts'
import { keysOf } from '../catalogue/key-spec.ts'
import type { Keyspace } from '../keyspace/keyspace.ts'
import type { ScriptEngine } from '../scripting/engine.ts'
import { Announcement } from '../sessions/announcement.ts'
import type { ClientSession } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Settings } from '../settings/settings.ts'

/** The channel on which RESP2 clients hear of changes. */
const CHANNEL = '__redis__:invalidate'

/** Undefined: all keys. */
type Keys = readonly string[] | undefined

interface TrackingNode {
  readonly settings: Settings
  readonly sessions: Sessions
  readonly keyspace: Keyspace
  readonly scripting: ScriptEngine
}

export class ClientTracking {
  readonly #node: TrackingNode
  readonly #clients = new Set<ClientSession>()
  readonly #table = new TrackingTable()
  readonly #broadcasts = new Broadcasts()
  readonly #told = new LastTold()
  /** The client whose command was the last to begin in this turn. */
  #present: ClientSession | undefined
  /** Its command has not been answered yet. */
  #isRunning = false
  /** The present client has waited, and is served what another has just written. */
  #isServing = false
  /** What the present client is told when its command has been answered. */
  #pending: Keys[] = []

  constructor(node: TrackingNode) {
    this.#node = node
  }

  get clients(): number {
    return this.#clients.size
  }

  get keys(): number {
    return this.#table.size
  }

  get items(): number {
    return this.#table.items
  }

  get prefixes(): number {
    return this.#broadcasts.size
  }

  /** The client has switched tracking on or off, or changed it from `before`. */
  changed(session: ClientSession, before: Tracking | undefined): void {
    session.isRedirectBroken = false
    for (const prefix of before?.prefixes ?? []) this.#broadcasts.leave(session, prefix)
    for (const prefix of session.tracking?.prefixes ?? []) this.#broadcasts.join(session, prefix)
    if (session.tracking === undefined) this.#clients.delete(session)
    else this.#clients.add(session)
    this.#node.keyspace.tracker = this.#clients.size > 0 ? this : undefined
  }

  /** The session is gone, or begins anew. */
  stop(session: ClientSession): void {
    const before = session.tracking
    if (before === undefined) return
    session.tracking = undefined
    this.changed(session, before)
  }

  // What happens to keys

  /** A command of the client begins; until it has ended the client is told nothing. */
  commandBegins(session: ClientSession): void {
    this.#present = session
    this.#isRunning = true
  }

  /** The command has been answered. */
  commandEnded(): void {
    const session = this.#present
    this.#isRunning = false
    if (this.#pending.length === 0) return
    const pending = this.#pending
    this.#pending = []
    if (session !== undefined) for (const keys of pending) this.#tell(session, keys)
  }

  /** A client that has waited is served, while the command of another runs or has just been answered. */
  whileServing<Result>(session: ClientSession, serve: () => Result): Result {
    const [present, isRunning, pending] = [this.#present, this.#isRunning, this.#pending]
    this.#pending = []
    this.#isServing = true
    this.commandBegins(session)
    const result = serve()
    this.commandEnded()
    this.#isServing = false
    this.#present = present
    this.#isRunning = isRunning
    this.#pending = pending
    return result
  }

  /** A command has read keys for a client that tracks them. */
  keysRead(session: ClientSession, command: CommandInfo, argv: readonly string[]): void {
    const { tracking } = session
    if (tracking === undefined || tracking.mode === 'bcast' || session.isClosing) return
    if (tracking.mode === 'optin' && !tracking.isCachingSaid) return
    if (tracking.mode === 'optout' && tracking.isCachingSaid) return
    for (const key of keysOf(command.keySpecs, argv) ?? []) this.#table.add(key, session.id)
  }

  /** The key changes, whatever its database. */
  keyChanged(key: string): void {
    if (this.#broadcasts.size > 0) this.#broadcasts.note(key, this.#author, this.#isServing)
    this.#invalidate(key, this.#present)
  }

  /** No client did it, so with BCAST the present one is told in spite of NOLOOP. */
  keyLost(key: string): void {
    if (this.#broadcasts.size > 0) this.#broadcasts.note(key, undefined)
  }

  /** For NOLOOP with BCAST. Of what its script changes, a client is told, since it cannot know it. */
  get #author(): ClientSession | undefined {
    return this.#node.scripting.run === undefined ? this.#present : undefined
  }

  /** All keys are gone, or of all databases one has been emptied. */
  allChanged(): void {
    for (const session of this.#clients) this.#tellInOrder(session, undefined)
    this.#table.clear()
  }

  /** Tells of broadcast changes, and forgets keys above [tracking-table-max-keys]. */
  turnEnds(): void {
    this.#present = undefined
    if (this.#clients.size === 0) {
      if (this.#table.size > 0) this.#table.clear()
      return
    }
    this.#keepLimit()
    this.#broadcasts.tellAll((session, keys) => this.#tell(session, keys))
  }

  #keepLimit(): void {
    const limit = this.#node.settings.int('tracking-table-max-keys')
    if (limit === 0) return
    while (this.#table.size > limit) {
      const key = this.#table.oldest
      if (key !== undefined) this.#invalidate(key, undefined)
    }
  }

  #invalidate(key: string, by: ClientSession | undefined): void {
    const keys = [key]
    for (const id of this.#table.take(key)) {
      const session = this.#node.sessions.get(id)
      const { tracking } = session ?? {}
      if (session === undefined || tracking === undefined || tracking.mode === 'bcast') continue
      if (session === by && tracking.noLoop) continue
      this.#tellInOrder(session, keys)
    }
  }

  // Telling

  #tellInOrder(session: ClientSession, keys: Keys): void {
    if (this.#isRunning && session === this.#present) this.#pending.push(keys)
    else this.#tell(session, keys)
  }

  #tell(session: ClientSession, keys: Keys): void {
    const { tracking } = session
    if (tracking === undefined) return
    if (tracking.redirect === 0) {
      if (session.protocol === 3) session.tell(this.#told.of(keys))
      return
    }
    const target = this.#node.sessions.get(tracking.redirect)
    if (target === undefined) return tellBroken(session, tracking.redirect)
    if (target.protocol === 3) target.tell(this.#told.of(keys))
    else if (target.isSubscribed) target.push(message(keys))
  }
}

function tellBroken(session: ClientSession, redirect: number): void {
  session.isRedirectBroken = true
  if (session.protocol !== 3) return
  session.push({ kind: 'push', items: [bulk('tracking-redir-broken'), integer(redirect)] })
}

/** Many clients are told of the same keys, one after the other. */
class LastTold {
  #keys: Keys = []
  #invalidation = new Announcement(NULL)

  of(keys: Keys): Announcement {
    if (keys === this.#keys) return this.#invalidation
    this.#keys = keys
    const items = [bulk('invalidate'), keysReply(keys)]
    this.#invalidation = new Announcement({ kind: 'push', items })
    return this.#invalidation
  }
}

function message(keys: Keys): Reply {
  return array([bulk('message'), bulk(CHANNEL), keysReply(keys)])
}

function keysReply(keys: Keys): Reply {
  return keys === undefined ? NULL : bulks(keys)
}

/**
 * [CLIENT TRACKING BCAST] Clients that want to hear of every changed key with a prefix, and the keys
 * that changed since they were told last.
 */
interface Audience {
  readonly clients: Set<ClientSession>
  /** The keys that changed, and the client that changed each first; undefined: no client did. */
  changed: Map<string, ClientSession | undefined>
}

class Broadcasts {
  readonly #audiences = new Map<string, Audience>()
  #hasChanges = false

  /** How many prefixes at least one client wants to hear of. */
  get size(): number {
    return this.#audiences.size
  }

  join(client: ClientSession, prefix: string): void {
    const audience = this.#audiences.get(prefix)
    if (audience !== undefined) audience.clients.add(client)
    else this.#audiences.set(prefix, { clients: new Set([client]), changed: new Map() })
  }

  leave(client: ClientSession, prefix: string): void {
    const audience = this.#audiences.get(prefix)
    audience?.clients.delete(client)
    if (audience?.clients.size === 0) this.#audiences.delete(prefix)
  }

  /**
   * The client that changed the key last in a turn knows its value; undefined: its script changed it. `isAfter`:
   * the change follows from the one before, whose author stays.
   */
  note(key: string, by: ClientSession | undefined, isAfter = false): void {
    for (const [prefix, { changed }] of this.#audiences) {
      if (!key.startsWith(prefix) || (isAfter && changed.has(key))) continue
      changed.set(key, by)
      this.#hasChanges = true
    }
  }

  /** Tells each client what has changed, prefix by prefix. */
  tellAll(tell: (client: ClientSession, keys: readonly string[]) => void): void {
    if (!this.#hasChanges) return
    this.#hasChanges = false
    for (const audience of this.#audiences.values()) {
      const { clients, changed } = audience
      if (changed.size === 0) continue
      audience.changed = new Map()
      const keys = [...changed.keys()].sort()
      for (const client of clients) {
        const isOwn = (key: string) => changed.get(key) === client
        const told = client.tracking?.noLoop === true ? keys.filter((key) => !isOwn(key)) : keys
        if (told.length > 0) tell(client, told)
      }
    }
  }
}

/**
 * Which clients may have which keys in their caches. A key is forgotten when its clients have been
 * told that it changed; a client that is gone stays in until then.
 */
class TrackingTable {
  readonly #clients = new Map<string, Set<number>>()
  #items = 0

  /** How many keys. */
  get size(): number {
    return this.#clients.size
  }

  /** How many pairs of a key and a client. */
  get items(): number {
    return this.#items
  }

  /** The key that came first. */
  get oldest(): string | undefined {
    const [key] = this.#clients.keys()
    return key
  }

  add(key: string, client: number): void {
    const clients = this.#clients.get(key)
    if (clients?.has(client) === true) return
    this.#items++
    if (clients === undefined) this.#clients.set(key, new Set([client]))
    else clients.add(client)
  }

  /** Forgets the key. Returns the ids of the clients that may have it. */
  take(key: string): Iterable<number> {
    const clients = this.#clients.get(key)
    if (clients === undefined) return []
    this.#clients.delete(key)
    this.#items -= clients.size
    return clients
  }

  clear(): void {
    this.#clients.clear()
    this.#items = 0
  }
}
