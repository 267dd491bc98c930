import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/base/sha256.ts'
import { checkSentinelUsers, reloadUsers } from '../../../src/core/access/access-start.ts'
import type { Answer } from '../../../src/core/external-query.ts'
import type { SavedState } from '../../../src/core/persistence/saved.ts'
import { step } from '../../../src/core/step.ts'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { savedBy } from '../../support/frozen-save.ts'
import { type TestClient, TestSentinel } from '../../support/sentinel-builder.ts'

const NOAUTH = '-NOAUTH Authentication required.\r\n'

function noPermission(command: string): string {
  return `-NOPERM this user has no permissions to run the '${command}' command\r\n`
}

const NO_CHANNEL =
  '-NOPERM this user has no permissions to access one of the channels used as arguments\r\n'

/** The elements of an array of bulk strings. */
function bulks(reply: string): string[] {
  return reply.split('\r\n').filter((line) => line !== '' && !/^[*$]/.test(line))
}

function connectAs(sentinel: TestSentinel, user: string, password: string): TestClient {
  const client = sentinel.connect()
  expect(client.ask(`AUTH ${user} ${password}`)).toBe('+OK\r\n')
  return client
}

/** The rights facts/sentinel.md gives for a peer. */
const PEER =
  'on >pw +ping +publish +client|setname +sentinel|is-master-down-by-addr &__sentinel__:hello'

describe('a peer with the least rights', () => {
  const users = [
    ['default', 'off'],
    ['peer', ...PEER.split(' ')],
  ]

  test('can say all that a Sentinel says to another', () => {
    const client = connectAs(new TestSentinel({ users }), 'peer', 'pw')
    expect(client.ask('CLIENT SETNAME sentinel-aaaaaaaa-cmd')).toBe('+OK\r\n')
    expect(client.ask('PING')).toBe('+PONG\r\n')
    expect(client.ask('PUBLISH __sentinel__:hello x')).toBe(':1\r\n')
    const ask = `SENTINEL IS-MASTER-DOWN-BY-ADDR 10.0.0.1 6379 0 *`
    expect(client.ask(ask)).toMatch(/^\*3\r\n:0\r\n/)
    expect(client.ask('AUTH peer pw')).toBe('+OK\r\n')
  })

  test.each([
    ['SENTINEL MASTERS', noPermission('sentinel|masters')],
    ['SENTINEL FAILOVER mymaster', noPermission('sentinel|failover')],
    ['SENTINEL', "-ERR wrong number of arguments for 'sentinel' command\r\n"],
    ['CLIENT LIST', noPermission('client|list')],
    ['INFO', noPermission('info')],
    ['ACL WHOAMI', noPermission('acl|whoami')],
    ['SUBSCRIBE +switch-master', noPermission('subscribe')],
    ['PUBLISH other x', NO_CHANNEL],
    ['NOSUCH', "-ERR unknown command 'NOSUCH', with args beginning with: \r\n"],
  ])('is refused %s', (line, answer) => {
    expect(connectAs(new TestSentinel({ users }), 'peer', 'pw').ask(line)).toBe(answer)
  })

  test('must still say who it is', () => {
    expect(new TestSentinel({ users }).connect().ask('PING')).toBe(NOAUTH)
  })
})

test('what is not known or not complete is said before what is not allowed', () => {
  const client = new TestSentinel({ users: [['default', 'on', 'nopass']] }).connect()
  expect(client.ask('SENTINEL NOSUCH')).toMatch(/^-ERR unknown subcommand 'NOSUCH'/)
  expect(client.ask('SENTINEL MASTER')).toMatch(/^-ERR wrong number of arguments/)
  expect(client.ask('SENTINEL MASTER x')).toBe(noPermission('sentinel|master'))
})

test('a listener without a right hears of that before it hears that it listens', () => {
  const users = [['default', ...'on nopass &* +subscribe'.split(' ')]]
  const client = new TestSentinel({ users }).connect()
  client.ask('SUBSCRIBE a')
  expect(client.ask('INFO')).toBe(noPermission('info'))
})

