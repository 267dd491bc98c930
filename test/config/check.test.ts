import { expect, test } from 'vitest'
import { advise } from '../../src/config/check.ts'
import { NO_OUTSIDE } from '../../src/config/config-filesystem.ts'
import { formatProblem } from '../../src/config/problem.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'

interface Options {
  readonly sentinels?: number
  readonly quorum?: number
  readonly group?: string
  readonly periods?: string
}

function adviceFor({ sentinels, quorum = 2, group = '', periods = '' }: Options): string[] {
  const count = sentinels === undefined ? '' : `sentinels: ${sentinels}`
  const parsed = parseSentinelYml(
    `${count}
groups: { g: { master: "127.0.0.1:6379", quorum: ${quorum}, ${group} } }
periods: { ${periods} }`,
    'f.yml',
  )
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'))
  return advise(parsed.value).map((problem) => problem.code)
}

test('three Sentinels with a quorum of two are fine', () => {
  expect(adviceFor({ sentinels: 3 })).toEqual([])
  expect(adviceFor({ sentinels: 5, quorum: 3 })).toEqual([])
})

test('nothing is said about a number of Sentinels that is not known', () => {
  expect(adviceFor({ quorum: 5 })).toEqual([])
})

test('two groups with one master are named, at the second one', () => {
  const conf = ['a 10.0.0.1', 'b 10.0.0.2', 'c 10.0.0.1'].map(
    (words) => `sentinel monitor ${words} 6379 2\n`,
  )
  const parsed = parseSentinelConf(conf.join(''), 's.conf')
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'))
  const [problem, ...others] = advise(parsed.value)
  expect(others).toEqual([])
  expect(problem).toMatchObject({ code: 'W_ONE_MASTER', line: 3 })
  expect(problem?.message).toContain('group a has the same master, 10.0.0.1:6379')
})

function portsOf(text: string): readonly string[] {
  const parsed = parseSentinelYml(
    `groups: { g: { master: "10.0.0.1:6379", quorum: 2 } }\n${text}`,
    'f.yml',
  )
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'))
  const wrong = advise(parsed.value).filter(({ severity }) => severity === 'error')
  return wrong.map(({ line, path, message }) => `${line} ${path} ${message}`)
}

const PROXY = 'proxy: { sentinels: ["10.0.0.1", "10.0.0.2", "10.0.0.3"]'

test('two ports of one file that are one are an error, as the start would find', () => {
  expect(portsOf('port: 26379\nhttp-port: 26379')).toEqual([
    '3 http-port 26379 is the port of port, too',
  ])
  expect(portsOf('http-port: 8000\ntls: { port: 8000 }')).toEqual([
    '2 http-port 8000 is the port of tls.port, too',
  ])
  expect(portsOf(`${PROXY}, groups: { g: { port: 26379 } } }`)[0]).toContain(
    'proxy.groups.g.port 26379 is the port of port, too',
  )
})

test('port 0 without a port for TLS is an error, as the start would find', () => {
  expect(portsOf('port: 0\nhttp-port: 8000')).toEqual([
    '2 port is 0, and nothing else is to be listened on: the program does not start',
  ])
  expect(portsOf('port: 0\ntls: { port: 26379 }')).toEqual([])
})

test('one port on two addresses is two ports, and none is none', () => {
  const two = 'bind: [127.0.0.1]\nhttp-bind: [127.0.0.2]\nport: 26379\nhttp-port: 26379'
  expect(portsOf(two)).toEqual([])
  expect(
    portsOf('bind: ["*"]\nhttp-bind: [127.0.0.2]\nport: 26379\nhttp-port: 26379'),
  ).toHaveLength(1)
  expect(portsOf('bind: [-127.0.0.1]\nhttp-port: 26379')).toHaveLength(1)
  expect(portsOf('http-port: 0')).toEqual([])
})

test('a quorum far above the usual asks how many Sentinels there are', () => {
  expect(adviceFor({ quorum: 6 })).toEqual(['W_QUORUM_UNCHECKED'])
  expect(adviceFor({ quorum: 6, sentinels: 11 })).toEqual([])
})

function severities(text: string): readonly string[] {
  const group = `groups: { g: { master: "10.0.0.1:6379", ${text}`
  const parsed = parseSentinelYml(group, 'f.yml')
  return parsed.ok ? advise(parsed.value).map(({ code, severity }) => `${severity} ${code}`) : []
}

