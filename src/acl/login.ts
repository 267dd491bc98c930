/** Who comes in with which password. */
import { sha256 } from '../base/sha256.ts'
import type { Account, Users } from './users.ts'

/** AUTH is for everybody, and hashing takes time: with a longer password than this nobody comes in. */
const MAX_PASSWORD_BYTES = 64 * 1024

/** Undefined: no such user, he is switched off, or the password is wrong. Which of them is not told. */
export function login(users: Users, name: string, password: string): Account | undefined {
  if (password.length > MAX_PASSWORD_BYTES) return undefined
  // Also computed for names that are not there, or the time it takes would tell.
  const hash = sha256(password)
  const account = users.get(name)
  if (account?.user.isOn !== true) return undefined
  const { hasNoPassword, passwords } = account.user
  let isRight = hasNoPassword
  for (const one of passwords) isRight = isSameHash(hash, one) || isRight
  return isRight ? account : undefined
}

/** Takes as long for a wrong first character as for a wrong last one, so that time tells nothing. */
function isSameHash(given: string, right: string): boolean {
  let difference = given.length ^ right.length
  for (let at = 0; at < given.length; at++) {
    difference |= given.charCodeAt(at) ^ right.charCodeAt(at)
  }
  return difference === 0
}
