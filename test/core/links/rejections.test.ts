import { describe, expect, test } from 'vitest'
import { DEFAULT_GROUP, type SentinelConfig } from '../../../src/core/config.ts'
import { meetPeer } from '../../../src/core/discovery/peers.ts'
import { array, bulk, error, integer, OK, type Reply, simple } from '../../../src/resp/reply.ts'
import { SentinelBench } from '../../support/sentinel-bench.ts'

const AT = '10.0.0.1:6379'
const PEER = { runId: 'b'.repeat(40), host: '10.1.0.2', port: 26379 }
const PEER_AT = '10.1.0.2:26379'
const SECRET = 'open-sesame'
const WRONGPASS = error('WRONGPASS invalid username-password pair or user is disabled.')
const NOAUTH = error('NOAUTH Authentication required.')
const GROUP = {
  ...DEFAULT_GROUP,
  name: 'g',
  host: '10.0.0.1',
  port: 6379,
  quorum: 9,
  downAfterMs: 1_000,
  authPass: SECRET,
}

type Replies = Readonly<Record<string, Reply>>

/** `replies` are the master's and the peer's, by command; the usual where there is none. */
function bench(config: Partial<SentinelConfig> = {}) {
  const made = new SentinelBench({ groups: [GROUP], ...config })
  const says: { master: Replies; peer: Replies } = { master: {}, peer: {} }
  made.answer = ([verb = ''], address) => {
    return address === AT ? says.master[verb] : address === PEER_AT ? says.peer[verb] : undefined
  }
  return { bench: made, says }
}

/** What an operator reads: neither events nor what is said at every start. */
function lines({ bench: { logs } }: ReturnType<typeof bench>): readonly string[] {
  return logs.filter((line) => !/^[+-]|^Sentinel ID/.test(line))
}

/** A master that answers every command with NOAUTH. */
const CLOSED: Replies = Object.fromEntries(
  ['PING', 'INFO', 'PUBLISH', 'SUBSCRIBE', 'CLIENT'].map((verb) => [verb, NOAUTH]),
)

describe('a wrong password', () => {
  test('is said once, with the option to correct, and without the password', () => {
    const set = bench()
    set.says.master = { ...CLOSED, AUTH: WRONGPASS }
    set.bench.run(60_000)
    const line =
      'master g (10.0.0.1:6379) refuses our password (auth-pass of group g): WRONGPASS invalid ' +
      'username-password pair or user is disabled; it will be seen as down'
    expect(lines(set)).toEqual([line])
    expect(set.bench.group('g').master.link.refusal).toBe(line)
    expect(set.bench.logs.join('\n')).not.toContain(SECRET)
  })

  test('that was corrected is told as well', () => {
    const set = bench()
    set.says.master = { ...CLOSED, AUTH: WRONGPASS }
    set.bench.run(5_000)
    set.says.master = {}
    set.bench.command('SENTINEL', 'SET', 'g', 'auth-pass', 'another')
    set.bench.run(1_000)
    expect(set.bench.group('g').master.link.refusal).toBeUndefined()
    expect(set.bench.isDown(set.bench.group('g').master)).toBe(false)
    set.says.master = { ...CLOSED, AUTH: WRONGPASS }
    set.bench.command('SENTINEL', 'SET', 'g', 'auth-pass', 'wrong again')
    set.bench.run(2_000)
    expect(lines(set)).toHaveLength(2)
  })

  test('that was corrected on the server’s side is noticed by the connection that listens', () => {
    const set = bench()
    set.says.master = { ...CLOSED, AUTH: WRONGPASS }
    set.bench.run(5_000)
    const shown = set.bench.sentTo(AT).filter(([verb]) => verb === 'AUTH').length
    const letIn = new Set<number>()
    set.bench.answer = ([verb = ''], _, link) => {
      if (verb === 'AUTH') letIn.add(link)
      return letIn.has(link) ? undefined : CLOSED[verb]
    }
    set.bench.run(3_000)
    expect(set.bench.sentTo(AT).filter(([verb]) => verb === 'AUTH').length).toBeGreaterThan(shown)
    expect(set.bench.isDown(set.bench.group('g').master)).toBe(false)
    expect(lines(set).at(-1)).toBe('master g (10.0.0.1:6379) refuses us nothing any more')
  })

  test('of a peer that was corrected on its side works within a quarter of a minute', () => {
    const set = bench({ sentinelPass: SECRET })
    set.says.peer = { ...CLOSED, AUTH: WRONGPASS }
    set.bench.hello('g', PEER)
    set.bench.run(5_000)
    const letIn = new Set<number>()
    set.bench.answer = ([verb = ''], address, link) => {
      if (verb === 'AUTH') letIn.add(link)
      return address !== PEER_AT || letIn.has(link) ? undefined : CLOSED[verb]
    }
    set.bench.run(12_000)
    expect(set.bench.isDown(set.bench.group('g').peers.get(PEER.runId))).toBe(false)
  })

  test.each([
    `ERR unknown command 'AUTH', with args beginning with: '${SECRET}' `,
    `ERR unknown command 'AUTH', with args beginning with: '${SECRET.slice(0, 9)}`,
    `NO ${SECRET} is what you said, ${SECRET}`,
  ])('quoted back by a server is not in the log: %s', (text) => {
    const set = bench()
    set.says.master = { ...CLOSED, AUTH: error(text) }
    set.bench.run(3_000)
    expect(lines(set)).toHaveLength(1)
    expect(set.bench.logs.join('\n')).not.toContain(SECRET.slice(0, 9))
  })

  test('of a peer names sentinel-pass, or requirepass where that is what we show', () => {
    for (const [config, source] of [
      [{ sentinelPass: SECRET }, 'sentinel-pass'],
      [{ sentinelPass: SECRET, sentinelUser: 'us' }, 'sentinel-user and sentinel-pass'],
      [{ requirepass: SECRET }, 'requirepass'],
    ] as const) {
      const set = bench(config)
      set.says.peer = { ...CLOSED, AUTH: WRONGPASS }
      // Not by a client's hello, of whom `requirepass` would want a password, too.
      set.bench.act((turn) => meetPeer(turn, set.bench.group('g'), PEER))
      set.bench.run(5_000)
      const [line] = lines(set)
      expect(line).toContain(`Sentinel 10.1.0.2:26379 refuses our password (${source}): WRONGPASS`)
    }
  })
})

