import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_OUTSIDE } from '../../src/config/config-filesystem.ts'
import { formatProblem } from '../../src/config/problem.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'
import { DEFAULT_GROUP, DEFAULT_SENTINEL } from '../../src/core/config.ts'

const GROUPS = `groups:
  mymaster:
    master: 127.0.0.1:6379
    quorum: 2
`

function parse(text: string) {
  const parsed = parseSentinelYml(text, 'f.yml')
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'))
  return parsed.value
}

function problemsOf(text: string): string[] {
  const parsed = parseSentinelYml(text, 'f.yml')
  return parsed.ok
    ? []
    : parsed.problems.map((problem) => `${problem.code} ${formatProblem(problem)}`)
}

describe('a sound file', () => {
  test('with one group has the defaults everywhere else', () => {
    const file = parse(GROUPS)
    expect(file.core).toEqual({
      ...DEFAULT_SENTINEL,
      groups: [{ ...DEFAULT_GROUP, name: 'mymaster', host: '127.0.0.1', port: 6379, quorum: 2 }],
    })
    expect(file.listen).toEqual({ bind: ['*', '-::*'], port: 26_379, protectedMode: false })
    expect(file.stateDir).toBeUndefined()
    expect(file.logLevel).toBe('notice')
  })

  test('says everything that can be said', () => {
    const file = parse(`
port: 5000
bind: [127.0.0.1, "-::1"]
protected-mode: yes
bind-source-addr: 10.0.0.9
maxclients: 5
announce-ip: 10.0.0.1
announce-port: 5001
requirepass: geheim
sentinel-user: s
sentinel-pass: t
state-dir: /var/lib/vedette
state-file: one.state
log-level: debug
log-file: /var/log/vedette.log
sentinels: 3
groups:
  g:
    master: { host: "0:0::1", port: 7000 }
    quorum: 3
    down-after: 500ms
    failover-timeout: 1.5s
    parallel-syncs: 2
    auth-user: u
    auth-pass: p
periods: { info: 1s, ping: 100, ask: 1s, hello: 1s, tilt-trigger: 1s, tilt: 1m, slave-reconf-timeout: 1s, min-link-reconnect: 1s, election-timeout: 1h }
`)
    expect(file).toMatchObject({
      listen: { bind: ['127.0.0.1', '-::1'], port: 5000, protectedMode: true },
      bindSourceAddr: '10.0.0.9',
      stateDir: '/var/lib/vedette',
      stateFile: 'one.state',
      logLevel: 'debug',
      logFile: '/var/log/vedette.log',
      sentinels: 3,
    })
    expect(file.core).toMatchObject({
      port: 5000,
      maxClients: 5,
      announceIp: '10.0.0.1',
      announcePort: 5001,
      requirepass: 'geheim',
      sentinelUser: 's',
      sentinelPass: 't',
    })
    expect(file.core.groups).toEqual([
      {
        ...DEFAULT_GROUP,
        name: 'g',
        host: '::1',
        port: 7000,
        quorum: 3,
        downAfterMs: 500,
        failoverTimeoutMs: 1500,
        parallelSyncs: 2,
        authUser: 'u',
        authPass: 'p',
      },
    ])
    expect(file.core.periods).toMatchObject({
      pingMs: 100,
      tiltMs: 60_000,
      electionTimeoutMs: 3_600_000,
    })
  })

  test.each(['', 'groups:', 'groups: {}\nperiods:'])('may have no group: %j', (text) => {
    expect(parse(text).core.groups).toEqual([])
  })

  test('keeps the order of its groups, whatever their names look like', () => {
    const text = `groups:
  b: { master: "127.0.0.1:1", quorum: 1 }
  2: { master: "127.0.0.1:2", quorum: 1 }
  a: { master: "127.0.0.1:3", quorum: 1 }
  1: { master: "[::1]:4", quorum: 1 }
`
    expect(parse(text).core.groups.map((group) => group.name)).toEqual(['b', '2', 'a', '1'])
  })

  test('gives names and passwords as bytes, and paths as text', () => {
    const file = parse(
      'requirepass: é\nstate-dir: é\ngroups: { é: { master: "127.0.0.1:1", quorum: 1 } }',
    )
    expect(file.core.requirepass).toBe('\xc3\xa9')
    expect(file.core.groups[0]?.name).toBe('\xc3\xa9')
    expect(file.stateDir).toBe('é')
  })

  test('remembers where things stand', () => {
    expect(parse(GROUPS).locations.get('groups.mymaster.quorum')).toEqual({
      line: 4,
      column: 13,
      path: 'groups.mymaster.quorum',
    })
  })
})

