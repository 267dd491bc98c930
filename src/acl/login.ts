/** AUTH: which user a name and a password belong to. */
import { sha256 } from '../base/sha256.ts'
import type { Account, Users } from './users.ts'

/** Any client may send AUTH, and hashing takes time: a longer password than this is refused unhashed. */
const MAX_PASSWORD_BYTES = 64 * 1024

/**
 * Undefined if there is no such user, the user is switched off, or the password is wrong. The client is
 * not told which.
 */
export function login(users: Users, name: string, password: string): Account | undefined {
  if (password.length > MAX_PASSWORD_BYTES) return undefined
  // Computed for unknown names too, or the time it takes would reveal which names exist.
  const hash = sha256(password)
  const account = users.get(name)
  if (account?.user.isOn !== true) return undefined
  const { hasNoPassword, passwords } = account.user
  let isRight = hasNoPassword
  for (const one of passwords) isRight = isSameHash(hash, one) || isRight
  return isRight ? account : undefined
}

/** Takes as long for a wrong first character as for a wrong last one, so that timing reveals nothing. */
function isSameHash(given: string, right: string): boolean {
  let difference = given.length ^ right.length
  for (let at = 0; at < given.length; at++) {
    difference |= given.charCodeAt(at) ^ right.charCodeAt(at)
  }
  return difference === 0
}