test('a quorum that can never be reached is an error, known number or not', () => {
  expect(severities('quorum: 4 } }\nsentinels: 3')).toEqual(['error E_QUORUM_UNREACHABLE'])
  expect(severities('quorum: 1002 } }')).toEqual(['error E_QUORUM_UNREACHABLE'])
})

test('a duration without a unit that can only be meant in seconds is asked about', () => {
  const hints = (name: string, text: string) => {
    const parsed = name.endsWith('.yml')
      ? parseSentinelYml(`groups: { g: { master: "127.0.0.1:1", quorum: 2, ${text} } }`, name)
      : parseSentinelConf(`sentinel monitor g 127.0.0.1 1 2\nsentinel ${text}\n`, name)
    return parsed.ok ? advise(parsed.value).map(({ hint }) => hint) : ['refused']
  }
  expect(hints('f.yml', 'down-after: 5')).toEqual([
    'did you mean 5s? Without a unit it is milliseconds. Otherwise use 200 ms or more',
  ])
  expect(hints('f.yml', 'failover-timeout: 180')[0]).toMatch(/^did you mean 180s\?/)
  expect(hints('f.conf', 'down-after-milliseconds g 30')[0]).toMatch(/^did you mean 30000\?/)
  expect(hints('f.yml', 'down-after: 150')).toEqual(['use 200 ms or more'])
})

test('fewer than three Sentinels survive nothing', () => {
  expect(adviceFor({ sentinels: 2 })).toEqual(['W_FEW_SENTINELS'])
  expect(adviceFor({ sentinels: 1, quorum: 1 })).toEqual(['W_FEW_SENTINELS'])
})

test('an even number of Sentinels is one too many', () => {
  expect(adviceFor({ sentinels: 4, quorum: 3 })).toEqual(['W_EVEN_SENTINELS'])
})

test('a quorum may be out of reach, or above what the majority can do', () => {
  expect(adviceFor({ sentinels: 3, quorum: 4 })).toEqual(['E_QUORUM_UNREACHABLE'])
  expect(adviceFor({ sentinels: 3, quorum: 3 })).toEqual(['W_QUORUM_ABOVE_MAJORITY'])
})

test('a quorum of one lets a single Sentinel decide', () => {
  expect(adviceFor({ quorum: 1 })).toEqual(['W_QUORUM_ONE'])
  expect(adviceFor({ sentinels: 3, quorum: 1 })).toEqual(['W_QUORUM_ONE'])
})

test('down-after must leave room for two PINGs', () => {
  expect(adviceFor({ group: 'down-after: 199ms' })).toEqual(['W_DOWN_AFTER_SHORT'])
  expect(adviceFor({ group: 'down-after: 200ms' })).toEqual([])
  expect(adviceFor({ group: 'down-after: 150ms', periods: 'ping: 50ms' })).toEqual([])
})

test('failover-timeout must leave room for a few down-afters', () => {
  expect(adviceFor({ group: 'down-after: 10s, failover-timeout: 29s' })).toEqual([
    'W_FAILOVER_TIMEOUT_SHORT',
  ])
  expect(adviceFor({ group: 'down-after: 10s, failover-timeout: 30s' })).toEqual([])
})

test('a refused-after that somebody chose must be able to have an effect', () => {
  const codes = (group: string) => adviceFor({ group })
  expect(codes('refused-after: 250ms, down-after: 1s')).toEqual([])
  expect(codes('refused-after: 999ms, down-after: 1s')).toEqual([])
  expect(codes('refused-after: 1s, down-after: 1s')).toEqual(['W_NO_EFFECT'])
  expect(codes('refused-after: 250ms, detection: ping')).toEqual(['W_NO_EFFECT'])
})

test('the default of refused-after is no mistake of anybody, where it has no effect', () => {
  expect(adviceFor({ group: 'detection: ping' })).toEqual([])
  expect(adviceFor({ group: 'down-after: 200ms' })).toEqual([])
})

test('a refused-after that is over before a process can be back makes failovers of restarts', () => {
  expect(adviceFor({ group: 'refused-after: 49ms' })).toEqual(['W_REFUSED_AFTER_SHORT'])
  expect(adviceFor({ group: 'refused-after: 50ms' })).toEqual([])
})

test('a gray-after below a second makes a failover of a hiccup, and 0 makes none', () => {
  expect(adviceFor({ group: 'gray-after: 999ms' })).toEqual(['W_GRAY_AFTER_SHORT'])
  expect(adviceFor({ group: 'gray-after: 1s, detection: ping' })).toEqual([])
  expect(adviceFor({ group: 'gray-after: 0' })).toEqual([])
})

