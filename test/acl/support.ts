/** A small catalogue, and users of it. */
import { Catalogue } from '../../src/acl/catalogue.ts'
import type { RuleBook } from '../../src/acl/rules.ts'
import type { User } from '../../src/acl/user.ts'
import { Users } from '../../src/acl/users.ts'

function command(name: string, categories: string, subcommands: readonly string[] = []) {
  return {
    name,
    categories: categories.split(' '),
    subcommands: subcommands.map((sub) => ({
      name: `${name}|${sub}`,
      categories: ['@slow', '@admin', '@dangerous'],
      subcommands: [],
    })),
  }
}

export const CATALOGUE = new Catalogue([
  command('get', '@read @string @fast'),
  command('strlen', '@read @string @fast'),
  command('set', '@write @string @slow'),
  command('del', '@keyspace @write @slow'),
  command('publish', '@pubsub @fast'),
  command('subscribe', '@pubsub @slow'),
  command('select', '@fast @connection'),
  command('echo', '@fast @connection'),
  command('config', '@slow', ['get', 'set']),
])

export const BOOK: RuleBook = { catalogue: CATALOGUE, channelDefault: () => 'resetchannels' }

/** A registry with one user `u` of these rules. Throws where they are wrong. */
export function usersWith(rules: string): Users {
  const users = new Users(BOOK)
  const changed = users.change('u', rules.split(' '))
  if (!changed.ok) throw new Error(changed.error)
  return users
}

export function userOf(rules: string): User {
  const account = usersWith(rules).get('u')
  if (account === undefined) throw new Error('no user')
  return account.user
}

/** The user's line without its first word. */
export function lineOf(rules: string): string {
  const users = usersWith(rules)
  const account = users.get('u')
  return account === undefined ? '' : users.describe(account).slice(1).join(' ')
}
