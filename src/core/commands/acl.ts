/**
 * ACL: which users may use this Sentinel's port, and for what. The Sentinel saves changed users
 * like everything it has learnt, so the answer promises nothing that a crash could undo. With an
 * aclfile, saving is left to ACL SAVE.
 */
import { CANNOT_SAVE, formatAclFile, NO_ACL_FILE, openingFailed } from '../../acl/acl-file.ts'
import { error, integer, OK, type Reply } from '../../resp/reply.ts'
import * as acl from '../../session/acl.ts'
import { hangUpOn, hangUpOnListeners } from '../access/access-clients.ts'
import type { Client } from '../clients/client.ts'
import { consult } from '../external-queries.ts'
import { save } from '../persistence/save.ts'
import type { Turn } from '../state.ts'
import { log } from '../turn.ts'
import {
  type CommandFlag,
  command,
  container,
  type PortCommand,
  type PortHandler,
} from './command.ts'
import { findCommand, type PortCommands } from './lookup.ts'
import { aclRequest } from './permission.ts'

function setUser(turn: Turn, client: Client, argv: readonly string[]): Reply {
  const changed = acl.changeUser(turn.state.access.users, argv)
  if ('kind' in changed) return changed
  hangUpOnListeners(turn, changed, client)
  return remember(turn, OK)
}

function deleteUsers(turn: Turn, client: Client, argv: readonly string[]): Reply {
  const removed = acl.removeUsers(turn.state.access.users, argv)
  if ('kind' in removed) return removed
  for (const account of removed) hangUpOn(turn, account, client)
  return removed.length === 0 ? integer(0) : remember(turn, integer(removed.length))
}

function remember(turn: Turn, reply: Reply): Reply {
  turn.state.access.isLearnt = true
  if (turn.state.access.aclFile === undefined) save(turn)
  return reply
}

/** Loads all of the file or nothing. Connections of users that stay as they are stay open. */
function load(turn: Turn, client: Client): Reply | undefined {
  const { users, aclFile } = turn.state.access
  if (aclFile === undefined) return error(NO_ACL_FILE)
  const answer = consult(turn, client, { kind: 'readAclFile' })
  if (answer === undefined) return undefined
  if (answer.kind !== 'readAclFile') return error(openingFailed(aclFile, reasonOf(answer)))
  const changed = acl.loadUsers(users, answer.text, aclFile)
  if ('kind' in changed) return changed
  for (const account of changed) hangUpOn(turn, account, client)
  return OK
}

function saveFile(turn: Turn, client: Client): Reply | undefined {
  const { users, aclFile } = turn.state.access
  if (aclFile === undefined) return error(NO_ACL_FILE)
  const answer = consult(turn, client, { kind: 'writeAclFile', text: formatAclFile(users) })
  if (answer === undefined) return undefined
  if (answer.kind === 'writeAclFile') return OK
  log(turn, 'warning', `cannot write the ACL file ${aclFile}: ${reasonOf(answer)}`)
  return error(CANNOT_SAVE)
}

function reasonOf(answer: { readonly kind: string; readonly reason?: string }): string {
  return answer.reason ?? 'no answer to that question'
}

/** The words after the user's name are a command. */
function dryRun(table: () => PortCommands): PortHandler {
  return ({ state }, _client, argv) => {
    const words = argv.slice(3)
    const [first = '', second] = words
    const found = findCommand(table(), state.config.ownRenamedCommands, first)
    const isContainer = found !== undefined && found.subcommands.size > 0
    const meant =
      isContainer && second !== undefined ? found.subcommands.get(second.toLowerCase()) : found
    const tried = meant && { arity: meant.arity, request: aclRequest(meant, words) }
    return acl.dryRun(state.access.users, argv, tried)
  }
}

/** For a question about users whose answer is the same as on a data node. */
function ask(answer: (facts: acl.AclFacts, argv: readonly string[]) => Reply): PortHandler {
  return ({ state, now }, client, argv) => {
    const { users, log, passwords } = state.access
    return answer({ users, log, passwords, client, nowMs: now.monoMs }, argv)
  }
}

const FLAGS: readonly CommandFlag[] = ['noscript', 'loading', 'stale']
const ADMIN_FLAGS: readonly CommandFlag[] = ['admin', ...FLAGS]

type Name = readonly [name: keyof typeof acl.ACL_TEXTS, arity: number, since?: string]

function sub([name, arity, since = '6.0.0']: Name, run: PortHandler): PortCommand {
  const [usage, summary] = acl.ACL_TEXTS[name]
  const spec = { name: `acl|${name}`, arity, group: 'server', since, usage, summary } as const
  return command({ ...spec, flags: FLAGS }, run)
}

function adminSub(name: Name, run: PortHandler): PortCommand {
  return { ...sub(name, run), flags: ADMIN_FLAGS }
}

/** In the order of HELP. The table is a function because ACL itself is in it. */
export function aclCommand(table: () => PortCommands): PortCommand {
  return container(
    {
      name: 'acl',
      arity: -2,
      group: 'server',
      since: '6.0.0',
      helpSince: '6.0.0',
      flags: [],
      usage: '',
      summary: 'Say who may use this server, and for what.',
    },
    [
      sub(['cat', -2], ask(acl.showCategories)),
      adminSub(['deluser', -3], deleteUsers),
      adminSub(['dryrun', -4, '7.0.0'], dryRun(table)),
      adminSub(['getuser', 3], ask(acl.showUser)),
      sub(['genpass', -2], ask(acl.generatePassword)),
      adminSub(['list', 2], ask(acl.listUsers)),
      adminSub(['load', 2], load),
      adminSub(['log', -2], ask(acl.showLog)),
      adminSub(['save', 2], saveFile),
      adminSub(['setuser', -3], setUser),
      adminSub(['users', 2], ask(acl.listNames)),
      sub(['whoami', 2], ask(acl.whoAmI)),
    ],
  )
}
