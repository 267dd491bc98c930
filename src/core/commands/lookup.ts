/** From a typed name to the command it stands for here. */
import type { RenamedCommand } from '../config.ts'
import type { Command } from './command.ts'

/** By name in lower case. */
export type CommandTable = ReadonlyMap<string, Command>

/** Undefined for what is unknown, or goes by another name, or was switched off by [rename-command]. */
export function findCommand(
  table: CommandTable,
  renames: readonly RenamedCommand[],
  typed: string,
): Command | undefined {
  const word = typed.toLowerCase()
  const renamed = renames.find(([, here]) => here.toLowerCase() === word)
  if (renamed !== undefined) return table.get(renamed[0])
  return renames.some(([name]) => name === word) ? undefined : table.get(word)
}

/** Also takes the full name of a subcommand: `sentinel|masters`. */
export function findByFullName(
  table: CommandTable,
  renames: readonly RenamedCommand[],
  typed: string,
): Command | undefined {
  const [parent = '', sub, ...rest] = typed.split('|')
  const found = findCommand(table, renames, parent)
  if (sub === undefined || rest.length > 0) return rest.length > 0 ? undefined : found
  return found?.subcommands.get(sub.toLowerCase())
}

/** All that can be called under some name, in the order of the table. */
export function usableCommands(
  table: CommandTable,
  renames: readonly RenamedCommand[],
): readonly Command[] {
  const switchedOff = new Set(renames.flatMap(([name, here]) => (here === '' ? [name] : [])))
  return [...table.values()].filter(({ name }) => !switchedOff.has(name))
}
