/** The `user` lines of a configuration file: they are checked before the start, and make the users. */
import { assert } from '../base/assert.ts'
import { sha256 } from '../base/sha256.ts'
import { faultText, isFault, type RuleFault } from './fault.ts'
import { applyRule, mergeSelectors, type RuleBook } from './rules.ts'
import { hasBlanks, newUser, type User } from './user.ts'
import { DEFAULT_USER, defaultUser } from './users.ts'

/** The words of a `user` line after the keyword, the name first. */
export type UserLine = readonly string[]

export const USERS_AND_ACL_FILE =
  'Configuring Redis with users defined in redis.conf and at the same setting an ACL file path is ' +
  'invalid. This setup is very likely to lead to configuration errors and security holes, please ' +
  'define either an ACL file or declare users directly in your redis.conf, but not both.'

/**
 * Why these lines, in the order of the file, define no valid users, in Redis' words; undefined if they
 * do.
 */
export function checkUserLines(lines: readonly UserLine[], book: RuleBook): string | undefined {
  const seen = new Set<string>()
  for (const line of lines) {
    const [name = ''] = line
    const problem = checkUserLine(line, book)
    if (problem !== undefined) return problem
    if (seen.has(name)) return declarationFault(name, DUPLICATE)
    seen.add(name)
  }
  return undefined
}

const DUPLICATE = 'Duplicate user found. A user can only be defined once in config files'

function checkUserLine([name = '', ...words]: UserLine, book: RuleBook): string | undefined {
  if (name === '' || hasBlanks(name)) return 'Spaces not allowed in ACL usernames'
  const merged = mergeSelectors(words)
  if (!merged.ok) return declarationFault(merged.opening, 'Unmatched parenthesis in acl selector')
  const { fault, rule } = applyAll(newUser(book.channelDefault()), merged.rules, book)
  if (fault === undefined) return undefined
  if (fault !== 'unknown') return declarationFault(withoutSecret(rule), faultText(fault))
  return `Error loading ACL rule '${rule}' for the user named '${name}': ${faultText(fault)}`
}

function declarationFault(word: string, reason: string): string {
  return `Error in user declaration '${word}': ${reason}`
}

/** The text goes into a log, so passwords and hashes are cut off. */
function withoutSecret(rule: string): string {
  return '<>#!'.includes(rule.charAt(0)) ? `${rule.charAt(0)}…` : rule
}

interface Applied {
  readonly user: User
  readonly fault: RuleFault | undefined
  /** The rule at fault. */
  readonly rule: string
}

function applyAll(start: User, rules: readonly string[], book: RuleBook): Applied {
  let user = start
  for (const rule of rules) {
    const next = applyRule(user, rule, book)
    if (isFault(next)) return { user, fault: next, rule }
    user = next
  }
  return { user, fault: undefined, rule: '' }
}

/**
 * The user that a line defines; undefined if the line is invalid, as one saved by another version may
 * be.
 */
export function readUserLine([, ...words]: UserLine, book: RuleBook): User | undefined {
  const merged = mergeSelectors(words)
  if (!merged.ok) return undefined
  const { user, fault } = applyAll(newUser(book.channelDefault()), merged.rules, book)
  return fault === undefined ? user : undefined
}

/**
 * The users of a configuration file in one form: passwords are hashes, and the default user has a
 * line of its own, which [requirepass] fills unless the file has such a line.
 */
export function baselineLines(lines: readonly UserLine[], requirepass: string): UserLine[] {
  const hashed = lines.map((line) => line.map(hashedWord))
  if (lines.some(([name]) => name === DEFAULT_USER)) return hashed
  const password = requirepass === '' ? 'nopass' : `#${sha256(requirepass)}`
  return [[DEFAULT_USER, 'on', password, '~*', '&*', '+@all'], ...hashed]
}

function hashedWord(word: string, at: number): string {
  return at > 0 && word.startsWith('>') ? `#${sha256(word.slice(1))}` : word
}

/** The users that valid lines define. */
export function usersOfLines(lines: readonly UserLine[], book: RuleBook): Map<string, User> {
  const users = new Map([[DEFAULT_USER, defaultUser(book)]])
  for (const line of lines) {
    const [name = ''] = line
    const user = readUserLine(line, book)
    assert(user !== undefined, 'user lines are checked before the start')
    users.set(name, user)
  }
  return users
}