test('a password nobody wants is a notice, and no reason to be down', () => {
  const set = bench()
  set.says.master = {
    AUTH: error(
      'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
    ),
  }
  set.bench.run(60_000)
  expect(lines(set)).toHaveLength(1)
  expect(lines(set)[0]).toMatch(
    /^master g .* answers us, but not because of our password \(auth-pass of group g\): ERR AUTH/,
  )
  expect(set.bench.isDown(set.bench.group('g').master)).toBe(false)
})

test('a password that is wanted and not set is said', () => {
  const set = bench({ groups: [{ ...GROUP, authPass: '' }] })
  set.says.master = CLOSED
  set.bench.run(60_000)
  expect(lines(set)).toEqual([
    'master g (10.0.0.1:6379) wants a password, and none is set (auth-pass of group g): NOAUTH ' +
      'Authentication required; it will be seen as down',
  ])
})

describe('a command that is refused', () => {
  test.each([
    ['SUBSCRIBE', 'refuses SUBSCRIBE: NOPERM'],
    ['PUBLISH', 'refuses PUBLISH: NOPERM'],
    ['INFO', 'refuses INFO: NOPERM'],
    ['PING', 'does not let our user PING (auth-pass of group g): NOPERM'],
    ['CLIENT', 'refuses CLIENT SETNAME: NOPERM'],
  ])('%s is named once, however often it is tried', (verb, words) => {
    const set = bench()
    set.says.master = { [verb]: error('NOPERM this user has no permissions') }
    set.bench.run(60_000)
    expect(lines(set)).toHaveLength(1)
    expect(lines(set)[0]).toContain(words)
    set.says.master = {}
    set.bench.run(20_000)
    set.bench.cut(AT)
    set.bench.run(5_000)
    expect(lines(set).at(-1)).toBe('master g (10.0.0.1:6379) refuses us nothing any more')
    expect(set.bench.group('g').master.link.refusal).toBeUndefined()
  })

  test('with another error than before is named again', () => {
    const set = bench()
    set.says.master = { INFO: error('NOPERM no') }
    set.bench.run(15_000)
    set.says.master = { INFO: error('ERR unknown command') }
    set.bench.run(15_000)
    expect(lines(set).map((line) => / refuses INFO: (\w+)/.exec(line)?.[1])).toEqual([
      'NOPERM',
      'ERR',
    ])
  })

  test('because the server is loading or busy is no refusal', () => {
    const set = bench()
    set.says.master = {
      INFO: error('LOADING'),
      PUBLISH: error('BUSY'),
      SUBSCRIBE: error('LOADING'),
    }
    set.bench.run(20_000)
    expect(lines(set)).toEqual([])
  })

  test('by a peer, IS-MASTER-DOWN-BY-ADDR, says that its vote is missing', () => {
    const set = bench()
    set.bench.hello('g', PEER)
    set.says.peer = { SENTINEL: error('NOPERM no') }
    set.says.master = { PING: error('ERR broken') }
    set.bench.run(20_000)
    expect(lines(set).filter((line) => line.startsWith('Sentinel '))).toEqual([
      'Sentinel 10.1.0.2:26379 refuses SENTINEL IS-MASTER-DOWN-BY-ADDR: NOPERM no; its opinion and its vote are missing',
    ])
  })
})

