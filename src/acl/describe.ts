/**
 * A user as words again: what ACL LIST and ACL SAVE write. These are not the words that were given, but
 * the shortest that Redis would find for the same user.
 */
import { type AclCommand, CATEGORIES, type Catalogue } from './catalogue.ts'
import { change } from './command-rights.ts'
import type { CommandRights, KeyPattern, Selector, User } from './user.ts'

/** The `user` line without its first two words, `user <name>`. Passwords are hashes. */
export function describeUser(user: User, catalogue: Catalogue): readonly string[] {
  return [
    ...flagsOf(user),
    ...user.passwords.map((hash) => `#${hash}`),
    ...describeSelector(user.root, catalogue),
    ...user.selectors.map((one) => `(${describeSelector(one, catalogue).join(' ')})`),
  ]
}

export function flagsOf(user: User): readonly string[] {
  return [
    user.isOn ? 'on' : 'off',
    ...(user.hasNoPassword ? ['nopass'] : []),
    ...(user.payloads === 'unsaid' ? [] : [user.payloads]),
  ]
}

function describeSelector(selector: Selector, catalogue: Catalogue): readonly string[] {
  const { channels } = selector
  return [
    ...describeKeys(selector),
    ...(channels === 'all' ? [] : ['resetchannels']),
    ...describeChannels(selector),
    ...describeCommands(selector.commands, catalogue),
  ]
}

export function describeKeys({ keys }: Selector): readonly string[] {
  return keys === 'all' ? ['~*'] : keys.map(describeKeyPattern)
}

export function describeChannels({ channels }: Selector): readonly string[] {
  return channels === 'all' ? ['&*'] : channels.map((pattern) => `&${pattern}`)
}

function describeKeyPattern({ pattern, reads, writes }: KeyPattern): string {
  if (reads && writes) return `~${pattern}`
  return `%${reads ? 'R' : 'W'}~${pattern}`
}

/**
 * `+@all` or `-@all`, then the categories that are right about more commands than they are wrong
 * about, best first, then single commands for what still differs.
 */
export function describeCommands(rights: CommandRights, catalogue: Catalogue): readonly string[] {
  // Nothing was taken away, as from the default user: every node that starts describes one.
  if (rights.isOpen && rights.allowed === catalogue.names) return ['+@all']
  const sign = rights.isOpen ? '-' : '+'
  const told = new Set(rights.isOpen ? catalogue.names : [])
  const left = new Set(rights.allowed)
  const words = [rights.isOpen ? '+@all' : '-@all']
  const categories = new Set(CATEGORIES)
  for (;;) {
    const best = bestCategory(categories, left, !rights.isOpen, catalogue)
    if (best === undefined) break
    categories.delete(best.name)
    words.push(`${sign}@${best.name}`)
    for (const command of best.commands) change(told, command, !rights.isOpen)
    for (const command of best.commands) change(left, command, rights.isOpen)
  }
  return [...words, ...catalogue.all.flatMap((one) => describeCommand(one, rights, told))]
}

interface Fit {
  readonly name: string
  readonly commands: readonly AclCommand[]
  readonly right: number
  readonly wrong: number
}

/** The category that is wrong about the fewest commands; among equals, the largest. */
function bestCategory(
  names: ReadonlySet<string>,
  left: ReadonlySet<string>,
  adds: boolean,
  catalogue: Catalogue,
): Fit | undefined {
  let best: Fit | undefined
  for (const name of names) {
    const commands = catalogue.inCategory(name) ?? []
    const right = commands.filter((one) => left.has(one.name) === adds).length
    const fit = { name, commands, right, wrong: commands.length - right }
    if (fit.right > fit.wrong && (best === undefined || isBetter(fit, best))) best = fit
  }
  return best
}

function isBetter(fit: Fit, best: Fit): boolean {
  return fit.wrong === best.wrong ? fit.right > best.right : fit.wrong < best.wrong
}

/** Brings `told` in line with the rights, for this command. */
function describeCommand(
  command: AclCommand,
  { allowed, firstArguments }: CommandRights,
  told: Set<string>,
): readonly string[] {
  const { name } = command
  const words: string[] = []
  const isAllowed = allowed.has(name)
  if (isAllowed !== told.has(name)) {
    words.push(`${isAllowed ? '+' : '-'}${name}`)
    change(told, command, isAllowed)
  }
  if (isAllowed) return words
  return [...words, ...(firstArguments.get(name) ?? []).map((word) => `+${name}|${word}`)]
}