test('channels are checked for SUBSCRIBE by pattern and for PSUBSCRIBE word for word', () => {
  const users = [['default', ...'on nopass &+s* +@pubsub'.split(' ')]]
  const client = new TestSentinel({ users }).connect()
  client.ask('HELLO 3')
  expect(client.ask('SUBSCRIBE +sdown')).toMatch(/^>3/)
  expect(client.ask('SUBSCRIBE +sdown +odown')).toBe(NO_CHANNEL)
  expect(client.ask('PSUBSCRIBE *')).toBe(NO_CHANNEL)
  expect(client.ask('PSUBSCRIBE +sd*')).toBe(NO_CHANNEL)
  expect(client.ask('PSUBSCRIBE +s*')).toMatch(/^>3/)
})

describe('users that change while connections are open', () => {
  test('what a user may do changes at once', () => {
    const sentinel = new TestSentinel()
    const admin = sentinel.connect()
    admin.ask('ACL SETUSER u on >pw +ping')
    const client = connectAs(sentinel, 'u', 'pw')
    admin.ask('ACL SETUSER u -ping')
    expect(client.ask('PING')).toBe(noPermission('ping'))
  })

  test('switched off, he cannot come in any more, but stays where he is in', () => {
    const sentinel = new TestSentinel()
    const admin = sentinel.connect()
    admin.ask('ACL SETUSER u on >pw +ping')
    const client = connectAs(sentinel, 'u', 'pw')
    admin.ask('ACL SETUSER u off')
    expect(client.ask('PING')).toBe('+PONG\r\n')
    expect(sentinel.connect().ask('AUTH u pw')).toMatch(/^-WRONGPASS/)
  })

  test('deleted, his connections are closed, and only his', () => {
    const sentinel = new TestSentinel()
    const admin = sentinel.connect()
    admin.ask('ACL SETUSER u on nopass +@all')
    const clients = [connectAs(sentinel, 'u', 'x'), connectAs(sentinel, 'u', 'x')]
    expect(admin.ask('ACL DELUSER u nosuch')).toBe(':1\r\n')
    expect(clients.map(({ isClosed }) => isClosed)).toEqual([true, true])
    expect(admin.ask('ACL USERS')).toBe('*1\r\n$7\r\ndefault\r\n')
  })

  test('whoever deletes himself gets his answer first', () => {
    const sentinel = new TestSentinel()
    sentinel.connect().ask('ACL SETUSER u on nopass +@all')
    const client = connectAs(sentinel, 'u', 'x')
    expect(client.ask('ACL DELUSER u')).toBe(':1\r\n')
    expect(client.isClosed).toBe(true)
  })

  test('who listens to what he may not hear any more is hung up on', () => {
    const sentinel = new TestSentinel()
    const admin = sentinel.connect()
    admin.ask('ACL SETUSER u on nopass +@all &a* &b*')
    const [one, other] = [connectAs(sentinel, 'u', 'x'), connectAs(sentinel, 'u', 'x')]
    one.ask('SUBSCRIBE abc')
    other.ask('PSUBSCRIBE b*')
    admin.ask('ACL SETUSER u resetchannels &a*')
    expect([one.isClosed, other.isClosed]).toEqual([false, true])
  })

  test('CLIENT LIST names the user, CLIENT KILL USER finds him', () => {
    const sentinel = new TestSentinel()
    const admin = sentinel.connect()
    admin.ask('ACL SETUSER u on nopass +@all')
    const client = connectAs(sentinel, 'u', 'x')
    expect(client.ask('CLIENT INFO')).toMatch(/ user=u /)
    expect(admin.ask('CLIENT KILL USER nosuch')).toBe("-ERR No such user 'nosuch'\r\n")
    expect(admin.ask('CLIENT KILL USER u')).toBe(':1\r\n')
    expect(client.isClosed).toBe(true)
  })

  test('a password for the default user is asked of new connections only', () => {
    const sentinel = new TestSentinel()
    const admin = sentinel.connect()
    admin.ask('ACL SETUSER default >pw')
    expect(admin.ask('PING')).toBe('+PONG\r\n')
    const stranger = sentinel.connect()
    expect(stranger.ask('PING')).toBe(NOAUTH)
    admin.ask('ACL SETUSER default nopass')
    expect(stranger.ask('PING')).toBe('+PONG\r\n')
  })
})

