import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/base/sha256.ts'
import type { NodeAclFile } from '../../../src/server/access/access.ts'
import { checkNodeUsers } from '../../../src/server/access/access-start.ts'
import { Settings } from '../../../src/server/settings/settings.ts'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'

const NO_KEY =
  '-NOPERM this user has no permissions to access one of the keys used as arguments\r\n'
const NO_CHANNEL =
  '-NOPERM this user has no permissions to access one of the channels used as arguments\r\n'

function noPermission(command: string): string {
  return `-NOPERM this user has no permissions to run the '${command}' command\r\n`
}

function ask(client: TestClient, line: string): string {
  return client.send(...line.split(' '))
}

/** A connection of a new user with these rules. */
function connectAs(harness: NodeHarness, rules: string, name = 'u'): TestClient {
  ask(harness.client(), `ACL SETUSER ${name} on nopass ${rules}`)
  const client = harness.client()
  expect(ask(client, `AUTH ${name} x`)).toBe('+OK\r\n')
  return client
}

const KEYS: readonly (readonly [rules: string, command: string, isAllowed: boolean])[] = [
  ['~a*', 'GET abc', true],
  ['~a*', 'GET b', false],
  ['~a*', 'MGET a1 b', false],
  ['~a*', 'MSET a1 1 a2 b', true],
  ['%R~a', 'GET a', true],
  ['%R~a', 'SET a 1', false],
  ['%W~a', 'SET a 1', true],
  ['%W~a', 'SET a 1 GET', false],
  ['%W~a', 'SET a 1 EX 10', true],
  ['%W~a', 'GET a', false],
  ['%W~a', 'DEL a', true],
  ['%W~a', 'INCR a', false],
  ['%W~a', 'EXISTS a', true],
  ['%R~a %W~b', 'RENAME a b', false],
  ['~a %W~b', 'RENAME a b', true],
  ['%R~a %W~b', 'COPY a b', true],
  ['%R~a %W~b', 'COPY b a', false],
  ['~a', 'LMPOP 1 a LEFT', true],
  ['~a', 'LMPOP 2 a b LEFT', false],
  ['~a', 'BLPOP a b 0.01', false],
  ['~a', 'OBJECT ENCODING b', false],
  ['~a', 'PING', true],
  ['~a', 'KEYS *', true],
]

describe('keys a user may use', () => {
  test.each(KEYS)('with %s, %s is allowed: %s', (rules, command, isAllowed) => {
    const client = connectAs(new NodeHarness(), `+@all ${rules}`)
    expect(ask(client, command) !== NO_KEY).toBe(isAllowed)
  })
})

test('channels are checked when they are listened to and spoken on, not when they are left', () => {
  const client = connectAs(new NodeHarness(), '+@all &a*')
  ask(client, 'HELLO 3')
  expect(ask(client, 'PUBLISH b x')).toBe(NO_CHANNEL)
  expect(ask(client, 'SPUBLISH b x')).toBe(NO_CHANNEL)
  expect(ask(client, 'SUBSCRIBE a1 b')).toBe(NO_CHANNEL)
  expect(ask(client, 'SSUBSCRIBE b')).toBe(NO_CHANNEL)
  expect(ask(client, 'PSUBSCRIBE a1*')).toBe(NO_CHANNEL)
  expect(ask(client, 'PSUBSCRIBE a*')).toMatch(/^>3/)
  expect(ask(client, 'UNSUBSCRIBE b')).toMatch(/^>3/)
})

test('a refusal inside MULTI discards the transaction', () => {
  const harness = new NodeHarness()
  const client = connectAs(harness, '+@all -get ~a')
  ask(client, 'MULTI')
  expect(ask(client, 'SET a 1')).toBe('+QUEUED\r\n')
  expect(ask(client, 'GET a')).toBe(noPermission('get'))
  expect(ask(client, 'EXEC')).toBe(
    '-EXECABORT Transaction discarded because of previous errors.\r\n',
  )
  expect(ask(harness.client(), 'GET a')).toBe('$-1\r\n')
})

test('rules that changed since are asked again by EXEC, command by command', () => {
  const harness = new NodeHarness()
  const client = connectAs(harness, '+@all ~*')
  for (const line of ['MULTI', 'SET a 1', 'SET b 2', 'GET a']) ask(client, line)
  ask(harness.client(), 'ACL SETUSER u resetkeys ~b')
  const [set, also, get] = ask(client, 'EXEC').split('\r\n').slice(1)
  expect(set).toMatch(/^-NOPERM ACLs rules changed .*: no permission to touch the specified keys$/)
  expect(also).toBe('+OK')
  expect(get).toBe(set)
})