test('whom clients from elsewhere cannot reach although others are named for them is said', () => {
  const codes = (table: string) => adviceFor({ group: `client-addresses: {${table}}` })
  const one = '"203.0.113.0/24": {"10.0.0.1:6379": "198.51.100.7:7001"'
  expect(codes('')).toEqual([])
  const isSaid = ['W_CLIENT_ADDRESSES']
  expect(codes(`${one.replace('10.0.0.1', '10.0.0.2')}}`)).toEqual(isSaid)
  expect(codes(`${one}}, "10.0.0.0/8": {"10.0.0.1:6379": "10.0.0.1:6379"}`)).toEqual(
    codes(`${one}}`),
  )
})

test('advice on detection names the line, in either form of the file', () => {
  const yml = `groups:
  g:
    master: "127.0.0.1:6379"
    quorum: 2
    down-after: 1s
    refused-after: 2s
    gray-after: 10ms
`
  const conf = `sentinel monitor g 127.0.0.1 6379 2
sentinel refused-after g 100
`
  const fromYml = parseSentinelYml(yml, 'f.yml')
  const fromConf = parseSentinelConf(conf, 's.conf')
  expect(fromYml.ok && advise(fromYml.value).map(formatProblem)).toEqual([
    'f.yml:6:20  groups.g.refused-after  has no effect: down-after is over first, after 1000 ms  (use less than 1000 ms)',
    'f.yml:7:17  groups.g.gray-after  a master that refuses writes only for a moment would be failed over  (use 1000 ms or more; 0 only reports it)',
  ])
  expect(fromConf.ok && advise(fromConf.value).map(formatProblem)).toEqual([
    's.conf:2:1  sentinel refused-after g  has no effect with detection ping  (set detection to evidence, or leave it out)',
  ])
})

test('no group is worth a word', () => {
  const parsed = parseSentinelYml('', 'f.yml')
  expect(parsed.ok && advise(parsed.value).map((problem) => problem.code)).toEqual(['W_NO_GROUP'])
})

test('a file of vedette proxy needs no group of its own', () => {
  const three = '"10.0.0.1:26379", "10.0.0.2:26379", "10.0.0.3:26379"'
  const yml = `proxy: { sentinels: [${three}], groups: { g: { port: 6400 } } }`
  const parsed = parseSentinelYml(yml, 'f.yml')
  expect(parsed.ok && advise(parsed.value)).toEqual([])
})

test('what a sentinel.conf has learnt counts, and the advice points at its lines', () => {
  const parsed = parseSentinelConf(
    `sentinel monitor g 127.0.0.1 6379 5
sentinel parallel-syncs g 2
sentinel known-replica g 127.0.0.1 6380
sentinel known-replica g 127.0.0.1 6381
sentinel known-sentinel g 127.0.0.1 26380 ${'a'.repeat(40)}
`,
    's.conf',
  )
  expect(parsed.ok && advise(parsed.value).map(formatProblem)).toEqual([
    's.conf:5:1  sentinel known-sentinel g  2 of them cannot lose one and still elect a leader  (run three or more Sentinels)',
    's.conf:1:1  sentinel monitor g  5 of 2 Sentinels can never agree: no failover will happen  (use 2, or start the others first, if there are more)',
    's.conf:2:1  sentinel parallel-syncs g  all 2 replicas may synchronise at the same time, and then none serves reads  (use less than 2)',
  ])
})

test('a name that is announced is of no use to Sentinels that resolve none', () => {
  const codesOf = (text: string) => {
    const parsed = parseSentinelConf(`sentinel monitor g 127.0.0.1 1 2\n${text}`, 's.conf')
    return parsed.ok ? advise(parsed.value).map(({ code }) => code) : ['refused']
  }
  const name = 'sentinel announce-ip me.example\n'
  expect(codesOf(name)).toEqual(['W_NAME_ANNOUNCED'])
  expect(codesOf(`${name}sentinel resolve-hostnames yes\n`)).toEqual([])
  expect(codesOf('sentinel announce-ip 10.0.0.1\n')).toEqual([])
})

