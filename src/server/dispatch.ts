/**
 * From a client's request to its reply: finds the command, refuses it or holds it back, queues it
 * for EXEC or runs it, and serves the clients it made ready. Requests come from
 * sessions/request-loop.ts; gate.ts says which are refused; execution.ts runs them.
 */
import { assert } from '../base/assert.ts'
import { type Reply, simple } from '../resp/reply.ts'
import { fitsArity } from '../session/commands.ts'
import { endCaching } from '../session/tracking.ts'
import type { Command } from './catalogue/command.ts'
import type { CommandTable } from './catalogue/command-table.ts'
import type { NodeServices } from './context.ts'
import { execAborted } from './errors.ts'
import type { Execution } from './execution.ts'
import {
  demandsOf,
  isFencing,
  isHeldBack,
  isOpenTo,
  isPlain,
  memoryRefusal,
  refusal,
  waitsForExec,
} from './gate.ts'
import { countError } from './info/stats.ts'
import type { ClientSession } from './sessions/session.ts'

const QUEUED = simple('QUEUED')

/** Commands that only read keys, or that write them. */
interface KindOnData {
  /** One of which the node asks as much as of any before it may run, and its words. */
  readonly command: Command
  readonly words: readonly string[]
  /** The client for which all of them pass the gate, until a command of another sort runs. */
  openTo: ClientSession | undefined
  /** One has run since. */
  isPipelined: boolean
}

export class Dispatcher {
  readonly #node: NodeServices
  readonly #table: CommandTable
  readonly #execution: Execution
  readonly #reads: KindOnData
  readonly #writes: KindOnData

  constructor(node: NodeServices, table: CommandTable, execution: Execution) {
    this.#node = node
    this.#table = table
    this.#execution = execution
    this.#reads = kindOf(['get', 'key'], table)
    this.#writes = kindOf(['set', 'key', 'value'], table)
  }

  /** Handles one request of a client. */
  run(session: ClientSession, typed: readonly string[]): void {
    const argv = this.#table.inOwnWords(typed)
    const command = argv && this.#table.find(argv)
    if (argv === undefined || command === undefined) {
      return this.#refuse(session, undefined, this.#table.unknown(typed))
    }
    session.lastCommand = command.fullName
    if (
      command.isOnData &&
      this.#isOpenTo(session, command) &&
      fitsArity(command.arity, argv.length)
    ) {
      return this.#runOnData(session, command, argv)
    }
    if (!command.isOnData) this.readingBegins()
    session.isPlain = isPlain(session, command, argv)
    this.#runKnown(session, typed, command, argv)
    session.isPlain = false
  }

  /** Requests of a client are about to be read: what the gate said before holds no longer. */
  readingBegins(): void {
    judgeAnew(this.#reads)
    judgeAnew(this.#writes)
  }

  /** Asked once for all commands of a pipeline on data. */
  #isOpenTo(session: ClientSession, { isWrite }: Command): boolean {
    const kind = isWrite ? this.#writes : this.#reads
    if (kind.openTo === session) return true
    // Asking is as dear as judging a command by itself, as the first one is.
    if (!kind.isPipelined) {
      kind.isPipelined = true
      return false
    }
    const isOpen = isOpenTo(this.#node, session, kind.command, kind.words)
    if (isOpen) kind.openTo = session
    return isOpen
  }

  /** The gate is open: there are only the memory to look at, and those who wait for keys. */
  #runOnData(session: ClientSession, command: Command, argv: readonly string[]): void {
    const node = this.#node
    const refused = memoryRefusal(node, session, command, argv, command)
    if (refused !== undefined) {
      this.#refuse(session, command, refused)
    } else {
      const { commandLogs, now } = node
      commandLogs.requested(session, command, argv, now.wallMs)
      const before = session.answeredBytes
      const reply = this.#execution.run(session, command, argv)
      if (reply !== undefined) session.reply(reply)
      commandLogs.answered(session, command, argv, now.wallMs, before)
      node.replication.commandExecuted(session)
    }
    if (node.blocking.hasReadyKeys) this.#execution.serveWaiting()
  }

  #runKnown(
    session: ClientSession,
    typed: readonly string[],
    command: Command,
    argv: readonly string[],
  ): void {
    const node = this.#node
    const demands = demandsOf(node, command, argv)
    const refused = refusal(node, session, command, argv, demands)
    if (refused !== undefined) {
      this.#refuse(session, command, refused)
      if (isFencing(refused)) node.disconnects.fenced(session, node.now.monoMs)
      if (node.blocking.hasReadyKeys) this.#execution.serveWaiting()
      return
    }
    if (isHeldBack(node, session, command, demands)) {
      node.pause.hold(session, typed)
      return
    }
    node.commandLogs.requested(session, command, argv, node.now.wallMs)
    if (waitsForExec(session, command)) {
      session.transaction?.add(demands, argv, !session.isPlain)
      session.reply(QUEUED)
    } else {
      this.#runNow(session, command, argv)
    }
    if (session.tracking?.isCachingSaid === true) endCachingAfter(session, command)
    if (session.blocked === undefined && !session.waitsForScript) session.commandEnded()
  }

