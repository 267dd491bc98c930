/** The replies of ACL that are the same wherever there are users. */
import { cString } from '../base/c-string.ts'
import { parseInt64 } from '../base/decimal.ts'
import { array, bulk, bulks, error, NULL, OK, type Reply } from '../resp/reply.ts'
import { userLines } from './acl-file.ts'
import { CATEGORIES, type Catalogue } from './catalogue.ts'
import { type AclRequest, denial } from './check.ts'
import { describeChannels, describeCommands, describeKeys, flagsOf } from './describe.ts'
import type { AclLog } from './log.ts'
import { dryRunText } from './refusal-texts.ts'
import type { Selector } from './user.ts'
import { type Account, DEFAULT_USER, type Users } from './users.ts'

export const DEFAULT_STAYS = error(`ERR The '${DEFAULT_USER}' user cannot be removed`)
const NOT_AN_INTEGER = error('ERR value is not an integer or out of range')
/** Redis' printf: no more of a name is repeated. */
const SHOWN_BYTES = 128

/** ACL LIST */
export function listReply(users: Users): Reply {
  return bulks(userLines(users))
}

/** ACL USERS */
export function namesReply(users: Users): Reply {
  return bulks(users.all.map(({ name }) => name))
}

/** ACL GETUSER */
export function userReply(users: Users, name: string): Reply {
  const account = users.get(name)
  if (account === undefined) return NULL
  const { user } = account
  const { catalogue } = users.book
  return map([
    ['flags', { kind: 'set', items: flagsOf(user).map(bulk) }],
    ['passwords', bulks(user.passwords)],
    ...selectorFields(user.root, catalogue),
    ['selectors', array(user.selectors.map((one) => map(selectorFields(one, catalogue))))],
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

function map(fields: readonly Field[]): Reply {
  return { kind: 'map', entries: fields.map(([name, value]) => [bulk(name), value] as const) }
}

/** ACL CAT, of all categories or of one. */
export function categoriesReply(catalogue: Catalogue, category: string | undefined): Reply {
  if (category === undefined) return bulks(CATEGORIES)
  const commands = catalogue.inCategory(category)
  if (commands === undefined) {
    return error(`ERR Unknown category '${cString(category).slice(0, SHOWN_BYTES)}'`)
  }
  return bulks(commands.filter((one) => one.isAbsent !== true).map(({ name }) => name))
}

/** ACL LOG, with what stands behind it: nothing, a count, or RESET. */
export function logReply(log: AclLog, word: string | undefined, nowMs: number): Reply {
  if (word?.toLowerCase() === 'reset') {
    log.reset()
    return OK
  }
  const count = word === undefined ? 10 : parseInt64(word)
  return count === undefined ? NOT_AN_INTEGER : log.reply(Number(count), nowMs)
}

const MAX_BITS = 4096

/** ACL GENPASS: how many characters; a reply where that is no sensible question. */
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

/** ACL DRYRUN of a command that is known and complete. */
export function dryRunReply({ user }: Account, request: AclRequest): Reply {
  const denied = denial(user, request)
  return denied === undefined ? OK : bulk(dryRunText(denied, request))
}

export function noSuchUser(name: string): Reply {
  return error(`ERR User '${cString(name)}' not found`)
}

export function noSuchCommand(name: string): Reply {
  return error(`ERR Command '${cString(name)}' not found`)
}
