/** The rules about commands: `+get`, `-config|set`, `+@read`, `+select|0`. */
import type { AclCommand, Catalogue } from './catalogue.ts'
import type { RuleFault } from './fault.ts'
import type { CommandRights } from './user.ts'

export function allCommands(catalogue: Catalogue): CommandRights {
  return { isOpen: true, allowed: catalogue.names, firstArguments: new Map() }
}

export function noCommands(): CommandRights {
  return { isOpen: false, allowed: new Set(), firstArguments: new Map() }
}

/** `rule` begins with a sign, and is neither `+@all` nor `-@all`. */
export function applyCommandRule(
  rights: CommandRights,
  rule: string,
  catalogue: Catalogue,
): CommandRights | RuleFault {
  const isAllowed = rule.startsWith('+')
  const name = rule.slice(1)
  if (name.startsWith('@')) {
    const commands = catalogue.inCategory(name.slice(1))
    return commands === undefined ? 'unknown' : withCommands(rights, commands, isAllowed)
  }
  if (isAllowed && name.includes('|')) return allowSecondWord(rights, name, catalogue)
  const command = catalogue.find(name)
  return command === undefined ? 'unknown' : withCommands(rights, [command], isAllowed)
}

/**
 * `+config|get` allows a subcommand; `+select|0` allows a command without subcommands with this first
 * argument only.
 */
function allowSecondWord(
  rights: CommandRights,
  name: string,
  catalogue: Catalogue,
): CommandRights | RuleFault {
  const at = name.lastIndexOf('|')
  const command = catalogue.find(name.slice(0, at))
  const word = name.slice(at + 1)
  if (command === undefined) return 'unknown'
  if (command.name.includes('|')) return 'firstArgumentOfSubcommand'
  if (word === '') return 'syntax'
  if (command.subcommands.length === 0) return withFirstArgument(rights, command.name, word)
  const subcommand = catalogue.find(name)
  return subcommand === undefined ? 'unknown' : withCommands(rights, [subcommand], true)
}

function withFirstArgument(rights: CommandRights, command: string, word: string): CommandRights {
  const known = rights.firstArguments.get(command) ?? []
  if (known.some((one) => one.toLowerCase() === word.toLowerCase())) return rights
  const firstArguments = new Map(rights.firstArguments).set(command, [...known, word])
  return { ...rights, firstArguments }
}

function withCommands(
  rights: CommandRights,
  commands: readonly AclCommand[],
  isAllowed: boolean,
): CommandRights {
  const allowed = new Set(rights.allowed)
  const firstArguments = new Map(rights.firstArguments)
  for (const command of commands) {
    change(allowed, command, isAllowed)
    firstArguments.delete(command.name)
  }
  return { isOpen: rights.isOpen, allowed, firstArguments }
}

/** A rule about a container applies to all its subcommands. */
export function change(allowed: Set<string>, command: AclCommand, isAllowed: boolean): void {
  for (const { name } of [command, ...command.subcommands]) {
    if (isAllowed) allowed.add(name)
    else allowed.delete(name)
  }
}
