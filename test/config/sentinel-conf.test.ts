import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { utf8Bytes } from '../../src/base/utf8.ts'
import { formatProblem } from '../../src/config/problem.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import { stateFileName, toSavedState } from '../../src/config/sentinel-file.ts'
import { decodeState, encodeState } from '../../src/config/state-file.ts'
import { DEFAULT_GROUP, DEFAULT_SENTINEL } from '../../src/core/config.ts'
import { highestEpoch } from '../../src/core/persistence/restore.ts'

const MONITOR = 'sentinel monitor mymaster 127.0.0.1 6379 2\n'
const RUN_ID = 'ab'.repeat(20)

function parse(text: string, overrides: string[] = []) {
  const parsed = parseSentinelConf(text, 's.conf', overrides)
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'))
  return parsed
}

function problemsOf(text: string, overrides: string[] = []): string[] {
  const parsed = parseSentinelConf(text, 's.conf', overrides)
  const problems = parsed.ok ? parsed.warnings : parsed.problems
  return problems.map((problem) => `${problem.code} ${formatProblem(problem)}`)
}

describe('a sound file', () => {
  test('with one group has the defaults everywhere else', () => {
    const { value, warnings } = parse(MONITOR)
    expect(warnings).toEqual([])
    expect(value.core).toEqual({
      ...DEFAULT_SENTINEL,
      defaultDetection: 'ping',
      groups: [
        {
          ...DEFAULT_GROUP,
          ...{ name: 'mymaster', host: '127.0.0.1', port: 6379, quorum: 2, detection: 'ping' },
        },
      ],
    })
    expect(value.listen).toEqual({ bind: ['*', '-::*'], port: 26_379, protectedMode: false })
    expect(value.learnt).toBeUndefined()
  })

  test('may say things in any order, any case and with quotes', () => {
    const { value } = parse(`
SENTINEL Down-After-Milliseconds mymaster 5000
  sentinel auth-pass mymaster "se cret\\x21"
sentinel auth-user mymaster 'us er'
Port 5000
${MONITOR}
sentinel failover-timeout mymaster 60000
sentinel parallel-syncs mymaster 3
sentinel announce-ip 10.0.0.1
sentinel announce-port 5001
sentinel sentinel-user u
sentinel sentinel-pass p
requirepass geheim
bind 127.0.0.1 -::1
bind-source-addr 10.0.0.9
protected-mode yes
maxclients 17
dir /var/lib/redis
logfile /var/log/s.log
loglevel verbose
`)
    expect(value.core).toMatchObject({
      port: 5000,
      announceIp: '10.0.0.1',
      announcePort: 5001,
      sentinelUser: 'u',
      sentinelPass: 'p',
      requirepass: 'geheim',
      maxClients: 17,
    })
    expect(value.core.groups[0]).toMatchObject({
      downAfterMs: 5000,
      authPass: 'se cret!',
      authUser: 'us er',
      failoverTimeoutMs: 60_000,
      parallelSyncs: 3,
    })
    expect(value).toMatchObject({
      listen: { bind: ['127.0.0.1', '-::1'], port: 5000, protectedMode: true },
      bindSourceAddr: '10.0.0.9',
      stateDir: '/var/lib/redis',
      logFile: '/var/log/s.log',
      logLevel: 'verbose',
    })
  })

  test('may use every directive of Sentinel', () => {
    const { value, warnings } = parse(`
sentinel notification-script mymaster /bin/notify
sentinel client-reconfig-script mymaster /bin/reconfig
sentinel rename-command mymaster CONFIG guessme
sentinel rename-command mymaster slaveof guessthis
sentinel master-reboot-down-after-period mymaster 7000
sentinel deny-scripts-reconfig no
sentinel announce-hostnames yes
${MONITOR}`)
    expect(warnings).toEqual([])
    expect(value.core).toMatchObject({ denyScriptsReconfig: false, announceHostnames: true })
    expect(value.core.groups[0]).toMatchObject({
      notificationScript: '/bin/notify',
      clientReconfigScript: '/bin/reconfig',
      renamedCommands: [
        ['config', 'guessme'],
        ['slaveof', 'guessthis'],
      ],
      rebootDownAfterMs: 7_000,
    })
  })

  test('may name hosts when it also says that names are resolved, in whichever order', () => {
    const { value } = parse(`
sentinel known-replica g replica.example 6380
sentinel monitor g master.example 6379 2
sentinel known-sentinel g peer.example 26379 ${RUN_ID}
sentinel resolve-hostnames yes
sentinel announce-ip me.example`)
    expect(value.core).toMatchObject({ resolveHostnames: true, announceIp: 'me.example' })
    expect(value.core.groups[0]?.host).toBe('master.example')
    expect(value.learnt?.groups[0]).toMatchObject({
      replicas: [{ host: 'replica.example', port: 6380 }],
      peers: [{ host: 'peer.example', port: 26_379 }],
    })
  })

  test('may say what a program and its port need', () => {
    const { value, warnings } = parse(`
daemonize yes
pidfile /run/s.pid
supervised auto
user alice on >secret ~* +@all
acl-pubsub-default allchannels
acllog-max-len 7
rename-command PING x
rename-command shutdown ""
tls-port 26380
tls-replication yes
tls-cert-file /etc/tls/cert.pem
tls-key-file /etc/tls/key.pem
tls-ca-cert-file /etc/tls/ca.pem
tls-auth-clients optional
tls-protocols "TLSv1.2 TLSv1.3"
tls-prefer-server-ciphers yes
client-output-buffer-limit pubsub 64mb 0 0`)
    expect(warnings).toEqual([])
    expect(value).toMatchObject({
      daemonize: true,
      pidFile: '/run/s.pid',
      supervised: 'auto',
      outputLimitBytes: 64 * 1024 * 1024,
      tls: {
        port: 26_380,
        replication: true,
        certFile: '/etc/tls/cert.pem',
        keyFile: '/etc/tls/key.pem',
        caCertFile: '/etc/tls/ca.pem',
        authClients: 'optional',
        protocols: ['TLSv1.2', 'TLSv1.3'],
        preferServerCiphers: true,
      },
    })
    expect(value.core).toMatchObject({
      tlsPort: 26_380,
      tlsReplication: true,
      users: [['alice', 'on', '>secret', '~*', '+@all']],
      aclPubsubDefault: 'allchannels',
      aclLogMaxLength: 7,
      ownRenamedCommands: [
        ['ping', 'x'],
        ['shutdown', ''],
      ],
    })
  })

  test('may rename a command twice, by the name it has then', () => {
    const { value } = parse('rename-command ping a\nrename-command a b\n')
    expect(value.core.ownRenamedCommands).toEqual([['ping', 'b']])
  })

  test('may be the one a redis-sentinel 7.0.15 has written to, after a failover', () => {
    const { value, warnings } = parse(`port 31751
bind 127.0.0.1
dir "/tmp/start"
# a comment
sentinel monitor mymaster 127.0.0.1 31761 2
sentinel down-after-milliseconds mymaster 1000

# Generated by CONFIG REWRITE
requirepass "ab c"
protected-mode no
latency-tracking-info-percentiles 50 99 99.9
user default on #${'0a'.repeat(32)} ~* &* +@all
sentinel myid ${RUN_ID}
sentinel config-epoch mymaster 1
sentinel leader-epoch mymaster 1
sentinel current-epoch 1
sentinel known-replica mymaster 127.0.0.1 31760
sentinel known-sentinel mymaster 127.0.0.1 31752 ${'cd'.repeat(20)}
`)
    expect(warnings.map(({ path }) => path)).toEqual(['latency-tracking-info-percentiles'])
    expect(value).toMatchObject({
      stateDir: '/tmp/start',
      core: {
        requirepass: 'ab c',
        users: [['default', 'on', `#${'0a'.repeat(32)}`, '~*', '&*', '+@all']],
      },
      learnt: { myid: RUN_ID, currentEpoch: 1, groups: [{ configEpoch: 1, leaderEpoch: 1 }] },
    })
  })

  test('cannot have its users both here and in a file of their own', () => {
    const user = 'user alice on nopass'
    expect(problemsOf(`${user}\naclfile /etc/users.acl`)[0]).toContain(
      'Configuring Redis with users',
    )
    expect(problemsOf(`aclfile /etc/users.acl\n${user}`)[0]).toContain(
      'Configuring Redis with users',
    )
    expect(parse('aclfile /etc/users.acl').value.aclFile).toBe('/etc/users.acl')
  })

  test('may have numbers with something behind them', () => {
    const { value } = parse(
      'sentinel monitor g 127.0.0.1 6379x 2nd\nsentinel down-after-milliseconds g 500ms',
    )
    expect(value.core.groups[0]).toMatchObject({ port: 6379, quorum: 2, downAfterMs: 500 })
  })

  test('may be the one a Debian package installs', () => {
    const text = `# Example sentinel.conf
protected-mode no
port 26379
daemonize no
logfile ""
sentinel monitor mymaster 127.0.0.1 6379 2
sentinel down-after-milliseconds mymaster 30000
sentinel parallel-syncs mymaster 1
sentinel failover-timeout mymaster 180000
sentinel deny-scripts-reconfig yes
SENTINEL resolve-hostnames no
SENTINEL announce-hostnames no
SENTINEL master-reboot-down-after-period mymaster 0
`
    expect(parse(text).warnings).toEqual([])
  })

  test('is completed by the command line, which has the last word', () => {
    const overrides = [
      '--sentinel',
      '--port',
      '26380',
      '--sentinel',
      'quorumless',
      '--loglevel',
      'debug',
    ]
    expect(problemsOf(MONITOR, overrides)).toEqual([
      'E_UNKNOWN command line  sentinel quorumless  Unrecognized sentinel configuration statement.',
    ])
    const { value } = parse(`port 1\n${MONITOR}`, [
      '--sentinel',
      '--port',
      '26380',
      '--bind',
      '127.0.0.1',
      '::1',
    ])
    expect(value.listen).toMatchObject({ port: 26_380, bind: ['127.0.0.1', '::1'] })
  })

  test('names its state file after the port', () => {
    expect(stateFileName(parse('port 5000').value)).toBe('sentinel-5000.state')
  })

  test('remembers where things stand, under the names of sentinel.yml', () => {
    const { locations } = parse(
      `${MONITOR}sentinel down-after-milliseconds mymaster 1\nport 1`,
    ).value
    expect(locations.get('groups.mymaster.quorum')?.line).toBe(1)
    expect(locations.get('groups.mymaster.down-after')).toEqual({
      file: 's.conf',
      line: 2,
      column: 1,
      path: 'sentinel down-after-milliseconds mymaster',
    })
    expect(locations.get('port')?.line).toBe(3)
  })
})