test('a subscription that is refused is tried again on a new connection', () => {
  const set = bench()
  set.says.master = { SUBSCRIBE: error('NOPERM no') }
  set.bench.run(5_000)
  const tries = set.bench.sentTo(AT).filter(([verb]) => verb === 'SUBSCRIBE').length
  expect(tries).toBeGreaterThan(3)
  expect(tries).toBeLessThan(8)
  set.says.master = {}
  set.bench.run(2_000)
  expect(set.bench.group('g').master.link.pubsub?.up).toBe(true)
})

describe('the SLAVEOF transaction', () => {
  /** A replica that calls itself a master, so that it is told again and again whom to follow. */
  function stray(replies: Replies) {
    const set = bench()
    set.says.master = { INFO: bulk('run_id:1\r\nrole:master\r\nslave0:ip=10.0.0.2,port=6379\r\n') }
    const answer = set.bench.answer
    set.bench.answer = (argv, address, link) => {
      return address === '10.0.0.2:6379' ? replies[argv[0] ?? ''] : answer(argv, address, link)
    }
    set.bench.run(25_000)
    return lines(set)
  }

  test('that is refused is said once', () => {
    const replies = { SLAVEOF: error('NOPERM no'), EXEC: error('EXECABORT discarded') }
    expect(stray(replies)).toEqual([
      'replica 10.0.0.2:6379 refuses the SLAVEOF transaction: NOPERM no; it can neither be promoted nor be given another master',
    ])
  })

  test('that fails when it is carried out is said once, too', () => {
    const failure = error('ERR REPLICAOF not allowed in cluster mode.')
    expect(stray({ EXEC: array([failure, OK, OK, OK]) })).toHaveLength(1)
  })

  /** The replica of `stray`, which has refused SLAVEOF with this, and what becomes of it then. */
  function refused(code: string) {
    const set = bench()
    set.says.master = { INFO: bulk('run_id:1\r\nrole:master\r\nslave0:ip=10.0.0.2,port=6379\r\n') }
    const answer = set.bench.answer
    const says: { replica: Replies } = {
      replica: {
        PING: code === 'LOADING' ? error('LOADING Redis is loading') : simple('PONG'),
        SLAVEOF: error(`${code} as it is now`),
        EXEC: error('EXECABORT discarded'),
      },
    }
    set.bench.answer = (argv, address, link) => {
      return address === '10.0.0.2:6379' ? says.replica[argv[0] ?? ''] : answer(argv, address, link)
    }
    set.bench.run(25_000)
    const [replica] = [...set.bench.group('g').replicas.values()]
    if (replica === undefined) throw new Error('it has found no replica')
    return { set, says, link: replica.link }
  }
  const FOLLOWS = bulk(
    'run_id:2\r\nrole:slave\r\nmaster_host:10.0.0.1\r\nmaster_port:6379\r\nmaster_link_status:up\r\n',
  )

  test('that was refused by a node that loads is forgotten when it has loaded, whoever told it then', () => {
    const { set, says, link } = refused('LOADING')
    expect(link.refusal).toContain('refuses the SLAVEOF transaction: LOADING as it is now')
    // Another Sentinel turns it round, so that this one never sends SLAVEOF again.
    says.replica = { INFO: FOLLOWS }
    set.bench.run(1_500)
    expect(link.refusal).toBeUndefined()
    expect(lines(set).at(-1)).toBe('replica 10.0.0.2:6379 refuses us nothing any more')
  })

  test('that was refused is forgotten when the node follows rightly, unless it lacks a right', () => {
    for (const [code, isForgotten] of [
      ['ERR', true],
      ['NOPERM', false],
    ] as const) {
      const { set, says, link } = refused(code)
      expect(link.refusal).toContain(`SLAVEOF transaction: ${code}`)
      says.replica = { INFO: FOLLOWS, SLAVEOF: error(`${code} as it is now`) }
      set.bench.run(15_000)
      expect(link.refusal === undefined).toBe(isForgotten)
    }
  })

  test('of which only the rewriting of the file fails is none', () => {
    const failure = error('ERR The server is running without a config file')
    expect(stray({ EXEC: array([OK, failure, integer(1), integer(0)]) })).toEqual([])
  })
})

test('a script that ended by itself before it was killed refused nothing', () => {
  const set = bench()
  set.says.master = {
    PING: error('BUSY a script'),
    SCRIPT: error('NOTBUSY No scripts in execution'),
  }
  set.bench.run(5_000)
  set.says.master = {}
  set.bench.run(5_000)
  expect(set.bench.sentTo(AT).some(([verb]) => verb === 'SCRIPT')).toBe(true)
  expect(lines(set).filter((line) => line.includes('SCRIPT KILL'))).toEqual([])
})
