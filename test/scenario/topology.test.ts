import { describe, expect, test } from 'vitest'
import { altered, parse, problemsOf } from './support.ts'

const ZONES = 'zones: { east: [a, b], west: [c, d] }'

/** The small scenario with these lines at the head of its topology. */
function withLines(...lines: readonly string[]): string {
  return altered('topology:', ['topology:', ...lines.map((line) => `  ${line}`)].join('\n'))
}

function waysOf(...lines: readonly string[]): readonly string[] {
  const { ways } = parse(withLines(...lines)).topology
  return ways.map(
    ({ hosts, latency }) => `${hosts.join('-')} ${latency.baseMs}+${latency.jitterMs}`,
  )
}

describe('ways', () => {
  test('between zones stand for all pairs of their hosts, and within a zone nothing changes', () => {
    const ways = waysOf(ZONES, 'ways: [{ between: [east, west], latency: 40ms, jitter: 5ms }]')
    expect(ways).toEqual(['a-c 40+5', 'a-d 40+5', 'b-c 40+5', 'b-d 40+5'])
  })

  test('within one zone are its pairs, each once', () => {
    expect(waysOf(ZONES, 'ways: [{ between: [east, east], latency: 3ms }]')).toEqual(['a-b 3+1'])
  })

  test('of single hosts are exceptions from those of their zones', () => {
    const ways = waysOf(
      ZONES,
      'jitter: 0ms',
      'ways: [{ between: [east, west], latency: 40ms }, { between: [d, b], latency: 9ms }]',
    )
    expect(ways).toEqual(['a-c 40+0', 'a-d 40+0', 'b-c 40+0', 'b-d 9+0'])
  })
})

test('hosts know their zones', () => {
  expect([...parse(withLines(ZONES)).topology.zones]).toEqual([
    ['a', 'east'],
    ['b', 'east'],
    ['c', 'west'],
    ['d', 'west'],
  ])
})

test('clients have an operation and a pace', () => {
  const clients = `app: { host: d, operation: counter, think: 5ms }
    plain: {}
    app3: { operation: register, rate: 7`
  const { topology } = parse(altered('app: { host: d, rate: 20', clients))
  expect(
    topology.clients.map(({ name, host, operation, pace }) => [name, host, operation, pace]),
  ).toEqual([
    ['app', 'd', 'counter', { kind: 'think', ms: 5 }],
    ['plain', 'plain', 'keys', { kind: 'rate', perSecond: 100, pipeline: 1 }],
    ['app3', 'app3', 'register', { kind: 'rate', perSecond: 7, pipeline: 1 }],
  ])
})

describe('problems of a topology', () => {
  test.each([
    ['an unknown host in a zone', 'zones: { east: [a, q] }', /zones\.east {2}no host is called q/],
    ['a host in two zones', 'zones: { x: [a], y: [a] }', /zones\.y {2}a stands in x already/],
    ['a zone named like a host', 'zones: { a: [b] }', /zones\.a {2}a is a host already/],
    [
      'a way to nowhere',
      'ways: [{ between: [a, east], latency: 1ms }]',
      /ways\[0\]\.between\[1\] {2}no zone or host is called east {2}\(there are a, b, c, d\)/,
    ],
    [
      'a way that goes nowhere',
      'ways: [{ between: [a, a], latency: 1ms }]',
      /leads from a host to itself/,
    ],
    [
      'a way without its latency',
      'ways: [{ between: [a, b] }]',
      /ways\[0\]\.latency {2}is missing/,
    ],
  ])('%s', (_what, line, problem) => {
    expect(problemsOf(withLines(line)).join('\n')).toMatch(problem)
  })

  test('a first master that joins later', () => {
    const text = altered('n1: { host: a }', 'n1: { host: a, joins-later: true }')
    expect(problemsOf(text).join('\n')).toMatch(/groups\.mymaster\.master {2}n1 joins later/)
  })

  test('a client with two paces', () => {
    const text = altered('rate: 20', 'rate: 20, think: 5ms')
    expect(problemsOf(text).join('\n')).toMatch(/workload\.clients\.app {2}has rate and think/)
  })
})

