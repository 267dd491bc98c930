/** ACL: who may use this node, and for what. */
import {
  CANNOT_SAVE,
  formatAclFile,
  NO_ACL_FILE,
  openingFailed,
  parseAclFile,
} from '../../../acl/acl-file.ts'
import { mayListen } from '../../../acl/check.ts'
import {
  categoriesReply,
  DEFAULT_STAYS,
  dryRunReply,
  listReply,
  logReply,
  namesReply,
  noSuchCommand,
  noSuchUser,
  passwordLength,
  userReply,
} from '../../../acl/replies.ts'
import { type Account, DEFAULT_USER } from '../../../acl/users.ts'
import { bulk, error, integer, OK, type Reply } from '../../../resp/reply.ts'
import { aclRequest } from '../../access/permission.ts'
import { arg, command, container, type Family, helpReply } from '../../catalogue/command.ts'
import { acceptsArity } from '../../catalogue/command-info.ts'
import type { CommandContext, NodeServices } from '../../context.ts'
import { unknownSubcommandOrArity, wrongArity } from '../../errors.ts'
import type { Session } from '../../sessions/session.ts'

function setUser({ node, session }: CommandContext, argv: readonly string[]): Reply {
  const changed = node.access.users.change(arg(argv, 2), argv.slice(3))
  if (!changed.ok) return error(`ERR ${changed.error}`)
  for (const one of sessionsOf(node, changed.value)) {
    if (!mayStay(one)) hangUp(node, one, session)
  }
  return OK
}

/** Whether it may listen to what it listens to. */
function mayStay({ account, channels, shardChannels, patterns }: Session): boolean {
  if (account === undefined) return true
  const { user } = account
  return (
    [...channels, ...shardChannels].every((name) => mayListen(user, name, false)) &&
    [...patterns].every((name) => mayListen(user, name, true))
  )
}

function deleteUsers({ node, session }: CommandContext, argv: readonly string[]): Reply {
  const names = argv.slice(2)
  if (names.includes(DEFAULT_USER)) return DEFAULT_STAYS
  const deleted = names.flatMap((name) => node.access.users.remove(name) ?? [])
  hangUpOn(node, deleted, session)
  return integer(deleted.length)
}

function sessionsOf({ sessions }: NodeServices, account: Account): readonly Session[] {
  return [...sessions].filter((one) => one.account === account)
}

function hangUpOn(node: NodeServices, accounts: readonly Account[], caller: Session): void {
  for (const account of accounts) {
    for (const one of sessionsOf(node, account)) hangUp(node, one, caller)
  }
}

/** Whoever takes his own rights away still gets his answer. */
function hangUp({ sessions, access }: NodeServices, session: Session, caller: Session): void {
  session.account = access.users.default
  session.isAuthenticated = false
  if (session === caller) sessions.closeAfterReply(session)
  else sessions.close(session)
}

/** All of the file or nothing. Connections of users that stay as they are stay too. */
function load({ node, session }: CommandContext): Reply {
  const { users, aclFile } = node.access
  if (aclFile === undefined) return error(NO_ACL_FILE)
  const found = aclFile.read()
  if (!found.ok) return error(openingFailed(aclFile.path, found.reason))
  const parsed = parseAclFile(found.text, aclFile.path, users.book)
  if (!parsed.ok) return error(`ERR ${parsed.error}`)
  hangUpOn(node, users.replaceAll(parsed.value), session)
  return OK
}

function save({ node }: CommandContext): Reply {
  const { users, aclFile } = node.access
  if (aclFile === undefined) return error(NO_ACL_FILE)
  const problem = aclFile.write(formatAclFile(users))
  if (problem === undefined) return OK
  node.port.log('warning', `cannot write the ACL file ${aclFile.path}: ${problem}`)
  return error(CANNOT_SAVE)
}

function dryRun({ node }: CommandContext, argv: readonly string[]): Reply {
  const account = node.access.users.get(arg(argv, 2))
  if (account === undefined) return noSuchUser(arg(argv, 2))
  const words = argv.slice(3)
  const found = node.table.find(words)
  if (found === undefined) return noSuchCommand(arg(argv, 3))
  if (!acceptsArity(found, words.length)) return wrongArity(found.fullName)
  return dryRunReply(account, aclRequest(found, words))
}

function categories({ node }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 3) return unknownSubcommandOrArity('acl', argv[1])
  return categoriesReply(node.access.users.book.catalogue, argv[2])
}

function generatePassword({ node }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 3) return unknownSubcommandOrArity('acl', argv[1])
  const length = passwordLength(argv[2])
  return typeof length === 'number' ? bulk(node.access.passwords.draw(length)) : length
}

function showLog({ node, now }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 3) return unknownSubcommandOrArity('acl', argv[1])
  return logReply(node.access.log, argv[2], now.monoMs)
}

function help(): Reply {
  return helpReply('ACL', [
    'CAT [<category>]',
    '    The categories, or the commands of one.',
    'DELUSER <username> [<username> ...]',
    '    Delete users.',
    'DRYRUN <username> <command> [<arg> ...]',
    '    Whether a user could give a command, which is not carried out.',
    'GETUSER <username>',
    '    What is known of a user.',
    'GENPASS [<bits>]',
    '    A new password, of 256 bits or as many.',
    'LIST',
    '    The users, as a configuration file has them.',
    'LOAD',
    '    Read the users from the ACL file again.',
    'LOG [<count> | RESET]',
    '    Who was refused what, or forget it.',
    'SAVE',
    '    Write the users to the ACL file.',
    'SETUSER <username> <attribute> [<attribute> ...]',
    '    Create a user, or change one.',
    'USERS',
    '    The names of the users.',
    'WHOAMI',
    '    The user this connection is.',
  ])
}

const FLAGS = 'noscript loading stale'
const ADMIN = `admin ${FLAGS}`

const aclSubcommands = [
  command('cat', -2, FLAGS, [], categories),
  command('deluser', -3, ADMIN, [], deleteUsers),
  command('dryrun', -4, ADMIN, [], dryRun),
  command('genpass', -2, FLAGS, [], generatePassword),
  command('getuser', 3, ADMIN, [], ({ node }, argv) => userReply(node.access.users, arg(argv, 2))),
  command('help', 2, 'loading stale', [], help),
  command('list', 2, ADMIN, [], ({ node }) => listReply(node.access.users)),
  command('load', 2, ADMIN, [], load),
  command('log', -2, ADMIN, [], showLog),
  command('save', 2, ADMIN, [], save),
  command('setuser', -3, ADMIN, [], setUser),
  command('users', 2, ADMIN, [], ({ node }) => namesReply(node.access.users)),
  command('whoami', 2, FLAGS, [], ({ session }) => bulk(session.account?.name ?? DEFAULT_USER)),
]

export const aclFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [container('acl', aclSubcommands)],
}
