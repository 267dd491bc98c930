import { expect, test } from 'vitest'
import { utf8Bytes } from '../../../src/base/utf8.ts'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { PEERS, REPLICAS, TestSentinel } from '../../support/sentinel-builder.ts'

const SAVE_FAILED = '-ERR Failed to save config file. Check server logs.\r\n'
const NO_MASTER = '-ERR No such master with that name\r\n'

const REFUSED: readonly (readonly [line: string, answer: string])[] = [
  ['SENTINEL MONITOR a b c d', '-ERR Invalid quorum\r\n'],
  ['SENTINEL MONITOR a b c 1', '-ERR Invalid port\r\n'],
  ['SENTINEL MONITOR a b 6379 +1', '-ERR Invalid quorum\r\n'],
  ['SENTINEL MONITOR a b 70000 0', '-ERR Quorum must be 1 or greater.\r\n'],
  ['SENTINEL MONITOR a localhost 6379 1', '-ERR Invalid IP address or hostname specified\r\n'],
  ['SENTINEL MONITOR a 127.0.0.1 70000 1', '-ERR Invalid port number.\r\n'],
  ['SENTINEL MONITOR a 127.0.0.1 0 1', '-ERR Invalid port number.\r\n'],
  ['SENTINEL MONITOR mymaster 127.0.0.1 6379 1', '-ERR Duplicate master name.\r\n'],
  [
    'SENTINEL MONITOR "a b" 127.0.0.1 6379 1',
    '-ERR Invalid master name: blanks and commas are not allowed\r\n',
  ],
  [
    'SENTINEL MONITOR a,b 127.0.0.1 6379 1',
    '-ERR Invalid master name: blanks and commas are not allowed\r\n',
  ],
  [
    'SENTINEL MONITOR "a\\nb" 127.0.0.1 6379 1',
    '-ERR Invalid argument at index 2 for SENTINEL MONITOR: control characters are not allowed\r\n',
  ],
  ['SENTINEL REMOVE nope', NO_MASTER],
  ['SENTINEL FAILOVER nope', NO_MASTER],
  ['SENTINEL FAILOVER mymaster', '-NOGOODSLAVE No suitable replica to promote\r\n'],
  ['SENTINEL RESET x*', ':0\r\n'],
]

for (const [line, answer] of REFUSED) {
  test(`${line} is refused and saves nothing`, () => {
    const sentinel = new TestSentinel()
    expect(sentinel.connect().ask(line)).toBe(answer)
    expect(sentinel.effects).toEqual([])
  })
}

test('MONITOR adds a group with the default options and saves before it answers', () => {
  const sentinel = new TestSentinel()
  expect(sentinel.connect().ask('SENTINEL MONITOR other 10.0.0.9 6379 1')).toBe('+OK\r\n')
  expect(sentinel.state.groups.get('other')?.config).toMatchObject({
    host: '10.0.0.9',
    port: 6379,
    quorum: 1,
    downAfterMs: 30_000,
  })
  expect(savedNames(sentinel)).toEqual(['mymaster', 'other'])
})

test.each(['voilà', 'größe', 'Ünal', '水'])('MONITOR takes the name %s', (name) => {
  const sentinel = new TestSentinel()
  const bytes = utf8Bytes(name)
  expect(sentinel.connect().ask(`SENTINEL MONITOR ${bytes} 10.0.0.9 6379 1`)).toBe('+OK\r\n')
  expect(savedNames(sentinel)).toEqual(['mymaster', bytes])
})

test('an IPv6 address is kept in its canonical form', () => {
  const sentinel = new TestSentinel()
  sentinel.connect().ask('SENTINEL MONITOR six 0:0:0::0001 6379 1')
  expect(sentinel.state.groups.get('six')?.config.host).toBe('::1')
})

test('REMOVE forgets a group and saves', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  expect(client.ask('SENTINEL REMOVE mymaster')).toBe('+OK\r\n')
  expect(client.ask('SENTINEL MASTER mymaster')).toBe(NO_MASTER)
  expect(savedNames(sentinel)).toEqual([])
})

test('RESET forgets the replicas and peers of every group that matches', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS, peers: PEERS })
  const client = sentinel.connect()
  client.ask('SENTINEL MONITOR other 10.0.0.9 6379 1')
  expect(client.ask('SENTINEL RESET my*')).toBe(':1\r\n')
  expect([sentinel.group.replicas.size, sentinel.group.peers.size]).toEqual([0, 0])
  expect(client.ask('SENTINEL RESET *')).toBe(':2\r\n')
})

test('what was reset stays so after a crash', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS, peers: PEERS })
  sentinel.connect().ask('SENTINEL RESET *')
  const saved = sentinel.effects.filter((effect) => effect.kind === 'save').at(-1)
  expect(saved?.state().groups[0]).toMatchObject({ replicas: [], peers: [] })
})

test('FAILOVER starts one, and a second one is refused while it runs', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  const client = sentinel.connect()
  expect(client.ask('SENTINEL FAILOVER mymaster')).toBe('+OK\r\n')
  expect(sentinel.group.failover?.kind).toBe('forced')
  expect(client.ask('SENTINEL FAILOVER mymaster')).toBe('-INPROG Failover already in progress\r\n')
})

