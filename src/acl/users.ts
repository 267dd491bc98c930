/**
 * All users. Connections hold on to a user's account, not to the user: when the user in it is
 * replaced, open connections follow.
 */

import { assert } from '../base/assert.ts'
import { cString } from '../base/c-string.ts'
import { sha256 } from '../base/sha256.ts'
import { describeUser } from './describe.ts'
import { faultText, isFault } from './fault.ts'
import { applyRule, mergeSelectors, type RuleBook } from './rules.ts'
import { admitsEverybody, hasBlanks, newUser, type User } from './user.ts'

export const DEFAULT_USER = 'default'

/** The rules of the default user, which every connection starts as, until they are changed. */
const DEFAULT_RULES: readonly string[] = ['+@all', '~*', '&*', 'on', 'nopass']

export interface Account {
  readonly name: string
  user: User
  /** The user may do everything: no permission has to be checked. */
  isUnrestricted: boolean
}

export type UsersByName = ReadonlyMap<string, User>

/** `error`: an error text without its code; nothing has changed in that case. */
export type AclOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: string }

export class Users {
  readonly book: RuleBook
  readonly default: Account
  readonly #byName = new Map<string, Account>()

  constructor(book: RuleBook) {
    this.book = book
    this.default = this.#add(DEFAULT_USER, defaultUser(book))
  }

  get(name: string): Account | undefined {
    return this.#byName.get(name)
  }

  /** Sorted by name, byte by byte. */
  get all(): readonly Account[] {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Whether new connections must authenticate. */
  get requiresAuth(): boolean {
    return !admitsEverybody(this.default.user)
  }

  /** ACL SETUSER: creates or changes the user; either all rules apply or none. */
  change(name: string, words: readonly string[]): AclOutcome<Account> {
    if (hasBlanks(name)) return failed("Usernames can't contain spaces or null characters")
    const merged = mergeSelectors(words)
    if (!merged.ok) {
      return failed(`Unmatched parenthesis in acl selector starting at '${merged.opening}'.`)
    }
    const known = this.get(name)
    let user = known?.user ?? newUser(this.book.channelDefault())
    for (const rule of merged.rules) {
      const next = applyRule(user, rule, this.book)
      if (isFault(next)) {
        return failed(`Error in ACL SETUSER modifier '${cString(rule)}': ${faultText(next)}`)
      }
      user = next
    }
    return { ok: true, value: this.put(name, user) }
  }

  /** Creates this user, or replaces the user in an existing account of that name. */
  put(name: string, user: User): Account {
    const account = this.get(name)
    if (account === undefined) return this.#add(name, user)
    account.user = user
    account.isUnrestricted = isUnrestricted(user, this.book)
    return account
  }

  /** Undefined if there was no user of that name. */
  remove(name: string): Account | undefined {
    assert(name !== DEFAULT_USER, 'the default user stays')
    const account = this.get(name)
    this.#byName.delete(name)
    return account
  }

  /** Replaces all users. Returns the accounts that were removed or changed. */
  replaceAll(users: UsersByName): readonly Account[] {
    const changed: Account[] = []
    for (const account of this.all) {
      const user = users.get(account.name)
      if (user === undefined && account !== this.default) this.remove(account.name)
      if (user === undefined || !this.#isSame(user, account.user)) changed.push(account)
    }
    this.put(DEFAULT_USER, users.get(DEFAULT_USER) ?? defaultUser(this.book))
    for (const [name, user] of users) this.put(name, user)
    return changed.filter((account) => account !== this.default)
  }

  /** [requirepass] Empty means that the default user needs no password. */
  setDefaultPassword(password: string): void {
    const { user } = this.default
    const hasNoPassword = password === ''
    const passwords = hasNoPassword ? [] : [sha256(password)]
    this.put(DEFAULT_USER, { ...user, hasNoPassword, passwords })
  }

  /** The words of the account's `user` line after the keyword, the name first. */
  describe(account: Account): readonly string[] {
    return [account.name, ...describeUser(account.user, this.book.catalogue)]
  }

  #add(name: string, user: User): Account {
    const account = { name, user, isUnrestricted: isUnrestricted(user, this.book) }
    this.#byName.set(name, account)
    return account
  }

  #isSame(one: User, other: User): boolean {
    const { catalogue } = this.book
    return describeUser(one, catalogue).join(' ') === describeUser(other, catalogue).join(' ')
  }
}

function isUnrestricted({ root }: User, { catalogue }: RuleBook): boolean {
  const hasEverything = root.commands.allowed.size === catalogue.all.length
  return hasEverything && root.keys === 'all' && root.channels === 'all'
}

export function defaultUser(book: RuleBook): User {
  return DEFAULT_RULES.reduce((user, rule) => {
    const next = applyRule(user, rule, book)
    assert(!isFault(next), 'the rules of the default user are sound')
    return next
  }, newUser('resetchannels'))
}

export function failed(error: string): { readonly ok: false; readonly error: string } {
  return { ok: false, error }
}
