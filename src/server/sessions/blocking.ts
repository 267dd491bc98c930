/**
 * Sessions that wait: for a key to have something for them (BLPOP and its kin), or for replicas
 * (WAIT). Sessions that wait for the same key are served in the order they came. This file knows
 * which session waits for what and until when, and ends a wait with an answer; the wait itself says
 * how it is served.
 */
import { Heap } from '../../base/heap.ts'
import type { Reply } from '../../resp/reply.ts'
import { READ_ONLY_REPLICA, UNBLOCKED_BY_ROLE } from '../errors.ts'
import { countError, type NodeStats } from '../info/stats.ts'
import type { Blocked } from './blocked.ts'
import type { ClientSession } from './session.ts'
import type { Sessions } from './sessions.ts'

interface Deadline {
  readonly atMs: number
  readonly order: number
  readonly session: ClientSession
  readonly blocked: Blocked
}

interface ReadyKey {
  readonly db: number
  readonly key: string
}

export class Blocking {
  /** Sessions that may have requests left, and read on before the turn ends. */
  readonly resumed = new Set<ClientSession>()
  readonly #sessions: Sessions
  readonly #stats: NodeStats
  /** By `db key`; sessions in the order they came. */
  readonly #waiting = new Map<string, Set<ClientSession>>()
  readonly #blocked = new Set<ClientSession>()
  readonly #deadlines = new Heap<Deadline>(isEarlier, isAwaited)
  #deadlineCount = 0
  #ready = new Map<string, ReadyKey>()

  constructor(sessions: Sessions, stats: NodeStats) {
    this.#sessions = sessions
    this.#stats = stats
  }

  get count(): number {
    return this.#blocked.size
  }

  /** How many deadlines are kept, with those of waits that have ended. */
  get deadlines(): number {
    return this.#deadlines.size
  }

  block(session: ClientSession, blocked: Blocked): void {
    session.blocked = blocked
    this.#blocked.add(session)
    for (const name of awaitedNames(blocked)) this.#join(name, session)
    const { deadlineMs: atMs } = blocked
    if (atMs === undefined) return
    this.#deadlines.push({ atMs, order: ++this.#deadlineCount, session, blocked })
  }

  /** Ends a wait without an answer. */
  release(session: ClientSession): void {
    const { blocked } = session
    if (blocked === undefined) return
    session.blocked = undefined
    session.blockedRun = undefined
    this.#blocked.delete(session)
    for (const name of awaitedNames(blocked)) this.#leave(name, session)
  }

  /**
   * Ends a wait with an answer, after which the session reads on; nothing happens if there is no
   * wait.
   */
  unblock(session: ClientSession, reply: Reply): void {
    if (session.blocked === undefined) return
    this.release(session)
    if (reply.kind === 'error') countError(this.#stats, reply.text)
    session.reply(reply)
    session.commandEnded()
    this.resumed.add(session)
  }

  /** Answers sessions whose time is up. */
  endOverdue(nowMs: number): void {
    for (;;) {
      const session = this.#nextOverdue(nowMs)
      if (session?.blocked === undefined) return
      this.unblock(session, session.blocked.onTimeout())
    }
  }

  /**
   * The role changes: what the clients wait for may now come to another node. `refusesWrites`: a write that waits
   * (BLPOP) is refused as any other write would be from now on. Client libraries go to the new master for READONLY,
   * and take UNBLOCKED for a mistake of their own, which ends a worker of Celery.
   */
  sendAway(refusesWrites: boolean): void {
    for (const session of [...this.#blocked]) {
      this.unblock(session, answerAtRoleChange(session, refusesWrites))
      this.#sessions.closeAfterReply(session)
    }
  }

  /** The sessions that wait for the key now, in the order they came. */
  waitingFor(db: number, key: string): ClientSession[] {
    return [...(this.#waiting.get(nameOf(db, key)) ?? [])]
  }

  /** The key has something new; sessions that wait for it are served after the command. */
  noteKey(db: number, key: string): void {
    if (this.#waiting.size === 0) return
    const name = nameOf(db, key)
    if (this.#waiting.has(name)) this.#ready.set(name, { db, key })
  }

  /**
   * The keys of a database that sessions wait for; after SWAPDB any of them may have become ready.
   */
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

  /** Monotonic; undefined: no wait has a deadline. */
  nextDeadlineMs(): number | undefined {
    this.#dropStale()
    return this.#deadlines.peek()?.atMs
  }

  /** A blocked session whose time is up; undefined: there is none. */
  #nextOverdue(nowMs: number): ClientSession | undefined {
    this.#dropStale()
    const deadline = this.#deadlines.peek()
    return deadline !== undefined && deadline.atMs <= nowMs ? deadline.session : undefined
  }

  /** Deadlines of waits that have ended stay in the heap until they come to its top, or it is tidied. */
  #dropStale(): void {
    for (;;) {
      const deadline = this.#deadlines.peek()
      if (deadline === undefined || isAwaited(deadline)) return
      this.#deadlines.pop()
    }
  }

  #join(name: string, session: ClientSession): void {
    const waiting = this.#waiting.get(name)
    if (waiting === undefined) this.#waiting.set(name, new Set([session]))
    else waiting.add(session)
  }

  #leave(name: string, session: ClientSession): void {
    const waiting = this.#waiting.get(name)
    waiting?.delete(session)
    if (waiting?.size === 0) this.#waiting.delete(name)
  }
}

function answerAtRoleChange({ blocked, blockedRun }: ClientSession, refusesWrites: boolean): Reply {
  if (blocked?.atRoleChange !== undefined) return blocked.atRoleChange
  const isWrite = blocked?.wait !== undefined && blockedRun?.command.isWrite === true
  return refusesWrites && isWrite ? READ_ONLY_REPLICA : UNBLOCKED_BY_ROLE
}

function awaitedNames({ wait }: Blocked): string[] {
  return wait === undefined ? [] : wait.keys.map((key) => nameOf(wait.db, key))
}

function nameOf(db: number, key: string): string {
  return `${db} ${key}`
}

function isAwaited({ session, blocked }: Deadline): boolean {
  return session.blocked === blocked
}

function isEarlier(a: Deadline, b: Deadline): boolean {
  return a.atMs === b.atMs ? a.order < b.order : a.atMs < b.atMs
}
