/**
 * Runs what clients send, one request after the other for as long as nothing makes the session wait.
 * Sessions that may go on again (a wait or a pause is over, the node hung or has just started) stand in
 * line, and read on before the turn ends.
 */
import { error } from '../../resp/reply.ts'
import type { Request } from '../../resp/request-decoder.ts'
import type { NodeServices } from '../context.ts'
import type { Dispatcher } from '../dispatch.ts'
import type { Session } from './session.ts'

export class RequestLoop {
  readonly #node: NodeServices
  readonly #dispatcher: Dispatcher
  /** Sessions that may have requests left. */
  readonly #line = new Set<Session>()

  constructor(node: NodeServices, dispatcher: Dispatcher) {
    this.#node = node
    this.#dispatcher = dispatcher
  }

  received(session: Session, bytes: string): void {
    session.decoder.push(bytes)
    this.#read(session)
  }

  /** The session waits no longer. */
  resume(session: Session): void {
    this.#line.add(session)
  }

  /** Lets everybody read on who may. */
  serveLine(): void {
    for (let session = this.#next(); session !== undefined; session = this.#next()) {
      this.#read(session)
    }
  }

  #next(): Session | undefined {
    if (this.#isDeaf) return undefined
    for (const session of this.#node.pause.takeReleased()) this.#runPostponed(session)
    const [session] = this.#line
    if (session !== undefined) this.#line.delete(session)
    return session
  }

  /** Runs the command a pause held back. */
  #runPostponed(session: Session): void {
    const argv = session.postponed
    session.postponed = undefined
    if (argv === undefined || session.isClosing) return
    this.#dispatcher.run(session, argv)
    this.#line.add(session)
  }

  #read(session: Session): void {
    const { settings, sessions } = this.#node
    while (session.isReady) {
      if (this.#isDeaf) {
        this.#line.add(session)
        break
      }
      const request = session.decoder.next()
      if (request === undefined) return
      this.#handle(session, request)
    }
    // A client that waits must not make us keep whatever it sends meanwhile.
    const limitBytes = settings.int('client-query-buffer-limit')
    if (session.decoder.pendingBytes > limitBytes) sessions.close(session)
  }

  /** The node hangs, or does not know yet whether it has anything to load. */
  get #isDeaf(): boolean {
    return this.#node.stall.isActive || this.#node.persistence.isOpening
  }

  #handle(session: Session, request: Request): void {
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
