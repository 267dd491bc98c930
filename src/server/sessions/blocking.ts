/**
 * Sessions that wait: for a key to have something for them (BLPOP and its kin), or for replicas (WAIT).
 * Those that wait for the same key are served in the order they came. This file knows who waits for what
 * and until when; what serving means is said by the wait itself.
 */
import { Heap } from '../../base/heap.ts'
import type { Blocked } from './blocked.ts'
import type { Session } from './session.ts'

interface Deadline {
  readonly atMs: number
  readonly order: number
  readonly session: Session
  readonly blocked: Blocked
}

interface ReadyKey {
  readonly db: number
  readonly key: string
}

export class Blocking {
  /** By `db key`; sessions in the order they came. */
  readonly #waiting = new Map<string, Set<Session>>()
  readonly #blocked = new Set<Session>()
  readonly #deadlines = new Heap<Deadline>(isEarlier)
  #deadlineCount = 0
  #ready = new Map<string, ReadyKey>()

  get count(): number {
    return this.#blocked.size
  }

  get sessions(): Iterable<Session> {
    return this.#blocked
  }

  block(session: Session, blocked: Blocked): void {
    session.blocked = blocked
    this.#blocked.add(session)
    for (const name of awaitedNames(blocked)) this.#join(name, session)
    const { deadlineMs: atMs } = blocked
    if (atMs === undefined) return
    this.#deadlines.push({ atMs, order: ++this.#deadlineCount, session, blocked })
  }

  /** Ends a wait without an answer. */
  release(session: Session): void {
    const { blocked } = session
    if (blocked === undefined) return
    session.blocked = undefined
    this.#blocked.delete(session)
    for (const name of awaitedNames(blocked)) this.#leave(name, session)
  }

  /** Who waits for the key now, the one that has waited longest first. */
  waitingFor(db: number, key: string): Session[] {
    return [...(this.#waiting.get(nameOf(db, key)) ?? [])]
  }

  /** The key has something new; whoever waits for it is served after the command. */
  noteKey(db: number, key: string): void {
    if (this.#waiting.size === 0) return
    const name = nameOf(db, key)
    if (this.#waiting.has(name)) this.#ready.set(name, { db, key })
  }

  /** Keys of a database somebody waits for; after SWAPDB any of them may have become ready. */
  awaitedKeys(db: number): string[] {
    const keys = new Set<string>()
    for (const { blocked } of this.#blocked) {
      if (blocked?.wait?.db === db) for (const key of blocked.wait.keys) keys.add(key)
    }
    return [...keys]
  }

  get hasReadyKeys(): boolean {
    return this.#ready.size > 0
  }

  takeReadyKeys(): ReadyKey[] {
    const ready = [...this.#ready.values()]
    this.#ready = new Map()
    return ready
  }

  /** Monotonic. */
  nextDeadlineMs(): number | undefined {
    this.#dropStale()
    return this.#deadlines.peek()?.atMs
  }

  /** A session whose time is up, if there is one; it is still blocked. */
  nextOverdue(nowMs: number): Session | undefined {
    this.#dropStale()
    const deadline = this.#deadlines.peek()
    return deadline !== undefined && deadline.atMs <= nowMs ? deadline.session : undefined
  }

  /** Deadlines of waits that have ended stay in the heap until they come to its top. */
  #dropStale(): void {
    for (;;) {
      const deadline = this.#deadlines.peek()
      if (deadline === undefined || deadline.session.blocked === deadline.blocked) return
      this.#deadlines.pop()
    }
  }

  #join(name: string, session: Session): void {
    const waiting = this.#waiting.get(name)
    if (waiting === undefined) this.#waiting.set(name, new Set([session]))
    else waiting.add(session)
  }

  #leave(name: string, session: Session): void {
    const waiting = this.#waiting.get(name)
    waiting?.delete(session)
    if (waiting?.size === 0) this.#waiting.delete(name)
  }
}

function awaitedNames({ wait }: Blocked): string[] {
  return wait === undefined ? [] : wait.keys.map((key) => nameOf(wait.db, key))
}

function nameOf(db: number, key: string): string {
  return `${db} ${key}`
}

function isEarlier(a: Deadline, b: Deadline): boolean {
  return a.atMs === b.atMs ? a.order < b.order : a.atMs < b.atMs
}