describe('what is remembered', () => {
  function lastSaved(sentinel: TestSentinel): SavedState['users'] {
    const saves = sentinel.effects.filter((effect) => effect.kind === 'save')
    return saves.at(-1)?.state().users
  }

  test('nothing, as long as nobody changes users', () => {
    const sentinel = new TestSentinel({ requirepass: 'pw', users: [['u', 'on', '>pw']] })
    connectAs(sentinel, 'default', 'pw').ask('SENTINEL FLUSHCONFIG')
    expect(sentinel.effects.map(({ kind }) => kind)).toEqual(['save'])
    expect(lastSaved(sentinel)).toBeUndefined()
  })

  test('the users as they are, before the answer, and no password', () => {
    const sentinel = new TestSentinel({
      requirepass: 'hunter2',
      users: [['u', 'on', '>swordfish']],
    })
    const admin = connectAs(sentinel, 'default', 'hunter2')
    expect(admin.ask('ACL SETUSER v on >sesame +ping')).toBe('+OK\r\n')
    const saved = lastSaved(sentinel)
    expect(saved?.current.map((line) => line.join(' '))).toEqual([
      `default on #${sha256('hunter2')} ~* &* +@all`,
      `u on #${sha256('swordfish')} resetchannels -@all`,
      `v on #${sha256('sesame')} resetchannels -@all +ping`,
    ])
    expect(JSON.stringify(saved)).not.toMatch(/hunter2|swordfish|sesame/)
  })

  test('a save that fails is told instead of OK', () => {
    const sentinel = new TestSentinel()
    sentinel.savesFail = true
    expect(sentinel.connect().ask('ACL SETUSER u on')).toBe(
      '-ERR Failed to save config file. Check server logs.\r\n',
    )
  })

  const FILE = [
    ['default', 'on', 'nopass', '~*', '&*', '+@all'],
    ['kept', 'on', '+ping'],
    ['edited', 'on', '+ping'],
    ['deleted', 'on'],
    ['withdrawn', 'on'],
  ]
  const SAVED: SavedState['users'] = {
    file: FILE,
    current: [
      ['default', 'on', 'nopass', '~*', '&*', '+@all'],
      ['kept', 'on', '+info'],
      ['edited', 'on', '+info'],
      ['withdrawn', 'on', '+info'],
      ['made', 'on', '+role'],
      ['broken', 'on', '+no-such-command'],
    ],
  }

  test('at the next start what was changed counts, unless the file says something new', () => {
    const users = [
      ['kept', 'on', '+ping'],
      ['edited', 'on', '+ping', '+role'],
      ['deleted', 'on'],
      ['added', 'on'],
    ]
    const sentinel = new TestSentinel({ users, savedUsers: SAVED })
    expect(bulks(sentinel.connect().ask('ACL LIST'))).toEqual([
      'user added on resetchannels -@all',
      'user default on nopass ~* &* +@all',
      'user edited on resetchannels -@all +ping +role',
      'user kept on resetchannels -@all +info',
      'user made on resetchannels -@all +role',
    ])
  })

  test('a new requirepass in the file counts, whatever was changed at run time', () => {
    const sentinel = new TestSentinel({ requirepass: 'new', savedUsers: SAVED })
    expect(sentinel.connect().ask('AUTH new')).toBe('+OK\r\n')
  })

  test('a file read again changes whom it has changed, and closes their connections', () => {
    const sentinel = new TestSentinel({ users: [['u', 'on', 'nopass', '+@all']] })
    const [admin, client] = [sentinel.connect(), connectAs(sentinel, 'u', 'x')]
    admin.ask('ACL SETUSER made on')
    const { config } = sentinel.state
    const users = [['u', 'on', 'nopass', '+ping']]
    sentinel.run((turn) => reloadUsers(turn, { ...config, users }))
    expect(client.isClosed).toBe(true)
    expect(bulks(admin.ask('ACL USERS'))).toEqual(['default', 'made', 'u'])
    expect(admin.ask('ACL GETUSER u')).toContain('-@all +ping')
  })
})