test.each([
  ['fe80::1%eth0', 'without the zone'],
  ['127.1', 'as four numbers'],
  ['10.0.0.010', 'as four numbers'],
])('%s, which other programs take for an address, is refused: %s', (host, hint) => {
  for (const line of [
    `bind ${host}`,
    `sentinel announce-ip ${host}`,
    `sentinel monitor six ${host} 6379 2`,
  ])
    expect(problemsOf(`${MONITOR}${line}\n`)[0]).toContain(hint)
})

test('an IPv6 address in brackets is refused with a hint, in every directive that takes a host', () => {
  for (const line of [
    'bind [::1]',
    'bind-source-addr [::1]',
    'sentinel announce-ip [::1]',
    'sentinel monitor six [::1] 6379 2',
  ]) {
    const [problem = ''] = problemsOf(`${MONITOR}${line}\n`)
    expect(problem).toContain('(without the brackets)')
  }
})

describe('what Redis has learnt', () => {
  const { learnt } = parse(`${MONITOR}
sentinel myid ${RUN_ID}
sentinel current-epoch 5
sentinel config-epoch mymaster 7
sentinel leader-epoch mymaster 6
sentinel known-replica mymaster 127.0.0.1 6380
sentinel known-slave mymaster ::1 6381
sentinel known-sentinel mymaster 127.0.0.1 26380 ${'cd'.repeat(20)}
sentinel known-sentinel mymaster 127.0.0.1 26381
user default on nopass ~* &* +@all
`).value

  test('is taken over', () => {
    expect(learnt).toMatchObject({
      myid: RUN_ID,
      currentEpoch: 5,
      groups: [
        {
          configEpoch: 7,
          leaderEpoch: 6,
          leader: '',
          replicas: [
            { host: '127.0.0.1', port: 6380 },
            { host: '::1', port: 6381 },
          ],
          peers: [{ host: '127.0.0.1', port: 26_380, runId: 'cd'.repeat(20) }],
        },
      ],
    })
    expect(highestEpoch(learnt)).toBe(7)
    expect(learnt?.groups[0]?.file).toEqual(learnt?.groups[0]?.current)
  })

  test('can be saved and read back', () => {
    const saved = toSavedState(learnt as NonNullable<typeof learnt>, () => 'unused')
    expect(decodeState(encodeState(saved))).toEqual({ ok: true, value: saved })
  })

  test('is given an id if it has none', () => {
    const anonymous = { myid: undefined, currentEpoch: 1, groups: [] }
    expect(toSavedState(anonymous, () => RUN_ID).myid).toBe(RUN_ID)
  })
})

