import { describe, expect, test } from 'vitest'
import { checkAclFile, formatAclFile, parseAclFile } from '../../src/acl/acl-file.ts'
import { baselineLines, checkUserLines, usersOfLines } from '../../src/acl/user-lines.ts'
import { Users } from '../../src/acl/users.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { BOOK, usersWith } from './support.ts'

const NO_CHANGE =
  'WARNING: ACL errors detected, no change to the previously active ACL rules was performed'

const BROKEN: readonly (readonly [text: string, error: string])[] = [
  ['user a foo', 'f:1: Syntax error. '],
  ['user a foo bar', 'f:1: Syntax error. '],
  [
    '\nuser a +foo bar +baz',
    "f:2: Error in applying operation '+foo': Unknown command or category name in ACL. " +
      'f:2: Syntax error. ' +
      "f:2: Error in applying operation '+baz': Unknown command or category name in ACL. ",
  ],
  ['user a on\nuser a on', "WARNING: Duplicate user 'a' found on line 2. "],
  ['# a comment', 'f:1 should start with user keyword followed by the username. '],
  ['user', 'f:1 should start with user keyword followed by the username. '],
  ['user a\tb on', "'f:1: username 'a\tb' contains invalid characters. "],
  ['user a (+get ~b', 'f:1: Unmatched parenthesis in selector definition.'],
]

describe('an aclfile with a mistake changes nothing, and all mistakes are told', () => {
  test.each(BROKEN)('%j', (text, error) => {
    expect(parseAclFile(text, 'f', BOOK)).toEqual({ ok: false, error: `${error}${NO_CHANGE}` })
  })
})

test('blank lines, blanks around lines and more than one between words are nothing', () => {
  const parsed = parseAclFile('\n  \t\nuser a  on\n \tuser b  on \t +get\r\n\n', 'f', BOOK)
  expect(parsed.ok && [...parsed.value.keys()]).toEqual(['a', 'b'])
})

test('what is written reads back as the same users', () => {
  const users = usersWith('on >a >b ~k &c +@all -get (+get %R~x)')
  const text = formatAclFile(users)
  const parsed = parseAclFile(text, 'f', BOOK)
  const again = new Users(BOOK)
  if (parsed.ok) again.replaceAll(parsed.value)
  expect(formatAclFile(again)).toBe(text)
  expect(text).toMatch(/^user default on nopass ~\* &\* \+@all\nuser u on #/)
})

test('loading tells whose connections are to be closed: those gone or changed, never the default', () => {
  const users = new Users(BOOK)
  for (const name of ['gone', 'same', 'other']) users.change(name, ['on', '+get'])
  const parsed = parseAclFile('user same on +get\nuser other on +set\nuser new on', 'f', BOOK)
  if (!parsed.ok) throw new Error(parsed.error)
  const changed = users.replaceAll(parsed.value)
  expect(changed.map(({ name }) => name)).toEqual(['gone', 'other'])
  expect(users.all.map(({ name }) => name)).toEqual(['default', 'new', 'other', 'same'])
})

test('a file without a default user opens the server to everybody, as in Redis', () => {
  const users = new Users(BOOK)
  users.setDefaultPassword('secret')
  users.replaceAll(new Map())
  expect(users.requiresAuth).toBe(false)
})

test('the start is told why it fails', () => {
  expect(checkAclFile('user a on', 'f', BOOK)).toBeUndefined()
  expect(checkAclFile('x', 'f', BOOK)).toMatch(
    /^Aborting Redis startup because of ACL errors: f:1 /,
  )
})

const LINES: readonly (readonly [line: string, fault: string | undefined])[] = [
  ['a on +get', undefined],
  ['a on (+get ~b)', undefined],
  ['a foo', "Error in user declaration 'foo': Syntax error"],
  [
    'a +foo',
    "Error loading ACL rule '+foo' for the user named 'a': Unknown command or category name in ACL",
  ],
  ['a (+get', "Error in user declaration '(+get': Unmatched parenthesis in acl selector"],
]

describe('user lines of a configuration file', () => {
  test.each(LINES)('%s', (line, fault) => {
    expect(checkUserLines([line.split(' ')], BOOK)).toBe(fault)
  })

  test('a user who is there twice is a mistake', () => {
    const lines = [
      ['a', 'on'],
      ['a', 'off'],
    ]
    expect(checkUserLines(lines, BOOK)).toBe(
      "Error in user declaration 'a': Duplicate user found. A user can only be defined once in config files",
    )
  })

  test('a hash that is too short is not repeated in the text, because it goes to the log', () => {
    expect(checkUserLines([['a', '#secret']], BOOK)).not.toContain('secret')
  })

  test('requirepass counts unless the file has a default user', () => {
    expect(baselineLines([], '')[0]).toEqual(['default', 'on', 'nopass', '~*', '&*', '+@all'])
    expect(baselineLines([], 'pw')[0]?.[2]).toBe(`#${sha256('pw')}`)
    const lines = [['default', 'on', '>other']]
    expect(baselineLines(lines, 'pw')).toEqual([['default', 'on', `#${sha256('other')}`]])
  })

  test('a default user in the file begins with no rights at all', () => {
    const users = new Users(BOOK)
    users.replaceAll(usersOfLines([['default', 'on', 'nopass', '+get']], BOOK))
    expect(users.describe(users.default).join(' ')).toBe(
      'default on nopass resetchannels -@all +get',
    )
  })
})