test('all problems are told at once, in the order of the file', () => {
  expect(
    problemsOf(`port: abc
prot: 3
requirepass: 0123
groups:
  a b:
    master: 127.0.0.1:6379
    quorum: 0
  x:
    quorm: 2
    down-after: 5 parsecs
    down-after-milliseconds: 3
  y: 3
  z:
    master: { host: localhost, prt: 1 }
    quorum:
  z:
    master: "[::1]:6379"
    quorum: 2
periods: [1]
`),
  ).toMatchInlineSnapshot(`
    [
      "E_TYPE f.yml:1:7  port  must be a whole number",
      "E_UNKNOWN f.yml:2:1  prot  unknown option  (did you mean port?)",
      "E_TYPE f.yml:3:14  requirepass  must be text  (put it in quotes)",
      "E_VALUE f.yml:5:3  groups.a b  a group name has no blanks, commas or control characters  (letters, digits and .-_ are safe)",
      "E_RANGE f.yml:7:13  groups.a b.quorum  must be between 1 and 2147483647",
      "E_MISSING f.yml:8:3  groups.x.master  is required",
      "E_MISSING f.yml:8:3  groups.x.quorum  is required",
      "E_UNKNOWN f.yml:9:5  groups.x.quorm  unknown option  (did you mean quorum?)",
      "E_TYPE f.yml:10:17  groups.x.down-after  must be a duration  (a number of milliseconds, or text as 500ms, 5s, 3m)",
      "E_UNKNOWN f.yml:11:5  groups.x.down-after-milliseconds  unknown option  (in a sentinel.yml it is down-after)",
      "E_TYPE f.yml:12:6  groups.y  must be a map of options  (y: { master: "10.0.0.1:6379", quorum: 2 })",
      "E_DUPLICATE f.yml:16:3  groups.z  the same option twice",
      "E_TYPE f.yml:19:10  periods  must be a map of options",
    ]
  `)
})

