/**
 * ACL: who may use this Sentinel's port, and for what. What changes users is saved like all that is
 * learnt, so the answer promises nothing a crash could undo; with an aclfile that is left to ACL SAVE.
 */
import {
  CANNOT_SAVE,
  formatAclFile,
  NO_ACL_FILE,
  openingFailed,
  parseAclFile,
} from '../../acl/acl-file.ts'
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
} from '../../acl/replies.ts'
import { DEFAULT_USER } from '../../acl/users.ts'
import { bulk, error, integer, OK, type Reply } from '../../resp/reply.ts'
import { hangUpOn, hangUpOnListeners } from '../access/access-clients.ts'
import type { Client } from '../client.ts'
import { consult } from '../inquiries.ts'
import { save } from '../memory/save.ts'
import type { Turn } from '../state.ts'
import { log } from '../turn.ts'
import { type Command, type CommandFlag, command, container, type Handler } from './command.ts'
import { wrongArity, wrongSubcommandArity } from './errors.ts'
import { type CommandTable, findCommand } from './lookup.ts'
import { aclRequest } from './permission.ts'

function setUser(turn: Turn, client: Client, argv: readonly string[]): Reply {
  const { users } = turn.state.access
  const [, , name = '', ...rules] = argv
  const changed = users.change(name, rules)
  if (!changed.ok) return error(`ERR ${changed.error}`)
  hangUpOnListeners(turn, changed.value, client)
  return remember(turn, OK)
}

function deleteUsers(turn: Turn, client: Client, argv: readonly string[]): Reply {
  const names = argv.slice(2)
  if (names.includes(DEFAULT_USER)) return DEFAULT_STAYS
  let deleted = 0
  for (const name of names) {
    const account = turn.state.access.users.remove(name)
    if (account === undefined) continue
    hangUpOn(turn, account, client)
    deleted++
  }
  return deleted === 0 ? integer(0) : remember(turn, integer(deleted))
}

function remember(turn: Turn, reply: Reply): Reply {
  turn.state.access.isLearnt = true
  if (turn.state.access.aclFile === undefined) save(turn)
  return reply
}

/** All of the file or nothing. Connections of users that stay as they are stay too. */
function load(turn: Turn, client: Client): Reply | undefined {
  const { users, aclFile } = turn.state.access
  if (aclFile === undefined) return error(NO_ACL_FILE)
  const answer = consult(turn, client, { kind: 'readAclFile' })
  if (answer === undefined) return undefined
  if (answer.kind !== 'readAclFile') return error(openingFailed(aclFile, reasonOf(answer)))
  const parsed = parseAclFile(answer.text, aclFile, users.book)
  if (!parsed.ok) return error(`ERR ${parsed.error}`)
  for (const account of users.replaceAll(parsed.value)) hangUpOn(turn, account, client)
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

function generatePassword({ state }: Turn, _client: Client, argv: readonly string[]): Reply {
  const [, , bits, ...rest] = argv
  if (rest.length > 0) return wrongSubcommandArity('ACL', argv[1] ?? '')
  const length = passwordLength(bits)
  return typeof length === 'number' ? bulk(state.access.passwords.draw(length)) : length
}

/** The words behind the user's name are a command, which is not carried out. */
function dryRun(table: () => CommandTable): Handler {
  return ({ state }, _client, argv) => {
    const [, , name = '', ...words] = argv
    const account = state.access.users.get(name)
    if (account === undefined) return noSuchUser(name)
    const [first = '', second] = words
    const found = findCommand(table(), state.config.ownRenamedCommands, first)
    const isContainer = found !== undefined && found.subcommands.size > 0
    const meant =
      isContainer && second !== undefined ? found.subcommands.get(second.toLowerCase()) : found
    if (meant === undefined) return noSuchCommand(first)
    const { arity } = meant
    const fits = arity >= 0 ? words.length === arity : words.length >= -arity
    return fits ? dryRunReply(account, aclRequest(meant, words)) : wrongArity(meant.name)
  }
}

function categories({ state }: Turn, _client: Client, argv: readonly string[]): Reply {
  if (argv.length > 3) return wrongSubcommandArity('ACL', argv[1] ?? '')
  return categoriesReply(state.access.users.book.catalogue, argv[2])
}

function showUser({ state }: Turn, _client: Client, [, , name = '']: readonly string[]): Reply {
  return userReply(state.access.users, name)
}

function list({ state }: Turn): Reply {
  return listReply(state.access.users)
}

function names({ state }: Turn): Reply {
  return namesReply(state.access.users)
}

function showLog({ state, now }: Turn, _client: Client, argv: readonly string[]): Reply {
  if (argv.length > 3) return wrongSubcommandArity('ACL', argv[1] ?? '')
  return logReply(state.access.log, argv[2], now.monoMs)
}

function whoAmI(_turn: Turn, client: Client): Reply {
  return bulk(client.account.name)
}

const FLAGS: readonly CommandFlag[] = ['noscript', 'loading', 'stale']
const ADMIN_FLAGS: readonly CommandFlag[] = ['admin', ...FLAGS]

type Name = readonly [name: string, arity: number, usage: string, since?: string]

function sub([name, arity, usage, since = '6.0.0']: Name, summary: string, run: Handler): Command {
  const spec = { name: `acl|${name}`, arity, group: 'server', since, usage, summary } as const
  return command({ ...spec, flags: FLAGS }, run)
}

function adminSub(name: Name, summary: string, run: Handler): Command {
  return { ...sub(name, summary, run), flags: ADMIN_FLAGS }
}

/** In the order of HELP. The table is asked for late, because ACL itself is in it. */
export function aclCommand(table: () => CommandTable): Command {
  return container(
    {
      name: 'acl',
      arity: -2,
      group: 'server',
      since: '6.0.0',
      flags: [],
      usage: '',
      summary: 'Say who may use this server, and for what.',
    },
    [
      sub(['cat', -2, '[<category>]'], 'The categories, or the commands of one.', categories),
      adminSub(['deluser', -3, '<username> [<username> ...]'], 'Delete users.', deleteUsers),
      adminSub(
        ['dryrun', -4, '<username> <command> [<arg> ...]', '7.0.0'],
        'Whether a user could give a command, which is not carried out.',
        dryRun(table),
      ),
      adminSub(['getuser', 3, '<username>'], 'What is known of a user.', showUser),
      sub(['genpass', -2, '[<bits>]'], 'A new password, of 256 bits or as many.', generatePassword),
      adminSub(['list', 2, ''], 'The users, as a configuration file has them.', list),
      adminSub(['load', 2, ''], 'Read the users from the ACL file again.', load),
      adminSub(['log', -2, '[<count> | RESET]'], 'Who was refused what, or forget it.', showLog),
      adminSub(['save', 2, ''], 'Write the users to the ACL file.', saveFile),
      adminSub(
        ['setuser', -3, '<username> <attribute> [<attribute> ...]'],
        'Create a user, or change one.',
        setUser,
      ),
      adminSub(['users', 2, ''], 'The names of the users.', names),
      sub(['whoami', 2, ''], 'The user this connection is.', whoAmI),
    ],
  )
}
