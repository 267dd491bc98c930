/**
 * ACL, as far as it is about users and not about their connections: its queries, and its changes up
 * to the accounts they touch. The program decides which clients that disconnects and what is saved.
 */
import { parseAclFile, userLines } from '../acl/acl-file.ts'
import { CATEGORIES, type Catalogue } from '../acl/catalogue.ts'
import { type AclRequest, denial } from '../acl/check.ts'
import { dryRunText } from '../acl/denial-texts.ts'
import { describeChannels, describeCommands, describeKeys, flagsOf } from '../acl/describe.ts'
import type { AclLog } from '../acl/log.ts'
import type { PasswordSource } from '../acl/passwords.ts'
import type { Selector } from '../acl/user.ts'
import { type Account, DEFAULT_USER, type Users } from '../acl/users.ts'
import { cString } from '../base/c-string.ts'
import { parseInt64 } from '../base/decimal.ts'
import { array, bulk, bulks, error, NULL, OK, type Reply } from '../resp/reply.ts'
import type { SessionClient } from './client.ts'
import { fitsArity, replyMap } from './commands.ts'
import { NOT_AN_INTEGER, wrongArity, wrongSubcommandArity } from './errors.ts'

/** The facts that answer the queries. */
export interface AclFacts {
  readonly users: Users
  readonly log: AclLog
  readonly passwords: PasswordSource
  /** The client that asks. */
  readonly client: SessionClient
  /** Monotonic. */
  readonly nowMs: number
}

/** Redis' printf shows no more of a name than this. */
const SHOWN_BYTES = 128

/** ACL WHOAMI */
export function whoAmI({ client }: AclFacts): Reply {
  return bulk(client.account?.name ?? DEFAULT_USER)
}

/** ACL LIST */
export function listUsers({ users }: AclFacts): Reply {
  return bulks(userLines(users))
}

/** ACL USERS */
export function listNames({ users }: AclFacts): Reply {
  return bulks(users.all.map(({ name }) => name))
}

/** ACL GETUSER */
export function showUser({ users }: AclFacts, [, , name = '']: readonly string[]): Reply {
  const account = users.get(name)
  if (account === undefined) return NULL
  const { user } = account
  const { catalogue } = users.book
  return replyMap([
    ['flags', { kind: 'set', items: flagsOf(user).map(bulk) }],
    ['passwords', bulks(user.passwords)],
    ...selectorFields(user.root, catalogue),
    ['selectors', array(user.selectors.map((one) => replyMap(selectorFields(one, catalogue))))],
  ])
}

type Field = readonly [name: string, value: Reply]

function selectorFields(selector: Selector, catalogue: Catalogue): readonly Field[] {
  return [
    ['commands', bulk(describeCommands(selector.commands, catalogue).join(' '))],
    ['keys', bulk(describeKeys(selector).join(' '))],
    ['channels', bulk(describeChannels(selector).join(' '))],
  ]
}

/** ACL CAT, of all categories or of one. */
export function showCategories({ users }: AclFacts, argv: readonly string[]): Reply {
  const [, , category, ...rest] = argv
  if (rest.length > 0) return wrongSubcommandArity('ACL', argv[1] ?? '')
  if (category === undefined) return bulks(CATEGORIES)
  const commands = users.book.catalogue.inCategory(category)
  if (commands === undefined) {
    return error(`ERR Unknown category '${cString(category).slice(0, SHOWN_BYTES)}'`)
  }
  return bulks(commands.map(({ name }) => name))
}

/** ACL LOG, with its optional argument: a count, or RESET. */
export function showLog({ log, nowMs }: AclFacts, argv: readonly string[]): Reply {
  const [, , word, ...rest] = argv
  if (rest.length > 0) return wrongSubcommandArity('ACL', argv[1] ?? '')
  if (word?.toLowerCase() === 'reset') {
    log.reset()
    return OK
  }
  const count = word === undefined ? 10 : parseInt64(word)
  return count === undefined ? NOT_AN_INTEGER : log.reply(Number(count), nowMs)
}

