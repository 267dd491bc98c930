/**
 * From a client's request to its reply: find the command, refuse it or hold it back, queue it for EXEC or
 * run it, and serve the clients it made ready. Requests come from sessions/request-loop.ts; what is refused
 * is said in gate.ts; running is execution.ts.
 */
import { type Reply, simple } from '../resp/reply.ts'
import type { Command } from './catalogue/command.ts'
import type { CommandTable } from './catalogue/command-table.ts'
import type { NodeServices } from './context.ts'
import { execAborted } from './errors.ts'
import type { Execution } from './execution.ts'
import { isFencing, isHeldBack, refusal, waitsForExec } from './gate.ts'
import { countError } from './info/stats.ts'
import type { ReadyClients } from './sessions/ready-clients.ts'
import type { Session } from './sessions/session.ts'

const QUEUED = simple('QUEUED')

export class Dispatcher {
  readonly #node: NodeServices
  readonly #table: CommandTable
  readonly #execution: Execution
  readonly #ready: ReadyClients

  constructor(node: NodeServices, table: CommandTable, execution: Execution, ready: ReadyClients) {
    this.#node = node
    this.#table = table
    this.#execution = execution
    this.#ready = ready
  }

  /** One request of a client. */
  run(session: Session, argv: readonly string[]): void {
    const node = this.#node
    const command = this.#table.find(argv)
    if (command === undefined) return this.#refuse(session, undefined, this.#table.unknown(argv))
    session.lastCommand = command.fullName
    this.#execution.enter(session)
    const refused = refusal(node, session, command, argv)
    if (refused !== undefined) {
      this.#refuse(session, command, refused)
      if (isFencing(refused)) node.farewell.fenced(session, this.#execution.now.monoMs)
      return
    }
    if (isHeldBack(node, session, command)) {
      node.pause.hold(session, argv)
      return
    }
    if (waitsForExec(session, command)) {
      session.transaction?.add(command, argv)
      session.reply(QUEUED)
    } else {
      this.#runNow(session, command, argv)
    }
    if (session.blocked === undefined) session.commandEnded()
  }

  #runNow(session: Session, command: Command, argv: readonly string[]): void {
    const reply = this.#execution.call(command, argv)
    if (reply !== undefined) session.reply(reply)
    this.#node.replication.commandExecuted(session)
    if (this.#node.blocking.hasReadyKeys) this.#ready.serve()
  }

  #refuse(session: Session, command: Command | undefined, reply: Reply): void {
    const text = reply.kind === 'error' ? reply.text : ''
    if (command !== undefined) command.rejectedCalls++
    countError(this.#node.stats, text)
    if (session.transaction !== undefined) session.transaction.isBroken = true
    if (command?.fullName === 'exec') {
      session.endTransaction()
      session.reply(execAborted(text))
    } else {
      session.reply(reply)
    }
    session.commandEnded()
  }
}