test.each(['voilà', 'größe', 'Ünal', '水'])('a group may be called %s, as in Redis', (name) => {
  const parsed = parseSentinelConf(
    utf8Bytes(`sentinel monitor ${name} 127.0.0.1 6379 2\n`),
    's.conf',
  )
  const names = parsed.ok ? parsed.value.core.groups.map((group) => group.name) : parsed.problems
  expect(names).toEqual([utf8Bytes(name)])
})

describe('an error in a line, in the words of Redis', () => {
  test.each([
    ['sentinel monitor g 127.0.0.1 6379', 'Unrecognized sentinel configuration statement.'],
    ['sentinel monitor g 127.0.0.1 6379 0', 'Quorum must be 1 or greater.'],
    ['sentinel monitor g localhost 6379 1', "Can't resolve instance hostname."],
    ['sentinel monitor g 127.0.0.1 65536 1', 'Invalid port number.'],
    ['sentinel monitor mymaster 127.0.0.1 6379 1', 'Duplicate master name.'],
    [
      'sentinel monitor "a b" 127.0.0.1 6379 1',
      'a group name has no blanks, commas or control characters',
    ],
    ['sentinel down-after-milliseconds mymaster 0', 'negative or zero time parameter.'],
    ['sentinel down-after-milliseconds other 1', 'No such master with specified name.'],
    ['sentinel down-after-milliseconds mymaster', 'Unrecognized sentinel configuration statement.'],
    ['sentinel failover-timeout mymaster -1', 'negative or zero time parameter.'],
    ['sentinel master-reboot-down-after-period mymaster -1', 'negative time parameter.'],
    [
      'sentinel detection mymaster guess',
      'Please specify ping or evidence for the detection option.',
    ],
    ['sentinel detection mymaster', 'Unrecognized sentinel configuration statement.'],
    ['sentinel refused-after mymaster 0', 'negative or zero time parameter.'],
    ['sentinel refused-after mymaster soon', 'negative or zero time parameter.'],
    ['sentinel gray-after mymaster -1', 'negative time parameter.'],
    ['sentinel myid abc', 'Malformed Sentinel id in myid option.'],
    [`sentinel myid ${'X'.repeat(40)}`, 'Malformed Sentinel id in myid option.'],
    [
      'sentinel deny-scripts-reconfig maybe',
      'Please specify yes or no for the deny-scripts-reconfig options.',
    ],
    [
      'sentinel resolve-hostnames maybe',
      'Please specify yes or no for the resolve-hostnames option.',
    ],
    [
      'sentinel announce-hostnames maybe',
      'Please specify yes or no for the announce-hostnames option.',
    ],
    ['sentinel announce-ip a b', 'Unrecognized sentinel configuration statement.'],
    ['sentinel current-epoch -1', 'the epoch must not be below 0'],
    ['sentinel nonsense', 'Unrecognized sentinel configuration statement.'],
    ['bogus 1', 'Bad directive or wrong number of arguments'],
    ['port', 'wrong number of arguments'],
    ['port 1 2', 'wrong number of arguments'],
    ['port abc', "argument couldn't be parsed into an integer"],
    ['port 70000', 'argument must be between 0 and 65535 inclusive'],
    ['maxclients 0', 'argument must be between 1 and 4294967295 inclusive'],
    ['protected-mode maybe', "argument must be 'yes' or 'no'"],
    ['loglevel foo', 'argument(s) must be one of the following: debug, verbose, notice, warning'],
    ['logfile "a', 'Unbalanced quotes in configuration line'],
    ['tls-port 70000', 'argument must be between 0 and 65535 inclusive'],
    ['tls-auth-clients maybe', 'argument(s) must be one of the following: no, yes, optional'],
    [
      'tls-protocols "TLSv1.2 SSLv3"',
      "Invalid tls-protocols specified. Use a combination of 'TLSv1', 'TLSv1.1', 'TLSv1.2' and 'TLSv1.3'.",
    ],
    [
      'user alice on +@nonsense',
      /^Error loading ACL rule '\+@nonsense' for the user named 'alice': /,
    ],
    ['user', 'Bad directive or wrong number of arguments'],
    ['include other.conf', "can't open config file 'other.conf': other files are not read here"],
    ['include', 'Bad directive or wrong number of arguments'],
    ['rename-command NONE x', 'No such command in rename-command'],
    ['rename-command PING info', 'Target command name already exists'],
    ['rename-command PING', 'Bad directive or wrong number of arguments'],
    ['supervised maybe', 'argument(s) must be one of the following: upstart, systemd, auto, no'],
    [
      'client-output-buffer-limit none 0 0 0',
      'Invalid client class specified in buffer limit configuration.',
    ],
    [
      'client-output-buffer-limit pubsub 1 x 1',
      'Error in hard, soft or soft_seconds setting in buffer limit configuration.',
    ],
    [
      'client-output-buffer-limit pubsub 1',
      'Wrong number of arguments in buffer limit configuration.',
    ],
    [
      'acl-pubsub-default none',
      'argument(s) must be one of the following: allchannels, resetchannels',
    ],
    ['sentinel known-replica mymaster localhost 1', "Can't resolve instance hostname."],
  ])('%s', (line, message) => {
    const parsed = parseSentinelConf(MONITOR + line, 's.conf')
    const problems = parsed.ok ? [] : parsed.problems
    const wanted = typeof message === 'string' ? message : expect.stringMatching(message)
    expect(problems).toMatchObject([{ severity: 'error', line: 2, message: wanted }])
  })

  test('about a group whose name is not in ASCII', () => {
    const lines = 'sentinel monitor größe 127.0.0.1 6379 2\nsentinel failover-timeout größe 0\n'
    expect(problemsOf(utf8Bytes(lines))).toEqual([
      'E_RANGE s.conf:2:1  sentinel failover-timeout größe  negative or zero time parameter.',
    ])
  })

  test('a replica twice', () => {
    const line = 'sentinel known-replica mymaster 127.0.0.1 1\n'
    expect(problemsOf(MONITOR + line + line)).toEqual([
      'E_DUPLICATE s.conf:3:1  sentinel known-replica mymaster  Duplicate hostname and port for replica.',
    ])
  })

  test('a peer twice', () => {
    const line = (port: number) => `sentinel known-sentinel mymaster 127.0.0.1 ${port} ${RUN_ID}\n`
    expect(problemsOf(MONITOR + line(1) + line(2))).toEqual([
      'E_DUPLICATE s.conf:3:1  sentinel known-sentinel mymaster  Duplicate runid for sentinel.',
    ])
  })

  test('all of them at once, with hints', () => {
    expect(
      problemsOf(`prot 1\nsentinel moniter a 1 2 3\n${MONITOR}sentinel auth-pass mymastre x`),
    ).toEqual([
      'E_UNKNOWN s.conf:1:1  prot  Bad directive or wrong number of arguments  (did you mean port?)',
      'E_UNKNOWN s.conf:2:1  sentinel moniter  Unrecognized sentinel configuration statement.  (did you mean monitor?)',
      'E_UNKNOWN s.conf:4:1  sentinel auth-pass mymastre  No such master with specified name.  (did you mean mymaster?)',
    ])
  })

  test('what is like nothing known, and what is there twice, with the way out', () => {
    expect(problemsOf(`foo bar\n${MONITOR}${MONITOR}`)).toEqual([
      'E_UNKNOWN s.conf:1:1  foo  Bad directive or wrong number of arguments  (no directive has this name: take it out)',
      'E_DUPLICATE s.conf:3:1  sentinel monitor mymaster  Duplicate master name.  (a line above monitors a group of this name: remove one of the two)',
    ])
  })

  test('a sentinel.yml under another name is told how it is known', () => {
    expect(problemsOf('groups:\nport: 26379\n')).toEqual(
      ['1:1  groups:', '2:1  port:'].map(
        (place) =>
          `E_UNKNOWN s.conf:${place}  Bad directive or wrong number of arguments  ` +
          '(no directive ends in a colon; if this is a sentinel.yml, its name must end in .yml or .yaml)',
      ),
    )
  })

  test('a value before any directive on the command line', () => {
    expect(problemsOf(MONITOR, ['26380'])).toEqual([
      'E_UNKNOWN command line  26380  Bad directive or wrong number of arguments  (no directive has this name: take it out)',
    ])
  })
})