test('the voters of a strict group are checked before anything depends on them', () => {
  const strict = (words: string) =>
    severities(`quorum: 2, replication: strict, ${words} } }\nsentinels: 3`)
  const three = 'voters: ["10.0.0.1:6379", "10.0.0.2:6379", "10.0.0.3:6379"]'
  expect(strict(three)).toEqual([])
  expect(strict('down-after: 5s')).toEqual(['error E_VOTERS'])
  expect(strict('voters: ["10.0.0.1:6379", "10.0.0.2"]')).toEqual(['error E_VOTERS'])
  expect(strict('voters: ["10.0.0.2:6379", "10.0.0.3:6379"]')).toEqual(['error E_VOTERS'])
  expect(strict('voters: ["10.0.0.1:6379", "10.0.0.1:6379"]')).toEqual(['error E_VOTERS'])
  expect(strict(`${three}, write-quorum: 1`)).toEqual(['error E_VOTERS'])
  expect(strict(`${three}, write-quorum: 4`)).toEqual(['error E_VOTERS'])
  expect(strict(`${three}, write-quorum: 3`)).toEqual(['warning W_VOTERS'])
  expect(strict('voters: ["10.0.0.1:6379", "10.0.0.2:6379"]')).toEqual(['warning W_VOTERS'])
  expect(severities(`quorum: 2, ${three} } }\nsentinels: 3`)).toEqual(['warning W_NO_EFFECT'])
})

test('a voter by a host name is pointed out: its master knows it by an address', () => {
  const voters = 'voters: ["10.0.0.1:6379", "10.0.0.2:6379", "db3.example:6379"]'
  const text = `quorum: 2, replication: strict, ${voters} } }\nsentinels: 3`
  expect(severities(text)).toEqual(['warning W_VOTER_NAMED'])
  expect(severities(`${text}\nresolve-hostnames: yes`)).toEqual(['warning W_VOTER_NAMED'])
  expect(severities(`${text}\nresolve-hostnames: yes\nannounce-hostnames: yes`)).toEqual([])
})

test('a voter is the master, or named twice, however its IPv6 address is written', () => {
  const codes = (...voters: readonly string[]) => {
    const list = voters.map((voter) => `"${voter}"`).join(', ')
    const group = `master: "[2001:db8::1]:6379", quorum: 2, replication: strict, voters: [${list}]`
    const parsed = parseSentinelYml(`sentinels: 3\ngroups: { g: { ${group} } }`, 's.yml')
    return parsed.ok ? advise(parsed.value).map(({ code }) => code) : ['refused']
  }
  const others = ['[2001:db8::2]:6379', '[2001:db8::3]:6379']
  expect(codes('[2001:DB8:0::1]:6379', ...others)).toEqual([])
  expect(codes('[2001:db8::1]:6379', '[2001:DB8::1]:6379', ...others)).toEqual(['E_VOTERS'])
})

test('voters whose layout ends a strict group with one failure are pointed out', () => {
  const strict = (voters: readonly string[], words = '') => {
    const list = voters.map((voter) => `"${voter}"`).join(', ')
    const text = `quorum: 2, replication: strict, voters: [${list}]${words}`
    return severities(`${text} } }\nsentinels: 3`)
  }
  const hosts = (...last: readonly number[]) => last.map((n) => `10.0.0.${n}:6379`)
  expect(strict([...hosts(1, 2), '10.0.0.2:6380'])).toEqual(['warning W_VOTERS_TOGETHER'])
  expect(strict([...hosts(1, 2, 3, 4), '10.0.0.4:6380'])).toEqual([])
  expect(strict(['10.0.0.1:6379', '10.0.0.1:6380', '10.0.0.1:6381'])).toEqual([
    'warning W_VOTERS_TOGETHER',
  ])
  expect(strict(hosts(1, 2, 3, 4))).toEqual(['warning W_VOTERS'])
  expect(strict(hosts(1, 2, 3, 4), ', write-quorum: 3')).toEqual([])
  expect(strict(hosts(1, 2, 3), ', promotion: { "10.0.0.3": must-not }')).toEqual([
    'warning W_VOTER_NEVER_PROMOTED',
  ])
  expect(strict(hosts(1, 2, 3), ', promotion: { "10.0.0.3": prefer-not }')).toEqual([])
})

test('advice about a line of an included file names that file', () => {
  const text = 'sentinel down-after-milliseconds g 5\n'
  const include = () => ({ ok: true, files: [{ name: '/etc/groups.conf', text }] }) as const
  const parsed = parseSentinelConf(
    'port 26379\nsentinel monitor g 127.0.0.1 1 2\ninclude groups.conf',
    's.conf',
    [],
    { ...NO_OUTSIDE, include },
  )
  expect(parsed.ok && advise(parsed.value).map(formatProblem)).toEqual([
    expect.stringMatching(/^\/etc\/groups\.conf:1:1 {2}sentinel down-after-milliseconds g /),
  ])
})
