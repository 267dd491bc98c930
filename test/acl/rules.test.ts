import { describe, expect, test } from 'vitest'
import { Users } from '../../src/acl/users.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { BOOK, lineOf, userOf, usersWith } from './support.ts'

const HASH = sha256('secret')

const LINES: readonly (readonly [rules: string, line: string])[] = [
  ['on', 'on resetchannels -@all'],
  ['ON nopass', 'on nopass resetchannels -@all'],
  ['>secret', `off #${HASH} resetchannels -@all`],
  ['>secret >secret', `off #${HASH} resetchannels -@all`],
  ['nopass >secret', `off #${HASH} resetchannels -@all`],
  ['>secret nopass', 'off nopass resetchannels -@all'],
  [`#${HASH} <secret`, 'off resetchannels -@all'],
  ['~a ~a %R~b %W~b %R~c', 'off ~a ~b %R~c resetchannels -@all'],
  ['~a allkeys', 'off ~* resetchannels -@all'],
  ['&a &b &a', 'off resetchannels &a &b -@all'],
  ['allchannels', 'off &* -@all'],
  ['alldbs +get', 'off resetchannels -@all +get'],
  ['+get', 'off resetchannels -@all +get'],
  ['+@read', 'off resetchannels -@all +@read'],
  ['+@all -@read', 'off resetchannels +@all -@read'],
  ['+@all -get', 'off resetchannels +@all -get'],
  ['+config|get', 'off resetchannels -@all +config|get'],
  ['+config -config|set', 'off resetchannels -@all +config -config|set'],
  ['+select|0 +select|1', 'off resetchannels -@all +select|0 +select|1'],
  ['+select|0 +select', 'off resetchannels -@all +select'],
  ['+select|0 -@connection', 'off resetchannels -@all'],
  ['(+get ~a)', 'off resetchannels -@all (~a resetchannels -@all +get)'],
  ['(+get) clearselectors', 'off resetchannels -@all'],
  ['on >x ~a &a +get (+set) reset', 'off sanitize-payload resetchannels -@all'],
]

describe('a user of rules is shown again as Redis shows him', () => {
  test.each(LINES)('%s', (rules, line) => expect(lineOf(rules)).toBe(line))

  test.each(LINES)('%s, and what is shown makes the same user', (rules) => {
    const line = lineOf(rules)
    expect(lineOf(line)).toBe(line)
  })
})

test('a rule that is wrong leaves the user as he was', () => {
  const users = usersWith('on +get')
  const before = users.get('u')?.user
  expect(users.change('u', ['+set', 'off', 'nonsense'])).toEqual({
    ok: false,
    error: "Error in ACL SETUSER modifier 'nonsense': Syntax error",
  })
  expect(users.get('u')?.user).toBe(before)
  expect(users.change('new', ['nonsense']).ok).toBe(false)
  expect(users.get('new')).toBeUndefined()
})

test('the default user may do everything, and nobody else until he is told', () => {
  const users = new Users(BOOK)
  expect(users.describe(users.default).join(' ')).toBe('default on nopass ~* &* +@all')
  expect(users.default.isUnrestricted).toBe(true)
  expect(usersWith('on').get('u')?.isUnrestricted).toBe(false)
  expect(usersWith('+@all ~* &*').get('u')?.isUnrestricted).toBe(true)
  expect(usersWith('+@all ~* &* -get').get('u')?.isUnrestricted).toBe(false)
  expect(usersWith('+@all ~a &*').get('u')?.isUnrestricted).toBe(false)
})

test('an account keeps its place when its user changes, so that open connections change with him', () => {
  const users = usersWith('on +get')
  const account = users.get('u')
  users.change('u', ['-get'])
  expect(users.get('u')).toBe(account)
  expect(account?.user.root.commands.allowed.size).toBe(0)
})

test('acl-pubsub-default decides on the channels of new users and new selectors', () => {
  const users = new Users({ ...BOOK, channelDefault: () => 'allchannels' })
  users.change('u', ['(+get)'])
  const account = users.get('u')
  expect(account && users.describe(account).join(' ')).toBe('u off &* -@all (&* -@all +get)')
})

test('a password is never kept, only its hash', () => {
  expect(JSON.stringify(userOf('on >hunter2 (+get)'))).not.toContain('hunter2')
})

test('requirepass replaces the passwords of the default user and changes nothing else', () => {
  const users = new Users(BOOK)
  users.change('default', ['>old', '-set'])
  users.setDefaultPassword('secret')
  expect(users.describe(users.default).join(' ')).toBe(`default on #${HASH} ~* &* +@all -set`)
  users.setDefaultPassword('')
  expect(users.requiresAuth).toBe(false)
})

test('users are listed by name, byte by byte', () => {
  const users = new Users(BOOK)
  for (const name of ['b', 'B', 'a', 'é']) users.change(name, [])
  expect(users.all.map(({ name }) => name)).toEqual(['B', 'a', 'b', 'default', 'é'])
})