describe('an aclfile', () => {
  const aclFile = { path: 'users.acl', text: 'user u on nopass +@all &*\n' }

  function answer(sentinel: TestSentinel, found: Answer): void {
    const asked = sentinel.effects.findLast((effect) => effect.kind === 'inquire')
    if (asked === undefined) throw new Error('nothing was asked')
    sentinel.run((turn) => {
      const event = { kind: 'inquired', inquiry: asked.inquiry, answer: found } as const
      turn.effects.push(...step(turn.state, turn.now, event))
    })
  }

  test('without one, LOAD and SAVE say so', () => {
    const client = new TestSentinel().connect()
    for (const line of ['ACL LOAD', 'ACL SAVE']) {
      expect(client.ask(line)).toMatch(
        /^-ERR This Redis instance is not configured to use an ACL file/,
      )
    }
  })

  test('gives the users at the start, and requirepass does not count', () => {
    const sentinel = new TestSentinel({ aclFile, requirepass: 'pw' })
    expect(bulks(sentinel.connect().ask('ACL LIST'))).toEqual([
      'user default on nopass ~* &* +@all',
      'user u on nopass &* +@all',
    ])
  })

  test('keeps users out of the state file', () => {
    const sentinel = new TestSentinel({ aclFile })
    expect(sentinel.connect().ask('ACL SETUSER v on')).toBe('+OK\r\n')
    expect(sentinel.effects).toEqual([])
    sentinel.connect().ask('SENTINEL FLUSHCONFIG')
    expect(savedBy(sentinel.effects.at(-1))).toMatchObject({ users: undefined })
  })

  test('ACL SAVE writes the users, and answers when they are on disk', () => {
    const sentinel = new TestSentinel({ aclFile })
    const client = sentinel.connect()
    expect(client.ask('ACL SAVE')).toBe('')
    expect(sentinel.effects.map((effect) => 'question' in effect && effect.question)).toEqual([
      {
        kind: 'writeAclFile',
        text: 'user default on nopass ~* &* +@all\nuser u on nopass &* +@all\n',
      },
    ])
    answer(sentinel, { kind: 'writeAclFile' })
    expect(client.read()).toBe('+OK\r\n')
  })

  test('a file that cannot be written is an error, and the reason is in the log', () => {
    const sentinel = new TestSentinel({ aclFile })
    const client = sentinel.connect()
    client.ask('ACL SAVE')
    answer(sentinel, { kind: 'failed', reason: 'Permission denied' })
    expect(client.read()).toMatch(/^-ERR There was an error trying to save the ACLs\. /)
    expect(sentinel.effects.at(-1)).toMatchObject({
      text: 'cannot write the ACL file users.acl: Permission denied',
    })
  })

  test('ACL LOAD changes all users at once, and closes connections of those who changed', () => {
    const sentinel = new TestSentinel({ aclFile })
    const admin = sentinel.connect()
    admin.ask('ACL SETUSER v on nopass +ping')
    const [u, v] = [connectAs(sentinel, 'u', 'x'), connectAs(sentinel, 'v', 'x')]
    admin.ask('ACL LOAD')
    answer(sentinel, { kind: 'readAclFile', text: aclFile.text })
    expect(admin.read()).toBe('+OK\r\n')
    expect([u.isClosed, v.isClosed]).toEqual([false, true])
    expect(bulks(admin.ask('ACL USERS'))).toEqual(['default', 'u'])
  })

  test.each<[Answer, string]>([
    [
      { kind: 'readAclFile', text: 'user v on +nosuch' },
      "-ERR users.acl:1: Error in applying operation '+nosuch': Unknown command or category name in ACL. ",
    ],
    [
      { kind: 'failed', reason: 'No such file or directory' },
      "-ERR Error loading ACLs, opening file 'users.acl': No such file or directory\r\n",
    ],
  ])('a file that is broken or gone changes nothing: %j', (found, error) => {
    const sentinel = new TestSentinel({ aclFile })
    const admin = sentinel.connect()
    admin.ask('ACL LOAD')
    answer(sentinel, found)
    expect(admin.read().startsWith(error)).toBe(true)
    expect(bulks(admin.ask('ACL USERS'))).toEqual(['default', 'u'])
  })
})

