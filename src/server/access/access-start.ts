/** The users a data node starts with, and whether files that name them are sound. */
import { checkAclFile, usersOfAclFile } from '../../acl/acl-file.ts'
import { type AclCommand, Catalogue } from '../../acl/catalogue.ts'
import { AclLog } from '../../acl/log.ts'
import { PasswordSource } from '../../acl/passwords.ts'
import type { RuleBook } from '../../acl/rules.ts'
import type { ChannelDefault, User } from '../../acl/user.ts'
import {
  baselineLines,
  checkUserLines,
  readUserLine,
  type UserLine,
  usersOfLines,
} from '../../acl/user-lines.ts'
import { Users, type UsersByName } from '../../acl/users.ts'
import { sha256 } from '../../base/sha256.ts'
import type { CommandInfo } from '../catalogue/command-info.ts'
import { nodeCommands } from '../commands/registry.ts'
import type { LearntUsers } from '../port.ts'
import type { Settings } from '../settings/settings.ts'
import type { FileUsers, NodeAccess, NodeAclFile } from './access.ts'

const CATALOGUE = new Catalogue([...nodeCommands().all.values()].map(toAclCommand))

function toAclCommand({ fullName, categories, subcommands }: CommandInfo): AclCommand {
  const inside = [...(subcommands?.values() ?? [])]
  return { name: fullName, categories, subcommands: inside.map(toAclCommand) }
}

export interface NodeAccessStart {
  readonly settings: Settings
  /** [user] One line each, split into words, the name first; the lines were checked before. */
  readonly users: readonly UserLine[]
  /** The users that CONFIG REWRITE kept. */
  readonly learnt: LearntUsers | undefined
  readonly aclFile: NodeAclFile | undefined
  /** The secret from which passwords are made, see acl/passwords.ts. */
  readonly secret: string
}

export function startAccess(start: NodeAccessStart): NodeAccess {
  const { settings, aclFile, secret } = start
  const users = new Users(ruleBook(settings))
  const file = loadUsers(users, start)
  settings.onChange('requirepass', () => users.setDefaultPassword(settings.text('requirepass')))
  return {
    users,
    log: new AclLog(() => settings.int('acllog-max-len')),
    passwords: new PasswordSource(secret),
    file,
    aclFile,
  }
}

/** With an aclfile, neither `user` lines nor requirepass count, as in Redis. */
function loadUsers(users: Users, start: NodeAccessStart): FileUsers {
  const { settings, learnt, aclFile } = start
  const lines = baselineLines(start.users, settings.text('requirepass'))
  const basis = sha256(JSON.stringify(lines))
  users.replaceAll(usersOfLines(lines, users.book))
  const text = JSON.stringify(users.all.map((account) => users.describe(account)))
  if (aclFile !== undefined) users.replaceAll(usersOfAclFile(aclFile, users.book))
  else if (learnt?.basis === basis) users.replaceAll(readable(learnt, users))
  return { basis, text }
}

/** Leaves out users that this version cannot read any more. */
function readable({ lines }: LearntUsers, { book }: Users): UsersByName {
  const users = new Map<string, User>()
  for (const line of lines) {
    const [name = ''] = line
    const user = readUserLine(line, book)
    if (user !== undefined) users.set(name, user)
  }
  return users
}

/**
 * For the configuration: why these `user` lines are not sound, in Redis' words; undefined: they
 * are.
 */
export function checkNodeUsers(lines: readonly UserLine[], settings: Settings): string | undefined {
  return checkUserLines(lines, ruleBook(settings))
}

/** For the start: why this aclfile is not sound, in Redis' words; undefined: it is. */
export function checkNodeAclFile(
  { path, text }: Pick<NodeAclFile, 'path' | 'text'>,
  settings: Settings,
): string | undefined {
  return checkAclFile(text, path, ruleBook(settings))
}

/** How the users of a data node are read. */
export function ruleBook(settings: Settings): RuleBook {
  const channelDefault = () => settings.text('acl-pubsub-default') as ChannelDefault
  return { catalogue: CATALOGUE, channelDefault }
}
