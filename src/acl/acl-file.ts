/**
 * [aclfile] One `user` line per user and nothing else: ACL SAVE rewrites the whole file, in Redis and
 * here. A file with a mistake anywhere changes nothing.
 */
import { assert } from '../base/assert.ts'
import { faultText, isFault } from './fault.ts'
import { applyRule, mergeSelectors, type RuleBook } from './rules.ts'
import { hasBlanks, newUser, type User } from './user.ts'
import { type AclOutcome, failed, type Users, type UsersByName } from './users.ts'

export const NO_ACL_FILE =
  'ERR This Redis instance is not configured to use an ACL file. You may want to specify users via ' +
  'the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration ' +
  'file set) in order to store users in the Redis configuration.'

export const CANNOT_SAVE =
  'ERR There was an error trying to save the ACLs. Please check the server logs for more information'

const NOTHING_CHANGED =
  'WARNING: ACL errors detected, no change to the previously active ACL rules was performed'

/** `name` is what Redis' texts call the file; they list all its mistakes in one line. */
export function parseAclFile(text: string, name: string, book: RuleBook): AclOutcome<UsersByName> {
  const users = new Map<string, User>()
  const errors: string[] = []
  for (const [index, raw] of text.split('\n').entries()) {
    const line = trimmed(raw)
    if (line === '') continue
    errors.push(...readLine(users, line.split(' '), `${name}:${index + 1}`, index + 1, book))
  }
  if (errors.length === 0) return { ok: true, value: users }
  return failed(`${errors.join('')}${NOTHING_CHANGED}`)
}

function readLine(
  users: Map<string, User>,
  [keyword, name, ...words]: readonly string[],
  place: string,
  lineNumber: number,
  book: RuleBook,
): readonly string[] {
  if (keyword !== 'user' || name === undefined) {
    return [`${place} should start with user keyword followed by the username. `]
  }
  if (hasBlanks(name)) return [`'${place}: username '${name}' contains invalid characters. `]
  if (users.has(name)) return [`WARNING: Duplicate user '${name}' found on line ${lineNumber}. `]
  const { user, errors } = readRules(words, place, book)
  users.set(name, user)
  return errors
}

interface ReadRules {
  readonly user: User
  readonly errors: readonly string[]
}

/** Lists every unknown name, but only one of all other mistakes, because more may follow from it. */
function readRules(words: readonly string[], place: string, book: RuleBook): ReadRules {
  let user = newUser(book.channelDefault())
  const merged = mergeSelectors(words)
  if (!merged.ok)
    return { user, errors: [`${place}: Unmatched parenthesis in selector definition.`] }
  const errors: string[] = []
  let isBroken = false
  for (const rule of merged.rules.map(trimmed)) {
    const next = applyRule(user, rule, book)
    if (!isFault(next)) {
      user = next
    } else if (next === 'unknown') {
      errors.push(`${place}: Error in applying operation '${rule}': ${faultText(next)}. `)
    } else if (!isBroken) {
      errors.push(`${place}: ${faultText(next)}. `)
      isBroken = true
    }
  }
  return { user, errors }
}

function trimmed(text: string): string {
  return text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
}

export function openingFailed(name: string, reason: string): string {
  return `ERR Error loading ACLs, opening file '${name}': ${reason}`
}

/** Why a start with this file fails; undefined if it does not. */
export function checkAclFile(text: string, name: string, book: RuleBook): string | undefined {
  const parsed = parseAclFile(text, name, book)
  return parsed.ok ? undefined : `Aborting Redis startup because of ACL errors: ${parsed.error}`
}

/** The users of a file that was checked before the start. */
export function usersOfAclFile(
  { text, path }: { readonly text: string; readonly path: string },
  book: RuleBook,
): UsersByName {
  const parsed = parseAclFile(text, path, book)
  assert(parsed.ok, 'an aclfile is checked before the start')
  return parsed.value
}

export function formatAclFile(users: Users): string {
  return userLines(users)
    .map((line) => `${line}\n`)
    .join('')
}

/** The lines that ACL LIST shows. */
export function userLines(users: Users): readonly string[] {
  return users.all.map((account) => `user ${users.describe(account).join(' ')}`)
}