test('EXEC that is not allowed ends the transaction', () => {
  const client = connectAs(new NodeHarness(), '+multi +ping')
  ask(client, 'MULTI')
  expect(ask(client, 'EXEC')).toMatch(/^-EXECABORT Transaction discarded because of: NOPERM/)
  expect(ask(client, 'PING')).toBe('+PONG\r\n')
})

test('commands that this server refuses to everybody can be allowed, and are kept', () => {
  const harness = new NodeHarness()
  const client = connectAs(harness, '+cluster|slots +get +module|list +@stream')
  expect(ask(client, 'CLUSTER SLOTS')).toMatch(/^-ERR This instance has cluster support disabled/)
  const list = ask(harness.client(), 'ACL LIST')
  expect(list).toContain('-@all +@stream +cluster|slots +module|list +get')
  expect(ask(client, 'CLUSTER NODES')).toMatch(/^-NOPERM /)
})

test('what does not exist or is not complete is said before what is not allowed', () => {
  const client = connectAs(new NodeHarness(), '-@all')
  expect(ask(client, 'NOSUCH')).toMatch(/^-ERR unknown command/)
  expect(ask(client, 'GET')).toMatch(/^-ERR wrong number/)
  expect(ask(client, 'GET a')).toBe(noPermission('get'))
  expect(ask(client, 'CONFIG GET x')).toBe(noPermission('config|get'))
  expect(ask(client, 'RESET')).toBe('+RESET\r\n')
})

test('RESET makes a connection the default user again', () => {
  const harness = new NodeHarness()
  const client = connectAs(harness, '+acl|whoami')
  expect(ask(client, 'ACL WHOAMI')).toBe('$1\r\nu\r\n')
  ask(client, 'RESET')
  expect(ask(client, 'ACL WHOAMI')).toBe('$7\r\ndefault\r\n')
})

describe('requirepass', () => {
  test('is the password of the default user, and CONFIG SET changes it for new connections', () => {
    const harness = new NodeHarness({ requirepass: 'one' })
    const admin = harness.client()
    expect(ask(admin, 'PING')).toBe('-NOAUTH Authentication required.\r\n')
    expect(ask(admin, 'AUTH one')).toBe('+OK\r\n')
    ask(admin, 'CONFIG SET requirepass two')
    expect(ask(admin, 'PING')).toBe('+PONG\r\n')
    expect(ask(harness.client(), 'AUTH one')).toMatch(/^-WRONGPASS/)
    expect(ask(harness.client(), 'AUTH two')).toBe('+OK\r\n')
  })

  test('is shown as a hash only where users are listed', () => {
    const harness = new NodeHarness({ requirepass: 'hunter2' })
    const client = harness.client()
    ask(client, 'AUTH hunter2')
    const list = ask(client, 'ACL LIST')
    expect(list).toContain(`user default on #${sha256('hunter2')} ~* &* +@all`)
    expect(list).not.toContain('hunter2')
  })
})

test('a deleted user is hung up on, also while he waits', () => {
  const harness = new NodeHarness()
  const waiting = connectAs(harness, '+@all ~*')
  ask(waiting, 'BLPOP a 0')
  expect(ask(harness.client(), 'ACL DELUSER u')).toBe(':1\r\n')
  expect(waiting.isClosed).toBe(true)
})

test('who listens to what he may not hear any more is hung up on', () => {
  const harness = new NodeHarness()
  const client = connectAs(harness, '+@all allchannels')
  ask(client, 'SUBSCRIBE a')
  ask(harness.client(), 'ACL SETUSER u resetchannels &b')
  expect(client.isClosed).toBe(true)
})

test("a master's stream does what its master did, whatever users may do here", () => {
  const harness = new NodeHarness({}, false, { users: [['default', 'on', 'nopass', '+psync']] })
  const replica = harness.replica()
  expect(replica).toBeDefined()
})

describe('the rights facts/sentinel.md gives as the least', () => {
  const SENTINEL =
    '+ping +info +publish +subscribe +client|setname +client|kill +multi +exec +slaveof ' +
    '+config|rewrite +script|kill'

  test('can be written down here too, although there are no scripts', () => {
    expect(checkNodeUsers([['s', ...SENTINEL.split(' ')]], new Settings())).toBeUndefined()
  })

  test('let a Sentinel do its work', () => {
    const harness = new NodeHarness({}, true)
    const client = connectAs(harness, `${SENTINEL} &__sentinel__:hello`)
    expect(ask(client, 'CLIENT SETNAME sentinel-a-cmd')).toBe('+OK\r\n')
    expect(ask(client, 'PUBLISH __sentinel__:hello x')).toBe(':0\r\n')
    expect(ask(client, 'INFO')).toMatch(/^\$/)
    const lines = ['MULTI', 'SLAVEOF 127.0.0.1 1', 'CONFIG REWRITE', 'CLIENT KILL TYPE normal']
    for (const line of lines) ask(client, line)
    expect(ask(client, 'EXEC')).toBe('*3\r\n+OK\r\n+OK\r\n:1\r\n')
    expect(ask(client, 'SUBSCRIBE __sentinel__:hello')).toMatch(/^\*3/)
    expect(ask(connectAs(harness, '', 'u'), 'GET a')).toBe(noPermission('get'))
  })
})