  #runNow(session: ClientSession, command: Command, argv: readonly string[]): void {
    const { scripting, tracking } = this.#node
    const isBeside = scripting.isInterrupted
    tracking.commandBegins(session)
    const before = session.answeredBytes
    const reply = this.#execution.run(session, command, argv)
    if (!isBeside && scripting.isInterrupted) return this.#answerLater(session, command, argv)
    this.#answer(session, reply)
    this.#node.commandLogs.answered(session, command, argv, this.#node.now.wallMs, before)
  }

  /** Its script goes on in later turns. */
  #answerLater(session: ClientSession, command: Command, argv: readonly string[]): void {
    this.#node.tracking.commandEnded()
    session.waitsForScript = true
    this.#execution.whenScriptEnds((last) => {
      session.waitsForScript = false
      const before = session.answeredBytes
      this.#answer(session, last)
      this.#node.commandLogs.answered(session, command, argv, this.#node.now.wallMs, before)
      session.commandEnded()
      this.#node.blocking.resumed.add(session)
      return undefined
    })
  }

  #answer(session: ClientSession, reply: Reply | undefined): void {
    if (reply !== undefined) session.reply(reply)
    this.#node.tracking.commandEnded()
    this.#node.monitors.answered(session)
    this.#node.replication.commandExecuted(session)
    if (this.#node.blocking.hasReadyKeys) this.#execution.serveWaiting()
  }

  #refuse(session: ClientSession, command: Command | undefined, reply: Reply): void {
    const text = reply.kind === 'error' ? reply.text : ''
    const told = command?.runsQueue === true ? execAborted(text) : reply
    if (command !== undefined) command.rejectedCalls++
    countError(this.#node.stats, told.kind === 'error' ? told.text : '')
    if (session.transaction !== undefined) session.transaction.isBroken = true
    const { isPlain: wasPlain } = session
    session.isPlain = true
    if (command?.runsQueue === true) session.endTransaction()
    session.reply(told)
    session.isPlain = wasPlain
    if (session.tracking?.isCachingSaid === true) endCachingAfter(session, command)
    session.commandEnded()
  }
}

/**
 * [CLIENT CACHING] holds for one command or one transaction, also if these are refused, and not for
 * other CLIENT commands.
 */
function endCachingAfter(session: ClientSession, command: Command | undefined): void {
  if (session.transaction === undefined && command?.fullName.startsWith('client|') !== true) {
    endCaching(session)
  }
}

function judgeAnew(kind: KindOnData): void {
  kind.openTo = undefined
  kind.isPipelined = false
}

function kindOf(words: readonly string[], table: CommandTable): KindOnData {
  const command = table.find(words)
  assert(command !== undefined, 'every node has this command')
  return { command, words, openTo: undefined, isPipelined: false }
}
