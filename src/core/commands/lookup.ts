/** From the name that a client typed to the command that it means here. */
import { commandMeant } from '../../base/command-renames.ts'
import type { RenamedCommand } from '../group-option-kinds.ts'
import type { PortCommand } from './command.ts'

/** By name in lower case. */
export type PortCommands = ReadonlyMap<string, PortCommand>

/**
 * Undefined if the name is unknown, or [rename-command] gave the command another name or switched
 * it off.
 */
export function findCommand(
  table: PortCommands,
  renames: readonly RenamedCommand[],
  typed: string,
): PortCommand | undefined {
  const own = commandMeant(renames, typed, (name) => table.has(name))
  return own === undefined ? undefined : table.get(own)
}

/** Also takes the full name of a subcommand: `sentinel|masters`. */
export function findByFullName(
  table: PortCommands,
  renames: readonly RenamedCommand[],
  typed: string,
): PortCommand | undefined {
  const [parent = '', sub, ...rest] = typed.split('|')
  const found = findCommand(table, renames, parent)
  if (sub === undefined || rest.length > 0) return rest.length > 0 ? undefined : found
  return found?.subcommands.get(sub.toLowerCase())
}

/** All commands that can be called under some name, in the order of the table. */
export function usableCommands(
  table: PortCommands,
  renames: readonly RenamedCommand[],
): readonly PortCommand[] {
  const switchedOff = new Set(renames.flatMap(([name, here]) => (here === '' ? [name] : [])))
  return [...table.values()].filter(({ name }) => !switchedOff.has(name))
}