describe('a problem', () => {
  test.each([
    ['port: -1', 'E_RANGE f.yml:1:7  port  must be between 0 and 65535'],
    ['port: 70000', 'E_RANGE f.yml:1:7  port  must be between 0 and 65535'],
    ['port: 1.5', 'E_TYPE f.yml:1:7  port  must be a whole number'],
    ['port: "1"', 'E_TYPE f.yml:1:7  port  must be a whole number'],
    ['port:', 'E_MISSING f.yml:1:6  port  has no value  (give it one, or leave the line out)'],
    ['bind: [1]', 'E_VALUE f.yml:1:7  bind  1 is no IP address  (an address, *, or ::*)'],
    ['bind: &a [*a]', 'E_VALUE f.yml:1:10  bind  this is no IP address  (an address, *, or ::*)'],
    ['bind: "[::1]"', 'E_VALUE f.yml:1:7  bind  "[::1]" is no IP address  (without the brackets)'],
    [
      'announce-ip: "[::1]"',
      'E_VALUE f.yml:1:14  announce-ip  "[::1]" is neither an IP address nor a host name  (without the brackets)',
    ],
    ['protected-mode: 1', 'E_TYPE f.yml:1:17  protected-mode  must be yes or no'],
    [
      'log-level: loud',
      'E_VALUE f.yml:1:12  log-level  must be one of debug, verbose, notice, warning, nothing',
    ],
    ['log-file: 7', 'E_TYPE f.yml:1:11  log-file  must be text  (put it in quotes)'],
    [
      'announce-ip: 10.0.0',
      'E_VALUE f.yml:1:14  announce-ip  "10.0.0" is neither an IP address nor a host name  (as four numbers without leading zeros, such as 10.0.0.1)',
    ],
    ['periods: { ping: 0 }', 'E_RANGE f.yml:1:18  periods.ping  must be between 1ms and 24 days'],
    ['periods: { ping: 1.5ms }', 'E_TYPE f.yml:1:18  periods.ping  must be whole milliseconds'],
    [
      'periods: { ping: 25d }',
      'E_TYPE f.yml:1:18  periods.ping  must be a duration  (a number of milliseconds, or text as 500ms, 5s, 3m)',
    ],
    [
      'periods: { ping: 600h }',
      'E_RANGE f.yml:1:18  periods.ping  must be between 1ms and 24 days',
    ],
    [
      'periods: { pings: 1 }',
      'E_UNKNOWN f.yml:1:12  periods.pings  unknown option  (did you mean ping?)',
    ],
    ['- a', 'E_TYPE f.yml:1:1  must be a map of options'],
    [
      'port: [',
      'E_SYNTAX f.yml:1:8  Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    [
      'port: *x',
      'E_SYNTAX f.yml:1:1  Unresolved alias (the anchor must be set before the alias): x',
    ],
    ['port: 1\n---\nport: 2', 'E_SYNTAX f.yml:2:1  more than one document (---) in the file'],
    ['port: 1\nport: 2', 'E_DUPLICATE f.yml:2:1  port  the same option twice'],
    [
      'dir: /var/lib',
      'E_UNKNOWN f.yml:1:1  dir  unknown option  (in a sentinel.yml it is state-dir)',
    ],
    ['tls-port: 1', 'E_UNKNOWN f.yml:1:1  tls-port  unknown option  (write port below tls:)'],
    [
      'zones: {a: b}',
      'E_UNKNOWN f.yml:1:1  zones  unknown option  (write zones in a group, or below defaults: for all of them)',
    ],
    [
      'down-after-milliseconds: 5s',
      'E_UNKNOWN f.yml:1:1  down-after-milliseconds  unknown option  (write down-after in a group, or below defaults: for all of them)',
    ],
    [
      'groups: {m: {master: 10.0.0.1:6379, quorum: 2, announce-ip: 10.0.0.9}}',
      'E_UNKNOWN f.yml:1:48  groups.m.announce-ip  unknown option  (it stands at the top of the file)',
    ],
    [
      'groups: [m]',
      'E_TYPE f.yml:1:9  groups  must be a map of options  (groups: { mymaster: { master: "10.0.0.1:6379", quorum: 2 } })',
    ],
    ['constructor: 1', 'E_UNKNOWN f.yml:1:1  constructor  unknown option'],
    [
      'groups: { g: { quorum: 2, master: [::1]:6379 } }',
      'E_SYNTAX f.yml:1:40  Missing , between flow map items  (in quotes: "[::1]:6379")',
    ],
    ['__proto__: {}', 'E_UNKNOWN f.yml:1:1  __proto__  unknown option'],
  ])('in %j', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem])
  })

  test.each(['a b', 'a,b', 'a\tb', 'a\\x07b', 'a\\u00a0b'])('is a group called "%s"', (name) => {
    const text = GROUPS.replace('mymaster', `"${name}"`)
    expect(problemsOf(text)).toEqual([expect.stringContaining('a group name has no blanks')])
  })

  test.each([
    '127.0.0.1',
    'localhost:6379',
    ':6379',
    '127.0.0.1:x',
    '127.0.0.1:0',
    '::1:6379',
    '127.0.0.1:99999',
  ])('is a master at %s', (master) => {
    const text = GROUPS.replace('127.0.0.1:6379', `"${master}"`)
    expect(problemsOf(text)).not.toEqual([])
  })

  test.each(['[', '- ', '{a: ', '["]", ', '? '])('is a hundred thousand times %j', (piece) => {
    const problem = 'E_SYNTAX f.yml:1:1  nested too deeply'
    expect(problemsOf(piece.repeat(100_000))).toEqual([problem])
  })

  test('is a YAML bomb', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    for (let i = 1; i < 9; i++) lines.push(`a${i}: &a${i} [${Array(9).fill(`*a${i - 1}`)}]`)
    expect(problemsOf(lines.join('\n'))).toEqual([expect.stringContaining('Excessive alias count')])
  })
})

test('no text makes it throw', () => {
  const piece = fc.constantFrom(
    'groups:',
    '\n',
    '  ',
    'a',
    ': ',
    '- ',
    '[',
    '{',
    '}',
    '&a ',
    '*a',
    '? ',
    '"',
    '!!set ',
    '|\n',
    'port',
    '1',
    '<<: ',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
      parseSentinelYml(pieces.join(''), 'f.yml')
    }),
  )
})

