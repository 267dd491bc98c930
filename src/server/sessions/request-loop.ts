/**
 * Runs what clients send, one request after the other until something makes the session wait.
 * Sessions that may go on again (a wait or a pause is over, the node hung or has just started)
 * stand in line, and read on before the turn ends.
 */

import type { KnownWords } from '../../resp/input.ts'
import { error } from '../../resp/reply.ts'
import type { Request } from '../../resp/request-decoder.ts'
import type { NodeServices } from '../context.ts'
import type { Dispatcher } from '../dispatch.ts'
import type { Db } from '../keyspace/db.ts'
import { LookAhead } from './look-ahead.ts'
import type { ClientSession } from './session.ts'

export class RequestLoop {
  readonly #node: NodeServices
  readonly #dispatcher: Dispatcher
  readonly #lookAhead: LookAhead

  constructor(node: NodeServices, dispatcher: Dispatcher) {
    this.#node = node
    this.#dispatcher = dispatcher
    this.#lookAhead = new LookAhead(node.table.all, node.foreseen)
  }

  received(session: ClientSession, bytes: string): void {
    const { keyspace, foreseen } = this.#node
    session.decoder.push(bytes)
    this.#lookAhead.at((keyspace.dbs[session.db] as Db).entries, bytes)
    this.#read(session, foreseen.isEmpty ? undefined : foreseen)
  }

  /**
   * It sends no more. What it has sent is carried out and answered, as far as nothing holds it back: what blocks or is
   * paused is not carried out for it, because nobody may be there any more, as in Redis.
   */
  leaves(session: ClientSession): void {
    session.isLeaving = true
    if (session.kind === 'replica') return this.#node.sessions.close(session)
    this.#read(session)
  }

  /** Lets every session read on that may. */
  serveLine(): void {
    for (let session = this.#next(); session !== undefined; session = this.#next()) {
      this.#read(session)
    }
  }

  #next(): ClientSession | undefined {
    if (this.#isDeaf()) return undefined
    for (const session of this.#node.pause.takeReleased()) this.#runPostponed(session)
    const { resumed } = this.#node.blocking
    const [session] = resumed
    if (session !== undefined) resumed.delete(session)
    return session
  }

  /** Runs the command that a pause held back. */
  #runPostponed(session: ClientSession): void {
    const argv = session.postponed
    session.postponed = undefined
    if (argv === undefined || session.isClosing) return
    this.#dispatcher.run(session, argv)
    this.#node.blocking.resumed.add(session)
  }

  /** `known`: words of what the session has sent last. */
  #read(session: ClientSession, known?: KnownWords): void {
    const { settings, sessions } = this.#node
    this.#dispatcher.readingBegins()
    while (session.isReady) {
      if (this.#isDeaf()) {
        this.#node.blocking.resumed.add(session)
        break
      }
      const before = session.decoder.consumed
      const request = session.decoder.next(known)
      if (request === undefined) return this.#hasReadAll(session)
      session.requestBytes = session.decoder.consumed - before
      this.#handle(session, request)
    }
    const waits = session.blocked !== undefined || session.postponed !== undefined
    if (session.isLeaving && waits) return sessions.close(session)
    // What a waiting client sends meanwhile must not grow without bound.
    const limitBytes = settings.int('client-query-buffer-limit')
    if (session.decoder.pendingBytes > limitBytes) sessions.close(session)
  }

  #hasReadAll(session: ClientSession): void {
    if (session.isLeaving) this.#node.sessions.closeAfterReply(session)
  }

  /** The node hangs, or does not know yet whether it has anything to load. */
  #isDeaf(): boolean {
    const { sleep, persistence } = this.#node
    return sleep.isActive || persistence.isOpening || this.#isQuiet()
  }

  /** [busy-reply-threshold] A script runs, and clients are not told yet that it takes long. */
  #isQuiet(): boolean {
    const { scripting, settings, now } = this.#node
    if (!scripting.isInterrupted) return false
    const thresholdMs = settings.int('busy-reply-threshold')
    return thresholdMs === 0 || scripting.ageMs(now) < thresholdMs
  }

  #handle(session: ClientSession, request: Request): void {
    switch (request.kind) {
      case 'command':
        return this.#dispatcher.run(session, request.argv)
      case 'protocolError':
        session.reply(error(request.text))
        return this.#node.sessions.closeAfterReply(session)
      case 'hangUp':
        return this.#node.sessions.close(session)
    }
  }
}