describe('ACL LOG', () => {
  test('tells who was refused what, and never a password', () => {
    const sentinel = new TestSentinel({ users: [['u', ...'on >pw +ping &a'.split(' ')]] })
    const client = connectAs(sentinel, 'u', 'pw')
    client.ask('INFO')
    client.ask('INFO')
    client.ask('AUTH u hunter2')
    client.ask('HELLO 2 AUTH u hunter2')
    const log = sentinel.connect().ask('ACL LOG')
    expect(log).toMatch(/\nHELLO\r\n.*\nauth\r\n.*\nAUTH\r\n.*:2\r\n.*\ncommand\r\n.*\ninfo\r\n/s)
    expect(log).not.toContain('hunter2')
  })

  test('stays bounded, however many names a stranger tries', () => {
    const sentinel = new TestSentinel({ requirepass: 'pw' })
    const stranger = sentinel.connect()
    for (let n = 0; n < 1_000; n++) {
      stranger.send(encodeCommand(['AUTH', `user${n}${'x'.repeat(5_000)}`, 'guess']))
    }
    const { entries } = sentinel.state.access.log
    expect(entries.length).toBe(128)
    expect(entries.every(({ refusal }) => refusal.username.length <= 1024)).toBe(true)
  })
})

test('ACL DRYRUN answers for a command without giving it', () => {
  const sentinel = new TestSentinel({
    users: [['u', ...'on +sentinel|masters &a +publish'.split(' ')]],
  })
  const client = sentinel.connect()
  const ask = (words: string) => client.ask(`ACL DRYRUN ${words}`)
  expect(ask('u SENTINEL MASTERS')).toBe('+OK\r\n')
  expect(ask('u shutdown')).toContain("has no permissions to run the 'shutdown' command")
  expect(ask('u publish b x')).toContain("has no permissions to access the 'b' channel")
  expect(ask('u sentinel nosuch')).toBe("-ERR Command 'sentinel' not found\r\n")
  expect(ask('u sentinel master')).toMatch(/^-ERR wrong number of arguments for 'sentinel\|master'/)
  expect(ask('nosuch ping')).toBe("-ERR User 'nosuch' not found\r\n")
})

test('each password of ACL GENPASS is a new one', () => {
  const client = new TestSentinel().connect()
  const [one, other] = [bulks(client.ask('ACL GENPASS')), bulks(client.ask('ACL GENPASS'))]
  expect(one[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(one).not.toEqual(other)
})

test('ACL WHOAMI names the user', () => {
  const sentinel = new TestSentinel({ users: [['u', 'on', 'nopass', '+acl']] })
  expect(bulks(sentinel.connect().ask('ACL WHOAMI'))).toEqual(['default'])
  expect(bulks(connectAs(sentinel, 'u', 'x').ask('ACL WHOAMI'))).toEqual(['u'])
})

test('user lines are checked against the commands of a Sentinel', () => {
  const rules = { aclPubsubDefault: 'resetchannels' } as const
  expect(checkSentinelUsers([['u', '+sentinel|masters']], rules)).toBeUndefined()
  expect(checkSentinelUsers([['u', '+get']], rules)).toMatch(/^Error loading ACL rule '\+get'/)
})

describe('protected mode', () => {
  // Clients of the test come from 192.168.0.1.
  test.each<[string, ConstructorParameters<typeof TestSentinel>[0], boolean]>([
    ['is off unless it is asked for', {}, false],
    ['turns strangers away', { protectedMode: true }, true],
    ['means nothing once there is a password', { protectedMode: true, requirepass: 'x' }, false],
    [
      'looks at the default user, not at others',
      { protectedMode: true, users: [['u', 'on', '>x', '+@all']] },
      true,
    ],
    [
      'is content with a default user who is switched off and has no password',
      { protectedMode: true, users: [['default', 'off']] },
      false,
    ],
  ])('%s', (_claim, setup, isDenied) => {
    const client = new TestSentinel(setup).connect()
    expect(client.isClosed).toBe(isDenied)
    expect(client.read().startsWith('-DENIED ')).toBe(isDenied)
  })

  test.each(['127.0.0.1', '127.8.8.8', '::1', '[::1]'])('lets %s in', (host) => {
    expect(new TestSentinel({ protectedMode: true }).connect(host).ask('PING')).toBe('+PONG\r\n')
  })
})