const MAX_BITS = 4096

/** ACL GENPASS */
export function generatePassword({ passwords }: AclFacts, argv: readonly string[]): Reply {
  if (argv.length > 3) return wrongSubcommandArity('ACL', argv[1] ?? '')
  const length = passwordLength(argv[2])
  return typeof length === 'number' ? bulk(passwords.draw(length)) : length
}

/** How many characters hold that many bits; a reply if the number is not valid. */
export function passwordLength(word: string | undefined): number | Reply {
  const bits = word === undefined ? 256 : parseInt64(word)
  if (bits === undefined) return NOT_AN_INTEGER
  if (bits <= 0 || bits > MAX_BITS) {
    return error(
      'ERR ACL GENPASS argument must be the number of bits for the output password, a positive ' +
        `number up to ${MAX_BITS}`,
    )
  }
  return Math.floor((Number(bits) + 3) / 4)
}

/** A command that ACL DRYRUN tries. */
export interface TriedCommand {
  readonly arity: number
  readonly request: AclRequest
}

/** ACL DRYRUN. The words behind the user's name are a command, which is checked but not run. */
export function dryRun(
  users: Users,
  [, , name = '', ...words]: readonly string[],
  tried: TriedCommand | undefined,
): Reply {
  const account = users.get(name)
  if (account === undefined) return error(`ERR User '${cString(name)}' not found`)
  if (tried === undefined) return error(`ERR Command '${cString(words[0] ?? '')}' not found`)
  const { arity, request } = tried
  if (!fitsArity(arity, words.length)) return wrongArity(request.name)
  const denied = denial(account.user, request)
  return denied === undefined ? OK : bulk(dryRunText(denied, request))
}

/** ACL SETUSER. Returns the account, which may be new. */
export function changeUser(
  users: Users,
  [, , name = '', ...rules]: readonly string[],
): Account | Reply {
  const changed = users.change(name, rules)
  return changed.ok ? changed.value : error(`ERR ${changed.error}`)
}

/** ACL DELUSER. Returns the accounts that were removed. */
export function removeUsers(
  users: Users,
  [, , ...names]: readonly string[],
): readonly Account[] | Reply {
  if (names.includes(DEFAULT_USER)) {
    return error(`ERR The '${DEFAULT_USER}' user cannot be removed`)
  }
  return names.flatMap((name) => users.remove(name) ?? [])
}

/** ACL LOAD: all of the file or nothing. Returns the accounts that are gone or have changed. */
export function loadUsers(users: Users, text: string, path: string): readonly Account[] | Reply {
  const parsed = parseAclFile(text, path, users.book)
  return parsed.ok ? users.replaceAll(parsed.value) : error(`ERR ${parsed.error}`)
}

/** The help text of each subcommand, in the order of HELP. */
export const ACL_TEXTS = {
  cat: ['[<category>]', 'The categories, or the commands of one.'],
  deluser: ['<username> [<username> ...]', 'Delete users.'],
  dryrun: [
    '<username> <command> [<arg> ...]',
    'Whether a user could give a command, which is not carried out.',
  ],
  getuser: ['<username>', 'What is known of a user.'],
  genpass: ['[<bits>]', 'A new password, of 256 bits or as many.'],
  list: ['', 'The users, as a configuration file has them.'],
  load: ['', 'Read the users from the ACL file again.'],
  log: ['[<count> | RESET]', 'Who was refused what, or forget it.'],
  save: ['', 'Write the users to the ACL file.'],
  setuser: ['<username> <attribute> [<attribute> ...]', 'Create a user, or change one.'],
  users: ['', 'The names of the users.'],
  whoami: ['', 'The user this connection is.'],
} as const satisfies Readonly<Record<string, readonly [usage: string, summary: string]>>