test('a replica needs psync, replconf and ping, and no more', () => {
  const harness = new NodeHarness()
  const client = connectAs(harness, '+psync +replconf +ping', 'r')
  expect(ask(client, 'PING')).toBe('+PONG\r\n')
  expect(ask(client, 'REPLCONF listening-port 1')).toBe('+OK\r\n')
  client.bytes('PSYNC ? -1\r\n')
  harness.advance(1_000)
  expect(client.take()).toMatch(/FULLRESYNC/)
})

describe('CONFIG REWRITE', () => {
  const USERS = [['u', 'on', '>pw', '+get']]

  test('keeps users that were changed, without their passwords', () => {
    const harness = new NodeHarness({}, true, { users: USERS })
    const admin = harness.client()
    ask(admin, 'CONFIG REWRITE')
    ask(admin, 'ACL SETUSER v on >sesame')
    ask(admin, 'CONFIG REWRITE')
    expect(harness.savedUsers[0]).toBeUndefined()
    expect(harness.savedUsers[1]?.lines.map(([name]) => name)).toEqual(['default', 'u', 'v'])
    expect(JSON.stringify(harness.savedUsers)).not.toMatch(/sesame|"pw"/)
  })

  test('what it kept counts at the next start, until the file says something new', () => {
    const harness = new NodeHarness({}, true, { users: USERS })
    ask(harness.client(), 'ACL SETUSER v on')
    ask(harness.client(), 'CONFIG REWRITE')
    const access = { learntUsers: harness.savedUsers[0] }
    const names = (users: readonly string[][]) =>
      ask(new NodeHarness({}, true, { ...access, users }).client(), 'ACL USERS')
    expect(names(USERS)).toContain('\nv\r\n')
    expect(names([['u', 'on']])).not.toContain('\nv\r\n')
  })
})

describe('an aclfile', () => {
  function fileOf(text: string): NodeAclFile & { written: string[]; found: string | undefined } {
    return {
      path: 'users.acl',
      text,
      written: [],
      found: text,
      read() {
        if (this.found === undefined) return { ok: false, reason: 'No such file or directory' }
        return { ok: true, text: this.found }
      },
      write(newText) {
        this.written.push(newText)
        return undefined
      },
    }
  }

  test('gives the users; requirepass does not count, and CONFIG REWRITE leaves them alone', () => {
    const aclFile = fileOf('user u on nopass +@all ~*')
    const harness = new NodeHarness({ requirepass: 'pw' }, true, { aclFile })
    const client = harness.client()
    expect(ask(client, 'ACL USERS')).toBe('*2\r\n$7\r\ndefault\r\n$1\r\nu\r\n')
    ask(client, 'ACL SETUSER v on')
    ask(client, 'CONFIG REWRITE')
    expect(harness.savedUsers).toEqual([undefined])
  })

  test('is written by ACL SAVE and read by ACL LOAD', () => {
    const aclFile = fileOf('user u on nopass +@all ~*')
    const harness = new NodeHarness({}, true, { aclFile })
    const [admin, client] = [harness.client(), harness.client()]
    ask(client, 'AUTH u x')
    expect(ask(admin, 'ACL SAVE')).toBe('+OK\r\n')
    expect(aclFile.written).toEqual([
      'user default on nopass ~* &* +@all\nuser u on nopass ~* resetchannels +@all\n',
    ])
    expect(ask(admin, 'ACL LOAD')).toBe('+OK\r\n')
    expect(client.isClosed).toBe(false)
    aclFile.found = 'user v on'
    expect(ask(admin, 'ACL LOAD')).toBe('+OK\r\n')
    expect(client.isClosed).toBe(true)
    aclFile.found = undefined
    expect(ask(admin, 'ACL LOAD')).toBe(
      "-ERR Error loading ACLs, opening file 'users.acl': No such file or directory\r\n",
    )
  })
})

test('protected mode looks at the default user', () => {
  const hasOpened = (users: readonly string[][]) =>
    !new NodeHarness({}, false, { users }).client('10.0.0.9').isClosed
  expect(hasOpened([])).toBe(false)
  expect(hasOpened([['u', 'on', '>x', '+@all']])).toBe(false)
  expect(hasOpened([['default', 'on', '>x', '+@all']])).toBe(true)
})
