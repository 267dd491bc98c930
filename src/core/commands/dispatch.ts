/**
 * From the words of a request to the command that carries it out, and the reasons to refuse it, in
 * Redis' order: unknown, wrong number of words, not authenticated, not permitted, not allowed while
 * subscribed.
 */
import type { Reply } from '../../resp/reply.ts'
import { fitsArity } from '../../session/commands.ts'
import {
  asSent,
  NO_AUTH,
  notAllowedWhenSubscribed,
  unknownCommand,
  unknownSubcommand,
  wrongArity,
} from '../../session/errors.ts'
import { endCaching } from '../../session/tracking.ts'
import type { Client } from '../clients/client.ts'
import { isListenerOnly } from '../clients/subscriptions.ts'
import type { Turn } from '../state.ts'
import type { PortCommand } from './command.ts'
import { findCommand } from './lookup.ts'
import { permissionRefusal } from './permission.ts'
import { COMMANDS } from './table.ts'

/** Carries a request out and returns the answer, if there is one. */
export function execute(turn: Turn, client: Client, argv: readonly string[]): Reply | undefined {
  const [name = '', subName] = argv
  const found = findCommand(COMMANDS, turn.state.config.ownRenamedCommands, name)
  if (found?.name !== 'client') endCaching(client)
  if (found === undefined) return unknownCommand(argv, asSent)
  if (subName === undefined || found.subcommands.size === 0) return run(turn, client, found, argv)
  const subcommand = found.subcommands.get(subName.toLowerCase())
  if (subcommand === undefined) return unknownSubcommand(name, subName)
  return run(turn, client, subcommand, argv)
}

function run(turn: Turn, client: Client, command: PortCommand, argv: readonly string[]) {
  const refusal = refusalOf(turn, client, command, argv)
  if (refusal !== undefined) return refusal
  turn.state.stats.commandsProcessed++
  client.lastCommand = command.name
  return command.run(turn, client, argv)
}

function refusalOf(
  turn: Turn,
  client: Client,
  command: PortCommand,
  argv: readonly string[],
): Reply | undefined {
  if (!fitsArity(command.arity, argv.length)) return wrongArity(command.name)
  if (mustAuthenticate(turn, client, command)) return NO_AUTH
  const refusal = permissionRefusal(turn, client, command, argv)
  if (refusal !== undefined) return refusal
  if (isListenerOnly(client) && !command.isForListeners) {
    return notAllowedWhenSubscribed(command.name)
  }
  return undefined
}

/** The password may have been removed since the client connected. */
function mustAuthenticate({ state }: Turn, client: Client, command: PortCommand): boolean {
  if (client.decoder.isAuthenticated || command.flags.includes('no_auth')) return false
  return state.access.users.requiresAuth
}