describe('a warning, for what is accepted and not done', () => {
  test.each([
    'maxmemory 1gb',
    'masterauth secret',
    'unixsocket /run/s.sock',
    'syslog-enabled yes',
    'supervised upstart',
    'latency-tracking-info-percentiles 50 99 99.9',
    'client-output-buffer-limit normal 0 0 0',
    'client-output-buffer-limit pubsub 0 0 0',
    'client-output-buffer-limit pubsub 1mb 512kb 60',
    'sentinel failover-timeout mymaster 99999999999999',
    'sentinel parallel-syncs mymaster 0',
    'sentinel known-sentinel mymaster 127.0.0.1 1 short',
  ])('%s', (line) => {
    expect(parse(MONITOR + line).warnings).toMatchObject([{ severity: 'warning', line: 2 }])
  })
})

test('comments, blank lines and a byte order mark are skipped', () => {
  expect(parse('\xef\xbb\xbf# hi\r\n\r\n  # there\r\nport 5\r\n').value.core.port).toBe(5)
})

test('no text makes it throw', () => {
  const piece = fc.constantFrom(
    'sentinel ',
    'monitor ',
    'g ',
    '127.0.0.1 ',
    '1 ',
    '\n',
    'known-replica ',
    'port ',
    'myid ',
    '"',
    '-1 ',
  )
  fc.assert(
    fc.property(
      fc.array(fc.oneof(piece, fc.string())),
      fc.array(fc.string()),
      (pieces, overrides) => {
        parseSentinelConf(pieces.join(''), 's.conf', overrides)
      },
    ),
  )
})

