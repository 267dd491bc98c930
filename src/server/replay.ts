/**
 * Commands that no client sent: those of the master's stream and those of a file. They pass no gate and get
 * no reply; what goes wrong is logged or ends the loading.
 */

import type { Command } from './catalogue/command.ts'
import { acceptsArity } from './catalogue/command-info.ts'
import type { CommandTable } from './catalogue/command-table.ts'
import type { NodeServices } from './context.ts'
import type { Execution } from './execution.ts'
import { waitsForExec } from './gate.ts'
import type { LoadedCommand } from './persistence/host.ts'
import { newStreamSession } from './sessions/master-session.ts'
import type { ReadyClients } from './sessions/ready-clients.ts'
import type { Session } from './sessions/session.ts'

/** A master of another kind may send what we do not know with every change. */
const MAX_UNAPPLIED_LOGGED = 100
const MAX_NAME_LOGGED = 64

/** What a file of commands is made of, besides commands about keys. */
const FRAME: ReadonlySet<string> = new Set(['select', 'multi', 'exec', 'discard'])
const LOADED: LoadedCommand = { kind: 'done' }

export class Replay {
  readonly #node: NodeServices
  readonly #table: CommandTable
  readonly #execution: Execution
  readonly #ready: ReadyClients
  /** Where the commands of a file are carried out. */
  readonly #loadSession: Session

  constructor(node: NodeServices, table: CommandTable, execution: Execution, ready: ReadyClients) {
    this.#node = node
    this.#table = table
    this.#execution = execution
    this.#ready = ready
    this.#loadSession = newStreamSession({ startedAt: node.startedAt, sink: node.sessions })
  }

  /** One command of the master's stream: nothing of it is told to replicas. */
  apply(session: Session, argv: readonly string[]): void {
    const command = this.#table.find(argv)
    if (command === undefined || !acceptsArity(command, argv.length)) {
      this.#noteUnapplied(argv[0] ?? '')
      return
    }
    this.#execution.enter(session)
    if (waitsForExec(session, command)) {
      session.transaction?.add(command, argv)
      return
    }
    const reply = this.#execution.call(command, argv)
    if (reply?.kind === 'error') {
      this.#node.port.log('warning', `the master's ${command.fullName} failed here: ${reply.text}`)
    }
    this.#ready.serve()
  }

  /** One command of a file that is loaded: as the master's stream, and it counts for nothing. */
  applyLoaded(argv: readonly string[]): LoadedCommand {
    const session = this.#loadSession
    const command = this.#table.find(argv)
    if (command === undefined) return { kind: 'unknown' }
    if (!acceptsArity(command, argv.length)) return loadFailure('wrong number of words')
    if (!isKept(command)) return loadFailure('it has no place in a file')
    this.#execution.enter(session)
    if (waitsForExec(session, command)) {
      session.transaction?.add(command, argv)
      return LOADED
    }
    const error = this.#execution.replay(command, argv)
    return error === undefined ? LOADED : loadFailure(error)
  }

  /** From here on our data may differ from the master's, so it is counted for INFO. */
  #noteUnapplied(name: string): void {
    const count = ++this.#node.stats.unappliedCommands
    if (count > MAX_UNAPPLIED_LOGGED) return
    const shown = name.slice(0, MAX_NAME_LOGGED).replace(/[^ -~]/g, '?')
    const rest = count < MAX_UNAPPLIED_LOGGED ? '' : ' (from now on they are only counted)'
    this.#node.port.log('warning', `the master sent a command we do not know: ${shown}${rest}`)
  }
}

function isKept(command: Command): boolean {
  return command.hasKeys || FRAME.has(command.fullName)
}

function loadFailure(text: string): LoadedCommand {
  return { kind: 'failed', text }
}