test('FLUSHCONFIG saves', () => {
  const sentinel = new TestSentinel()
  expect(sentinel.connect().ask('SENTINEL FLUSHCONFIG')).toBe('+OK\r\n')
  expect(savedNames(sentinel)).toEqual(['mymaster'])
})

test.each([
  'SENTINEL FLUSHCONFIG',
  'SENTINEL MONITOR other 10.0.0.9 6379 1',
  'SENTINEL REMOVE mymaster',
  'SENTINEL SET mymaster quorum 1',
])('%s says so when the state cannot be saved', (line) => {
  const sentinel = new TestSentinel()
  sentinel.savesFail = true
  expect(sentinel.connect().ask(line)).toBe(SAVE_FAILED)
})

test('SET changes options, announces each, and saves once', () => {
  const sentinel = new TestSentinel()
  const line =
    'SENTINEL SET mymaster DOWN-AFTER-MILLISECONDS 5000 failover-timeout 60000 ' +
    'parallel-syncs 2 quorum 3 auth-user sentinel auth-pass secret'
  expect(sentinel.connect().ask(line)).toBe('+OK\r\n')
  expect(sentinel.group.config).toMatchObject({
    downAfterMs: 5000,
    failoverTimeoutMs: 60_000,
    parallelSyncs: 2,
    quorum: 3,
    authUser: 'sentinel',
    authPass: 'secret',
  })
  expect(logged(sentinel).filter((text) => text.startsWith('+set'))).toHaveLength(6)
  expect(sentinel.effects.filter(({ kind }) => kind === 'save')).toHaveLength(1)
})

test('SET never shows a password', () => {
  const sentinel = new TestSentinel()
  sentinel.connect().ask('SENTINEL SET mymaster Auth-Pass secret')
  expect(logged(sentinel)).toContain('+set master mymaster 10.0.0.1 6379 Auth-Pass ******')
  expect(logged(sentinel).join()).not.toContain('secret')
})

test('an empty auth-pass takes the password away', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  client.ask('SENTINEL SET mymaster auth-pass secret')
  expect(client.ask('SENTINEL SET mymaster auth-pass ""')).toBe('+OK\r\n')
  expect(sentinel.group.config.authPass).toBe('')
})

test('new credentials are shown on new connections', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  sentinel.connect().ask('SENTINEL SET mymaster auth-pass secret')
  expect(sentinel.effects.filter(({ kind }) => kind === 'closeLink')).toHaveLength(6)
})

const BAD_OPTIONS: readonly (readonly [options: string, answer: string])[] = [
  ['quorum 0', "-ERR Invalid argument '0' for SENTINEL SET 'quorum'\r\n"],
  ['Quorum x', "-ERR Invalid argument 'x' for SENTINEL SET 'Quorum'\r\n"],
  [
    'down-after-milliseconds 99999999999999999999',
    "-ERR Invalid argument '99999999999999999999' for SENTINEL SET 'down-after-milliseconds'\r\n",
  ],
  ['foo 1', "-ERR Unknown option or number of arguments for SENTINEL SET 'foo'\r\n"],
]

for (const [options, answer] of BAD_OPTIONS) {
  test(`SET ${options} is refused and changes nothing`, () => {
    const sentinel = new TestSentinel()
    const before = sentinel.group.config
    expect(sentinel.connect().ask(`SENTINEL SET mymaster ${options}`)).toBe(answer)
    expect(sentinel.group.config).toBe(before)
    expect(sentinel.effects).toEqual([])
  })
}

test('what stands before a mistake in SET stays in force and is saved', () => {
  const sentinel = new TestSentinel()
  const line = 'SENTINEL SET mymaster parallel-syncs 2 quorum 0 failover-timeout 1'
  expect(sentinel.connect().ask(line)).toBe(
    "-ERR Invalid argument '0' for SENTINEL SET 'quorum'\r\n",
  )
  expect(sentinel.group.config).toMatchObject({ parallelSyncs: 2, failoverTimeoutMs: 180_000 })
  expect(savedNames(sentinel)).toEqual(['mymaster'])
})

test('an option without a value is a mistake of that option', () => {
  const client = new TestSentinel().connect()
  expect(client.ask('SENTINEL SET mymaster quorum')).toBe(
    "-ERR wrong number of arguments for 'sentinel|set' command\r\n",
  )
  expect(client.ask('SENTINEL SET mymaster quorum 1 failover-timeout')).toBe(
    "-ERR Unknown option or number of arguments for SENTINEL SET 'failover-timeout'\r\n",
  )
})

test('no control character enters the configuration through SET', () => {
  const sentinel = new TestSentinel()
  const argv = ['SENTINEL', 'SET', 'mymaster', 'quorum', '1', 'auth-pass', 'x\r\nport 1']
  expect(sentinel.connect().send(encodeCommand(argv))).toBe(
    '-ERR Invalid argument at index 6 for SENTINEL SET: control characters are not allowed\r\n',
  )
  expect(sentinel.effects).toEqual([])
})

/** Groups of the last save. */
function savedNames(sentinel: TestSentinel): readonly string[] {
  const saves = sentinel.effects.filter((effect) => effect.kind === 'save')
  return (
    saves
      .at(-1)
      ?.state()
      .groups.map((group) => group.current.name) ?? ['nothing saved']
  )
}

function logged(sentinel: TestSentinel): readonly string[] {
  return sentinel.effects.filter((effect) => effect.kind === 'log').map(({ text }) => text)
}
