/** The users that a Sentinel starts with, and whether the files that name them are sound. */
import { checkAclFile, usersOfAclFile } from '../../acl/acl-file.ts'
import { type AclCommand, Catalogue } from '../../acl/catalogue.ts'
import { AclLog } from '../../acl/log.ts'
import { PasswordSource } from '../../acl/passwords.ts'
import type { RuleBook } from '../../acl/rules.ts'
import type { User } from '../../acl/user.ts'
import {
  baselineLines,
  checkUserLines,
  readUserLine,
  type UserLine,
  usersOfLines,
} from '../../acl/user-lines.ts'
import { Users, type UsersByName } from '../../acl/users.ts'
import { categoriesOf } from '../commands/categories.ts'
import type { PortCommand } from '../commands/command.ts'
import { COMMANDS } from '../commands/table.ts'
import type { SentinelConfig } from '../config.ts'
import type { SavedState } from '../persistence/saved.ts'
import type { Turn } from '../state.ts'
import { type Access, restoredLines, savedUsers } from './access.ts'
import { hangUpOn } from './access-clients.ts'

/** ACL rules name commands by their own names, not by those that [rename-command] gives them. */
const CATALOGUE = new Catalogue([...COMMANDS.values()].map(toAclCommand))

function toAclCommand(command: PortCommand): AclCommand {
  const subcommands = [...command.subcommands.values()].map(toAclCommand)
  return { name: command.name, categories: categoriesOf(command), subcommands }
}

type Rules = Pick<SentinelConfig, 'aclPubsubDefault'>

/**
 * For the configuration parser: why its `user` lines are not sound, in Redis' words; undefined:
 * they are sound.
 */
export function checkSentinelUsers(lines: readonly UserLine[], rules: Rules): string | undefined {
  return checkUserLines(lines, ruleBook(rules))
}

/** For the start: why this aclfile is not sound, in Redis' words; undefined: it is sound. */
export function checkSentinelAclFile(file: AclFileText, rules: Rules): string | undefined {
  return checkAclFile(file.text, file.path, ruleBook(rules))
}

export interface AclFileText {
  /** As the configuration names it. */
  readonly path: string
  readonly text: string
}

export interface AccessStart {
  readonly config: SentinelConfig
  readonly saved: SavedState['users']
  /** [aclfile] The caller has checked it. */
  readonly aclFile: AclFileText | undefined
  /** The secret from which passwords are made, see passwords.ts. */
  readonly secret: string
}

export function startAccess({ config, saved, aclFile, secret }: AccessStart): {
  readonly access: Access
  /** Saved users whose rules this version cannot read. */
  readonly lost: readonly string[]
} {
  const users = new Users(ruleBook(config))
  const fileLines = baselineLines(config.users, config.requirepass)
  const restored = restoreUsers(fileLines, saved, users.book)
  users.replaceAll(aclFile === undefined ? restored.users : usersOfAclFile(aclFile, users.book))
  const access: Access = {
    users,
    log: new AclLog(() => config.aclLogMaxLength),
    passwords: new PasswordSource(secret),
    fileLines,
    isLearnt: saved !== undefined,
    aclFile: aclFile?.path,
  }
  return { access, lost: restored.lost }
}

/**
 * After the configuration file was read again: users that the file changes are taken from it, the
 * others stay as they were learnt. Only ACL LOAD reads an aclfile again.
 */
export function reloadUsers(turn: Turn, config: SentinelConfig): void {
  const { access } = turn.state
  if (access.aclFile !== undefined) return
  const fileLines = baselineLines(config.users, config.requirepass)
  const { users } = restoreUsers(fileLines, savedUsers(access), access.users.book)
  for (const account of access.users.replaceAll(users)) hangUpOn(turn, account, undefined)
  access.fileLines = fileLines
}

/**
 * A saved user whose rules this version cannot read is taken from the file, or dropped if the file
 * does not name it.
 */
function restoreUsers(
  fileLines: readonly UserLine[],
  saved: SavedState['users'],
  book: RuleBook,
): { readonly users: UsersByName; readonly lost: readonly string[] } {
  const lines = restoredLines(fileLines, saved)
  const users = new Map<string, User>()
  const lost: string[] = []
  for (const line of lines) {
    const [name = ''] = line
    const user = readUserLine(line, book)
    if (user === undefined) lost.push(name)
    else users.set(name, user)
  }
  const fallback = usersOfLines(
    fileLines.filter(([name = '']) => lost.includes(name)),
    book,
  )
  for (const name of lost) {
    const user = fallback.get(name)
    if (user !== undefined) users.set(name, user)
  }
  return { users, lost }
}

function ruleBook({ aclPubsubDefault }: Rules): RuleBook {
  return { catalogue: CATALOGUE, channelDefault: () => aclPubsubDefault }
}