describe('directives of our own', () => {
  const OWN = `${MONITOR}sentinel detection mymaster Evidence
sentinel refused-after mymaster 400
sentinel gray-after mymaster 5000
`

  test('say how a dead master is recognised', () => {
    expect(parse(OWN).value.core.groups[0]).toMatchObject({
      ...{ detection: 'evidence', refusedAfterMs: 400, grayAfterMs: 5000 },
    })
    expect(parse(OWN).value.core.defaultDetection).toBe('ping')
  })

  test('come with the warning that redis-sentinel would refuse the file', () => {
    const warning = (line: number, directive: string) =>
      `W_EXTENSION s.conf:${line}:1  sentinel ${directive} mymaster  redis-sentinel does not know this and would refuse the file  (vedette export-conf writes one without it)`
    expect(problemsOf(OWN)).toEqual([
      warning(2, 'detection'),
      warning(3, 'refused-after'),
      warning(4, 'gray-after'),
    ])
  })

  test('are not taken for longer than a timer can run', () => {
    const text = `${MONITOR}sentinel refused-after mymaster 9999999999\nsentinel gray-after mymaster 9999999999\n`
    const longest = 2 ** 31 - 1
    expect(parse(text).value.core.groups[0]).toMatchObject({
      ...{ refusedAfterMs: longest, grayAfterMs: longest },
    })
  })

  test('may stand on the command line', () => {
    const { value } = parse(MONITOR, ['--sentinel', 'detection', 'mymaster', 'evidence'])
    expect(value.core.groups[0]?.detection).toBe('evidence')
  })

  test('are no word about the file, on the command line', () => {
    const overrides = ['--log-format', 'redis', '--sentinel', 'detection', 'mymaster', 'evidence']
    expect(parse(MONITOR, overrides).warnings).toEqual([])
  })
})

// C Sentinel counts on to 2^64 - 1, and a poisoned one writes such numbers into its file.
test('epochs above our end are our end, so that the Sentinel starts and gives no vote twice', () => {
  const lines = ['current-epoch 9223372036854775807', 'leader-epoch mymaster 18446744073709551615']
  const { value } = parse(`${MONITOR}${lines.map((line) => `sentinel ${line}\n`).join('')}`)
  expect(value.learnt).toMatchObject({
    currentEpoch: 2 ** 53 - 1,
    groups: [{ leaderEpoch: 2 ** 53 - 1 }],
  })
})

test('a wrong monitor line is told, and not each line of its group as well', () => {
  const text = `sentinel monitor mm redis-master 6379 2
sentinel down-after-milliseconds mm 5000
sentinel auth-pass mm
sentinel parallel-syncs other 1
`
  const parsed = parseSentinelConf(text, 's.conf')
  const told = parsed.ok ? [] : parsed.problems.map(({ line, message }) => `${line} ${message}`)
  expect(told).toEqual([
    "1 Can't resolve instance hostname.",
    '3 Unrecognized sentinel configuration statement.',
    '4 No such master with specified name.',
  ])
})
