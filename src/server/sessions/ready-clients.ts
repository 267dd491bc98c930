/**
 * Clients that wait, and what ends that: a key that has something for them, their time, or a change of
 * role. Whoever came first is served first.
 */
import type { Reply } from '../../resp/reply.ts'
import type { NodeServices } from '../context.ts'
import { UNBLOCKED_BY_ROLE } from '../errors.ts'
import type { Execution } from '../execution.ts'
import { countError } from '../info/stats.ts'
import type { Value } from '../values/value.ts'
import type { KeyWait } from './blocked.ts'
import type { Session } from './session.ts'

export class ReadyClients {
  readonly #node: NodeServices
  readonly #execution: Execution
  readonly #onUnblocked: (session: Session) => void

  /** `onUnblocked`: a session that waited may read on. */
  constructor(node: NodeServices, execution: Execution, onUnblocked: (session: Session) => void) {
    this.#node = node
    this.#execution = execution
    this.#onUnblocked = onUnblocked
  }

  /** Ends a wait with an answer; nothing happens if there is no wait. */
  unblock(session: Session, reply: Reply): void {
    if (session.blocked === undefined) return
    this.#node.blocking.release(session)
    if (reply.kind === 'error') countError(this.#node.stats, reply.text)
    session.reply(reply)
    session.commandEnded()
    this.#onUnblocked(session)
  }

  /** Gives what came into being to those who wait for it. */
  serve(): void {
    const { blocking } = this.#node
    // Moving an element to another list can make that one ready.
    while (blocking.hasReadyKeys) {
      for (const { db, key } of blocking.takeReadyKeys()) this.#serveKey(db, key)
    }
  }

  /** Answers those whose time is over. */
  endOverdue(nowMs: number): void {
    for (;;) {
      const session = this.#node.blocking.nextOverdue(nowMs)
      if (session?.blocked === undefined) return
      this.unblock(session, session.blocked.onTimeout())
    }
  }

  /** What they wait for may come to another node now. */
  sendAway(): void {
    for (const session of [...this.#node.blocking.sessions]) {
      this.unblock(session, UNBLOCKED_BY_ROLE)
      this.#node.sessions.closeAfterReply(session)
    }
  }

  #serveKey(dbIndex: number, key: string): void {
    /** Nothing is left for those who take elements of these types. */
    const exhausted = new Set<Value['type']>()
    for (const session of this.#node.blocking.waitingFor(dbIndex, key)) {
      const wait = session.blocked?.wait
      if (wait === undefined || exhausted.has(wait.type)) continue
      const isServed = this.#serveOne(session, wait, dbIndex, key)
      // Readers of a stream take nothing away: each has to be asked.
      if (!isServed && wait.type !== 'stream') exhausted.add(wait.type)
    }
  }

  #serveOne(session: Session, wait: KeyWait, dbIndex: number, key: string): boolean {
    const reply = this.#execution.act(session, dbIndex, (scene) => wait.serve(scene, key))
    if (reply === undefined) return false
    this.unblock(session, reply)
    this.#node.replication.commandExecuted(session)
    return true
  }
}