describe('what came with the whole of Sentinel', () => {
  test('has its place in a file', () => {
    const value = parse(`
resolve-hostnames: yes
announce-hostnames: yes
announce-ip: me.example
users: ["alice on >geheim ~* +@all"]
rename-commands: {SHUTDOWN: ""}
deny-scripts-reconfig: no
output-limit: 64mb
daemonize: yes
pid-file: /run/s.pid
supervised: auto
tls: {port: 26380, replication: yes, cert-file: c.pem, auth-clients: optional, protocols: [TLSv1.3]}
groups:
  g:
    master: {host: master.example, port: 6379}
    quorum: 1
    notification-script: /bin/true
    rename-commands: {CONFIG: guessme}
    reboot-down-after: 7s
periods: {default-down-after: 5s, script-retry-delay: 1s}
`)
    expect(value).toMatchObject({
      daemonize: true,
      pidFile: '/run/s.pid',
      supervised: 'auto',
      outputLimitBytes: 64 * 1024 * 1024,
      tls: { port: 26_380, replication: true, certFile: 'c.pem', protocols: ['TLSv1.3'] },
    })
    expect(value.core).toMatchObject({
      resolveHostnames: true,
      announceHostnames: true,
      announceIp: 'me.example',
      tlsPort: 26_380,
      tlsReplication: true,
      users: [['alice', 'on', '>geheim', '~*', '+@all']],
      ownRenamedCommands: [['shutdown', '']],
      denyScriptsReconfig: false,
      periods: { defaultDownAfterMs: 5_000, scriptRetryDelayMs: 1_000 },
    })
    expect(value.core.groups[0]).toMatchObject({
      host: 'master.example',
      notificationScript: '/bin/true',
      renamedCommands: [['config', 'guessme']],
      rebootDownAfterMs: 7_000,
    })
  })

  test('a dead master is recognised by evidence unless the file says otherwise', () => {
    const groupWith = (options: string) =>
      parse(`groups: {g: {master: "10.0.0.1:1", quorum: 1, ${options}}}`).core.groups[0]
    expect(groupWith('')).toMatchObject({
      ...{ detection: 'evidence', refusedAfterMs: 250, grayAfterMs: 0 },
    })
    expect(groupWith('detection: ping, refused-after: 1s, gray-after: 5s')).toMatchObject({
      ...{ detection: 'ping', refusedAfterMs: 1_000, grayAfterMs: 5_000 },
    })
  })

  test('a name of a host needs resolve-hostnames', () => {
    expect(problemsOf('groups: {g: {master: "name.example:1", quorum: 1}}')).toEqual([
      'E_VALUE f.yml:1:22  groups.g.master  "name.example" is no IP address' +
        '  (a numeric IPv4 or IPv6 address, or a name with resolve-hostnames: yes)',
    ])
  })

  test('a master at an IPv6 address without brackets lacks its port, and the hint says how it is written', () => {
    expect(problemsOf('groups: {g: {master: "::1:6379", quorum: 1}}')).toEqual([
      'E_MISSING f.yml:1:14  groups.g.master.port  is required' +
        '  (host:port, as in 10.0.0.1:6379 or "[::1]:6379")',
    ])
  })

  test('a script has to be there', () => {
    const text = 'groups: {g: {master: "10.0.0.1:1", quorum: 1, notification-script: /nowhere}}'
    const outside = { ...NO_OUTSIDE, isExecutable: () => false }
    const parsed = parseSentinelYml(text, 'f.yml', outside)
    expect(parsed).toMatchObject({
      problems: [
        { path: 'groups.g.notification-script', message: 'there is no program at this path' },
      ],
    })
  })

  test.each([
    [
      'users: alice',
      'E_TYPE f.yml:1:8  users  must be a list of users  ("alice on >secret ~* &* +@all")',
    ],
    [
      'users: [""]',
      'E_VALUE f.yml:1:8  users  a user is a name and rules in one text  ("alice on >secret ~* &* +@all")',
    ],
    [
      'users: ["alice +@nonsense"]',
      "E_VALUE f.yml:1:8  users  Error loading ACL rule '+@nonsense' for the user named 'alice': Unknown command or category name in ACL",
    ],
    [
      'users: ["user bob on nopass"]',
      `E_VALUE f.yml:1:8  users  Error in user declaration 'bob': Syntax error  (begin with the name, without the word user: "alice on >secret ~* &* +@all")`,
    ],
    [
      'output-limit: much',
      'E_TYPE f.yml:1:15  output-limit  must be a size  (a number of bytes, or text as 64kb, 32mb, 1gb)',
    ],
    [
      'rename-commands: {A: 1}',
      'E_TYPE f.yml:1:18  rename-commands  must be a map of command names  (CONFIG: "secret-config")',
    ],
    ['tls: {prot: 1}', 'E_UNKNOWN f.yml:1:7  tls.prot  unknown option  (did you mean port?)'],
    ['supervised: upstart', 'E_VALUE f.yml:1:13  supervised  must be one of no, auto, systemd'],
    [
      'groups: {g: {master: "10.0.0.1:1", quorum: 1, detection: guess}}',
      'E_VALUE f.yml:1:58  groups.g.detection  must be one of ping, evidence',
    ],
    [
      'groups: {g: {master: "10.0.0.1:1", quorum: 1, refused-after: 0}}',
      'E_RANGE f.yml:1:62  groups.g.refused-after  must be between 1ms and 24 days',
    ],
  ])('%s', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem])
  })
})
