/** ACL: who may use this node, and for what. */
import { CANNOT_SAVE, formatAclFile, NO_ACL_FILE, openingFailed } from '../../../acl/acl-file.ts'
import type { Account } from '../../../acl/users.ts'
import { error, integer, OK, type Reply } from '../../../resp/reply.ts'
import * as acl from '../../../session/acl.ts'
import { mayListenTo } from '../../../session/subscriptions.ts'
import { aclRequest } from '../../access/permission.ts'
import {
  command,
  container,
  type Family,
  type Handler,
  helpReply,
} from '../../catalogue/command.ts'
import { allBut } from '../../catalogue/command-traits.ts'
import type { CommandContext, NodeServices } from '../../context.ts'
import type { ClientSession } from '../../sessions/session.ts'

function setUser({ node, session }: CommandContext, argv: readonly string[]): Reply {
  const changed = acl.changeUser(node.access.users, argv)
  if ('kind' in changed) return changed
  for (const one of sessionsOf(node, changed)) {
    if (!mayStay(one)) hangUp(node, one, session)
  }
  return OK
}

/** Whether the client may still listen to its channels and patterns. */
function mayStay({ account, channels, shardChannels, patterns }: ClientSession): boolean {
  if (account === undefined) return true
  return mayListenTo(account.user, [...channels, ...shardChannels], patterns)
}

function deleteUsers({ node, session }: CommandContext, argv: readonly string[]): Reply {
  const removed = acl.removeUsers(node.access.users, argv)
  if ('kind' in removed) return removed
  hangUpOn(node, removed, session)
  return integer(removed.length)
}

function sessionsOf({ sessions }: NodeServices, account: Account): readonly ClientSession[] {
  return [...sessions].filter((one) => one.account === account)
}

function hangUpOn(node: NodeServices, accounts: readonly Account[], caller: ClientSession): void {
  for (const account of accounts) {
    for (const one of sessionsOf(node, account)) hangUp(node, one, caller)
  }
}

/** A client that takes away its own rights still gets its answer. */
function hangUp(
  { sessions, access }: NodeServices,
  session: ClientSession,
  caller: ClientSession,
): void {
  session.account = access.users.default
  session.isAuthenticated = false
  if (session === caller) sessions.closeAfterReply(session)
  else sessions.close(session)
}

/** Loads all of the file or nothing. Connections of unchanged users stay open. */
function load({ node, session }: CommandContext): Reply {
  const { users, aclFile } = node.access
  if (aclFile === undefined) return error(NO_ACL_FILE)
  const found = aclFile.read()
  if (!found.ok) return error(openingFailed(aclFile.path, found.reason))
  const changed = acl.loadUsers(users, found.text, aclFile.path)
  if ('kind' in changed) return changed
  hangUpOn(node, changed, session)
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
  const words = argv.slice(3)
  const found = node.table.find(words)
  const tried = found && { arity: found.arity, request: aclRequest(found, words) }
  return acl.dryRun(node.access.users, argv, tried)
}

/** For questions about users that need no more than the facts. */
function ask(answer: (facts: acl.AclFacts, argv: readonly string[]) => Reply): Handler {
  return ({ node, session, now }, argv) => {
    const { users, log, passwords } = node.access
    return answer({ users, log, passwords, client: session, nowMs: now.monoMs }, argv)
  }
}

function help(): Reply {
  const texts = Object.entries(acl.ACL_TEXTS)
  return helpReply(
    'ACL',
    texts.flatMap(([name, [usage, summary]]) => [
      `${name.toUpperCase()} ${usage}`.trimEnd(),
      `    ${summary}`,
    ]),
  )
}

const FLAGS = 'noscript loading stale'
const ADMIN = `admin ${FLAGS}`

const aclSubcommands = [
  command('cat', -2, FLAGS, [], ask(acl.showCategories)),
  command('deluser', -3, ADMIN, [], deleteUsers),
  command('dryrun', -4, ADMIN, [], dryRun),
  command('genpass', -2, FLAGS, [], ask(acl.generatePassword)),
  command('getuser', 3, ADMIN, [], ask(acl.showUser)),
  command('help', 2, 'loading stale', [], help),
  command('list', 2, ADMIN, [], ask(acl.listUsers)),
  command('load', 2, ADMIN, [], load),
  command('log', -2, ADMIN, [], ask(acl.showLog)),
  command('save', 2, ADMIN, [], save),
  command('setuser', -3, ADMIN, [], setUser, { secrets: allBut(2) }),
  command('users', 2, ADMIN, [], ask(acl.listNames)),
  command('whoami', 2, FLAGS, [], ask(acl.whoAmI)),
]

export const aclFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [container('acl', aclSubcommands)],
}
