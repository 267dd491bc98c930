/**
 * From the words of a request to the command that carries it out, and the reasons not to, in Redis'
 * order: unknown, wrong number of words, not authenticated, not permitted, not while listening.
 */
import type { Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import type { Turn } from '../state.ts'
import { isListenerOnly } from '../subscriptions.ts'
import { endCaching } from './client-tracking.ts'
import type { Command } from './command.ts'
import {
  NOT_AUTHENTICATED,
  notWhileListening,
  unknownCommand,
  unknownSubcommand,
  wrongArity,
} from './errors.ts'
import { findCommand } from './lookup.ts'
import { permissionRefusal } from './permission.ts'
import { COMMANDS } from './table.ts'

const LISTENER_COMMANDS: ReadonlySet<string> = new Set([
  'subscribe',
  'unsubscribe',
  'psubscribe',
  'punsubscribe',
  'ping',
  'quit',
])

/** Carries a request out and gives the answer, if there is one. */
export function execute(turn: Turn, client: Client, argv: readonly string[]): Reply | undefined {
  const [name = '', subName] = argv
  const found = findCommand(COMMANDS, turn.state.config.ownRenamedCommands, name)
  if (found?.name !== 'client') endCaching(client)
  if (found === undefined) return unknownCommand(argv)
  if (subName === undefined || found.subcommands.size === 0) return run(turn, client, found, argv)
  const subcommand = found.subcommands.get(subName.toLowerCase())
  if (subcommand === undefined) return unknownSubcommand(name, subName)
  return run(turn, client, subcommand, argv)
}

function run(turn: Turn, client: Client, command: Command, argv: readonly string[]) {
  const refusal = refusalOf(turn, client, command, argv)
  if (refusal !== undefined) return refusal
  turn.state.stats.commandsProcessed++
  client.lastCommand = command.name
  return command.run(turn, client, argv)
}

function refusalOf(
  turn: Turn,
  client: Client,
  command: Command,
  argv: readonly string[],
): Reply | undefined {
  if (!fitsArity(command.arity, argv.length)) return wrongArity(command.name)
  if (mustAuthenticate(turn, client, command)) return NOT_AUTHENTICATED
  const refusal = permissionRefusal(turn, client, command, argv)
  if (refusal !== undefined) return refusal
  if (isListenerOnly(client) && !LISTENER_COMMANDS.has(command.name)) {
    return notWhileListening(command.name)
  }
  return undefined
}

/** The password may have been taken away since the client connected. */
function mustAuthenticate({ state }: Turn, client: Client, command: Command): boolean {
  if (client.isAuthenticated || command.flags.includes('no_auth')) return false
  return state.access.users.requiresAuth
}

function fitsArity(arity: number, words: number): boolean {
  return arity >= 0 ? words === arity : words >= -arity
}