describe('detection of a group', () => {
  const RULES = ', detection: ping }'

  test('is by evidence unless the file says otherwise, as in sentinel.yml', () => {
    const [group] = parse(altered(RULES, ' }')).topology.groups
    expect(group).toMatchObject({ detection: 'evidence', refusedAfterMs: 250 })
  })

  test('is what the file says', () => {
    const text = altered(RULES, ', detection: ping, refused-after: 400ms }')
    const [group] = parse(text).topology.groups
    expect(group).toMatchObject({ detection: 'ping', refusedAfterMs: 400 })
  })

  test('is one of two', () => {
    const problems = problemsOf(altered(RULES, ', detection: guess }'))
    expect(problems.join()).toContain('must be evidence or ping')
  })
})

describe('the options of a group', () => {
  const said = (option: string): string => altered('down-after: 1s', option)

  test.each([
    'down-after: 0s',
    'down-after: 0.4ms',
    'down-after: 1s, refused-after: 0s',
    'down-after: 1s, pre-failover-hook-timeout: 0s',
  ])('have the bounds of sentinel.yml: %s', (option) => {
    expect(problemsOf(said(option))).toEqual([expect.stringContaining('must be at least 1ms')])
  })

  test.each(['gray-after: 0s', 'forget-after: 0s', 'failover-block: 0s', 'write-quorum: 0'])(
    'may be zero where that means none: %s',
    (option) => {
      expect(problemsOf(said(`down-after: 1s, ${option}`))).toEqual([])
    },
  )
})

test.each([
  ['port: 5', 'say host, and port if need be, of the node'],
  ['Bind: 0.0.0.0', 'say host'],
  ['replicaof: 10.0.0.1 6379', 'say replica-of of the node'],
  ['requirepass: secret', 'say password of the topology'],
  ['daemonize: "yes"', 'leave it out: the engine runs the nodes'],
])('a setting that the topology decides is refused: %s', (setting, hint) => {
  const all = problemsOf(altered('settings: { ', `settings: { ${setting}, `))
  const own = problemsOf(altered('n2: { host: b,', `n2: { host: b, settings: { ${setting} },`))
  for (const problems of [all, own]) {
    expect(problems).toEqual([expect.stringContaining('is decided by the topology')])
    expect(problems[0]).toContain(hint)
  }
})

test.each([`'rename-command': 'KEYS x'`, 'include: other.conf', 'loadmodule: x.so'])(
  'a setting that is for a file is not called unknown: %s',
  (setting) => {
    const [problem, ...more] = problemsOf(altered('settings: { ', `settings: { ${setting}, `))
    expect(more).toEqual([])
    expect(problem).toContain('is for redis.conf alone')
    expect(problem).toContain('leave it out: nodes of a scenario have no file')
  },
)

test.each([
  ['{ event: { name: +sdown }, group: zz, within: 1s }', 'no group is called zz'],
  ['{ event: { name: +sdown, at-most: 3 }, group: zz }', 'no group is called zz'],
  ['{ event: { name: +tilt }, group: mymaster, never: true }', '+tilt names no group'],
  ['{ event: { name: +vote-for-leader, at-most: 1 }, group: mymaster }', 'names no group'],
  ['{ role: { node: n1, is: master }, group: zz, within: 1s }', 'no group is called zz'],
  ['{ settled: { within: 1s }, group: mymaster }', 'all groups settle together'],
])('a group that would not be looked at is refused: %s', (expectation, text) => {
  const problems = problemsOf(altered(/\{ master: \{ not.*/, expectation))
  expect(problems).toEqual([expect.stringContaining(text)])
})

test.each(['kill: []', 'partition: [[], [a]]'])(
  'an empty list of names is refused: %s',
  (action) => {
    const problems = problemsOf(altered('as: kill, kill: n1', `as: kill, ${action}`))
    expect(problems).toEqual([expect.stringContaining('must have a name')])
  },
)
