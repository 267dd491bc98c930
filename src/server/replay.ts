/**
 * Commands that no client sent: commands of the master's stream and of a file. They pass no gate
 * and get no reply; an error is logged or ends the loading.
 *
 * A master tells its replicas how the data changed, which messages were published, and which
 * commands frame these; one before Redis 7.0 may tell a change by the script that makes it. Other
 * commands in its stream (SHUTDOWN, CLIENT PAUSE, DEBUG, CONFIG, REPLICAOF, ACL) are not run: write
 * access to a master does not make a client the operator of its replicas. Redis runs all of them.
 */

import { fitsArity } from '../session/commands.ts'
import type { Command } from './catalogue/command.ts'
import type { CommandTable } from './catalogue/command-table.ts'
import type { NodeServices } from './context.ts'
import type { Execution } from './execution.ts'
import { waitsForExec } from './gate.ts'
import type { LoadedCommand } from './persistence/load-result.ts'
import { newStreamSession } from './sessions/master-session.ts'
import type { ClientSession } from './sessions/session.ts'

/** A master of another kind may send an unknown command with every change. */
const MAX_LOGGED = 100
const MAX_NAME_LOGGED = 64

const LOADED: LoadedCommand = { kind: 'done' }

export class Replay {
  readonly #node: NodeServices
  readonly #table: CommandTable
  readonly #execution: Execution
  /** The session in which the commands of a file run. */
  readonly #loadSession: ClientSession

  constructor(node: NodeServices, table: CommandTable, execution: Execution) {
    this.#node = node
    this.#table = table
    this.#execution = execution
    this.#loadSession = newStreamSession(node.startedAt, node.sessions)
  }

  /** From now on the master's stream and loaded files run their commands here. */
  connect(): void {
    this.#node.streamTarget.run = (session, argv) => this.#apply(session, argv)
    this.#node.streamTarget.failed = (name, text) => this.#failed(name, text)
    this.#node.applyLoaded = (argv) => this.#applyLoaded(argv)
  }

  /** Runs one command of the master's stream, without telling replicas of its effects. */
  #apply(session: ClientSession, argv: readonly string[]): void {
    const command = this.#table.find(argv)
    if (command === undefined || !fitsArity(command.arity, argv.length)) {
      const count = ++this.#node.stats.unappliedCommands
      return this.#logPassedOver(count, 'a command we do not know', argv[0] ?? '')
    }
    if (!isForReplicas(command)) {
      const count = ++this.#node.stats.refusedCommands
      return this.#logPassedOver(count, 'what is no change, and is refused', command.fullName)
    }
    if (waitsForExec(session, command)) {
      session.transaction?.add(command, argv)
      return
    }
    this.#node.eviction.makeRoom()
    session.lastCommand = command.fullName
    this.#execution.run(session, command, argv)
    this.#execution.serveWaiting()
  }

  /** What this command was to change is not changed here: the data is not the master's any more. */
  #failed(name: string, text: string): void {
    const count = ++this.#node.stats.unappliedCommands
    if (count > MAX_LOGGED) return
    this.#node.port.log('warning', `the master's ${name} failed here: ${text}${restOf(count)}`)
  }

  /** Runs one command of a loaded file, as from the master's stream, but without counting it. */
  #applyLoaded(argv: readonly string[]): LoadedCommand {
    const session = this.#loadSession
    const command = this.#table.find(argv)
    if (command === undefined) return { kind: 'unknown' }
    if (!fitsArity(command.arity, argv.length)) return loadFailure('wrong number of words')
    if (!isKept(command)) return loadFailure('it has no place in a file')
    if (waitsForExec(session, command)) {
      session.transaction?.add(command, argv)
      return LOADED
    }
    const error = this.#execution.replay(session, command, argv)
    return error === undefined ? LOADED : loadFailure(error)
  }

  #logPassedOver(count: number, what: string, name: string): void {
    if (count > MAX_LOGGED) return
    const shown = name.slice(0, MAX_NAME_LOGGED).replace(/[^ -~]/g, '?')
    this.#node.port.log('warning', `the master sent ${what}: ${shown}${restOf(count)}`)
  }
}

function restOf(count: number): string {
  return count < MAX_LOGGED ? '' : ' (from now on they are only counted)'
}

/**
 * What masters send to replicas: changes of the data, messages, and the commands that frame them.
 * Before 7.0 a script could stand for the changes that it makes.
 */
function isForReplicas(command: Command): boolean {
  const { isWrite, mayReplicate, isFrame, keepsScript } = command
  return isWrite || mayReplicate || isFrame || keepsScript
}

function isKept(command: Command): boolean {
  const { hasKeys, isFrame, keepsScript, runsScript } = command
  return hasKeys || isFrame || keepsScript || runsScript
}

function loadFailure(text: string): LoadedCommand {
  return { kind: 'failed', text }
}
