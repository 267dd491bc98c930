/** What `vedette status` shows to people and to scripts. */
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readStream } from '../../src/cli/status/ask.ts'
import { statusJson } from '../../src/cli/status/json.ts'
import { judge } from '../../src/cli/status/judge.ts'
import { statusPicture, statusText } from '../../src/cli/status/text.ts'
import type { GroupView, InstanceFields, SentinelAnswer } from '../../src/cli/status/view.ts'
import { DEFAULT_GROUP } from '../../src/core/config.ts'
import { instanceMap } from '../../src/core/report/instance-map.ts'
import type { Reply } from '../../src/resp/reply.ts'
import { SentinelBench } from '../support/sentinel-bench.ts'

const MASTER: InstanceFields = {
  ...{ name: 'g', ip: '10.0.0.1', port: '6379', runid: '1'.repeat(40), flags: 'master' },
  ...{ 'config-epoch': '3', quorum: '2', 'down-after-milliseconds': '1000' },
  ...{ 'failover-timeout': '60000', 'parallel-syncs': '1', 'role-reported': 'master' },
}
const REPLICA: InstanceFields = {
  ...{ name: '10.0.0.2:6379', ip: '10.0.0.2', port: '6379', flags: 'slave' },
  ...{ 'role-reported': 'slave', 'master-link-status': 'ok', 'slave-priority': '100' },
  'slave-repl-offset': '900',
}
const OK = 'OK 3 usable Sentinels. Quorum and failover authorization can be reached'

/** What a Sentinel remembers of a master's INFO, as C Sentinel and ours tell it. */
function cache(ageMs: number, ...lines: readonly string[]) {
  return ['g', [[ageMs, ['# Replication', ...lines, ''].join('\r\n')]]]
}
const INFO = [
  'role:master',
  'connected_slaves:2',
  'slave0:ip=10.0.0.2,port=6379,state=online,offset=1200,lag=4',
  'slave1:ip=10.0.0.3,port=6379,state=wait_bgsave,offset=0,lag=0',
  'master_repl_offset:1234567',
]

function sentinel(number: number, change: Partial<GroupView> = {}): SentinelAnswer {
  const others = [1, 2, 3].filter((one) => one !== number)
  const group: GroupView = {
    ...{ name: 'g', address: '10.0.0.1:6379', master: MASTER, replicas: [REPLICA] },
    peers: others.map((one) => ({ ip: `10.0.1.${one}`, port: '26379' })),
    ...{ quorum: OK, stream: undefined },
    ...change,
  }
  return {
    ...{ address: `10.0.1.${number}:26379`, failure: undefined, myid: String(number).repeat(40) },
    ...{
      process: undefined,
      program: 'vedette 0.1.0',
      isTilted: false,
      groups: [group],
      remarks: [],
      unreached: [],
    },
  }
}

function fieldsIn(reply: Reply): InstanceFields {
  if (reply.kind !== 'map') throw new Error('no map')
  const text = (one: Reply) => (one.kind === 'bulk' ? one.bytes : '')
  return Object.fromEntries(reply.entries.map(([name, value]) => [text(name), text(value)]))
}

function silent(number: number, failure: string): SentinelAnswer {
  return { ...sentinel(number), failure, groups: [], myid: '' }
}

function linesOf(views: readonly SentinelAnswer[], columns?: number): readonly string[] {
  return stripVTControlCharacters(statusText(judge(views, undefined), columns)).split('\n')
}

describe('the quorum', () => {
  const first = (...views: readonly SentinelAnswer[]) => linesOf(views)[0]

  test('is told of all Sentinels that are known', () => {
    expect(first(sentinel(1), sentinel(2), sentinel(3))).toContain('g  quorum 2 of 3 · down after')
  })

  test('that two dead Sentinels leave out of reach is called that, before CKQUORUM says so', () => {
    const views = [sentinel(1), silent(2, 'ECONNREFUSED'), silent(3, 'ECONNREFUSED')]
    const text = 'quorum 2, 1 of 3 Sentinels answers: cannot be reached · '
    expect(first(...views)).toContain(text)
    expect(judge(views, undefined).health).toBe('danger')
    expect(judge(views, undefined).groups[0]?.findings[0]?.text).toBe(
      'only 1 of 3 Sentinels can be reached: no failover could be authorized now',
    )
  })

  test('may be within reach of Sentinels that only we cannot reach', () => {
    const views = [sentinel(1), silent(2, 'ETIMEDOUT'), silent(3, 'ETIMEDOUT')]
    expect(first(...views)).toContain('quorum 2, 1 of 3 Sentinels answers · ')
    expect(judge(views, undefined).health).toBe('trouble')
  })

  test('of one is told beside the majority that a failover takes as well', () => {
    const quorum = 'NOQUORUM 1 usable Sentinels. Not enough'
    const change = { master: { ...MASTER, quorum: '1' }, quorum }
    const views = [sentinel(1, change), silent(2, 'ETIMEDOUT'), silent(3, 'ETIMEDOUT')]
    const text = 'quorum 1, majority 2, 1 of 3 Sentinels answers: cannot be reached'
    expect(first(...views)).toContain(text)
  })

  test('a Sentinel that does not answer keeps its row', () => {
    const lines = linesOf([sentinel(1), sentinel(2), silent(3, 'ETIMEDOUT')])
    expect(lines.find((line) => line.includes('10.0.1.3:26379'))).toMatch(/ no answer$/)
  })
})

test('a link that one Sentinel knows to be down is down in the table, as in the findings', () => {
  const cut = { ...REPLICA, 'master-link-status': 'err' }
  const lines = linesOf([sentinel(1), sentinel(2, { replicas: [cut] }), sentinel(3)])
  expect(lines.find((line) => /^ *10\.0\.0\.2:6379/.test(line))).toMatch(/ok by 3 +down /)
  expect(lines.join('\n')).toContain('replica 10.0.0.2:6379 has no link to the master')
})

describe('a picture on a screen with too few rows', () => {
  /** A fleet of so many groups, in order of their names; `ill`: which of them has no quorum. */
  function fleet(count: number, ill: number) {
    const names = Array.from({ length: count }, (_, at) => `g${at + 1}`)
    const groups = names.map((name) => {
      const quorum = name === `g${ill}` ? 'NOQUORUM 1 usable Sentinels. Not enough' : OK
      return sentinel(1, { name, quorum, master: { ...MASTER, name } }).groups[0] as GroupView
    })
    return judge(
      [1, 2, 3].map((one) => ({ ...sentinel(one), groups })),
      undefined,
    )
  }
  const drawn = (...given: Parameters<typeof statusPicture>) =>
    stripVTControlCharacters(statusPicture(...given)).split('\n')

  test('shows the groups in trouble first, and counts those that have no room', () => {
    const lines = drawn(fleet(60, 7), 80, 24)
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(lines[0]).toMatch(/^✘ g7 /)
    expect(lines.at(-1)).toBe('59 ✔ more: name a group, or make the window larger')
  })

  test('says what is wrong with a group that has no room itself', () => {
    const lines = drawn(fleet(1, 1), 80, 8)
    expect(lines).toHaveLength(8)
    expect([lines[0], lines[1]]).toEqual([expect.stringMatching(/^✘ g1 /), '  …'])
    expect(lines.join('\n')).toContain('NOQUORUM')
  })

  test('is the whole text where there is room', () => {
    const report = fleet(3, 2)
    expect(statusPicture(report, 80, 60)).toBe(statusText(report, 80))
  })
})

describe('how far a replica is behind', () => {
  test('is read off one INFO of the master, with when the replica last acknowledged', () => {
    expect(readStream(cache(700, ...INFO))).toEqual({
      ageMs: 700,
      offset: 1_234_567,
      replicas: new Map([['10.0.0.2:6379', { offset: 1_200, lagBytes: 1_233_367, ackSeconds: 4 }]]),
      chained: [],
    })
  })

  test.each([
    ['a node that calls itself a replica', cache(1, 'role:slave', 'slave_repl_offset:7')],
    ['a Sentinel that has not heard of the master yet', ['g', [[0, null]]]],
    ['a Sentinel that may not tell', null],
    ['nonsense', 'nonsense'],
  ])('is not known from %s', (_what, answer) => {
    expect(readStream(answer)).toBeUndefined()
  })

  test('a replica that follows a replica is named below the nodes, and one that Sentinels know is not', () => {
    const replica = [
      'role:slave',
      'slave0:ip=10.0.0.9,port=6379,state=online,offset=7,lag=1',
      'slave1:ip=10.0.0.2,port=6379,state=online,offset=7,lag=1',
    ].join('\r\n')
    const [name, [master]] = cache(700, ...INFO) as [string, [unknown[]]]
    const stream = readStream([name, [master, [800, replica]]] as never)
    const line =
      '  10.0.0.9:6379 follows a replica: Sentinels do not watch it, and do not promote it'
    expect(linesOf([sentinel(1, { stream }), sentinel(2)])).toContain(line)
    expect(linesOf([sentinel(1), sentinel(2)])).not.toContain(line)
  })

  test('stands beside the offset of the master, out of the latest INFO', () => {
    const old = readStream(cache(9_000, 'role:master', 'master_repl_offset:5'))
    const views = [
      sentinel(1, { stream: old }),
      sentinel(2, { stream: readStream(cache(700, ...INFO)) }),
      sentinel(3),
    ]
    const lines = linesOf(views)
    expect(lines.join('\n')).toMatch(/ 10\.0\.0\.1:6379 {2}master {3}ok by 3 +1,234,567\n/)
    expect(lines).toContain(
      '  10.0.0.2:6379  replica  ok by 3  up         100      1,200  1,233,367 B   4 s ago',
    )
    expect(lines).toContain('  offsets as the master reported them 0.7 s ago')
  })

  test('is left open where no Sentinel tells, and the offset a Sentinel collected is shown', () => {
    const [line = ''] = linesOf([sentinel(1)]).filter((one) => one.includes('10.0.0.2:6379'))
    expect(line).toMatch(/ 100 +900$/)
  })
})

test('a Sentinel in TILT is no Sentinel that is well', () => {
  const lines = linesOf([{ ...sentinel(1), isTilted: true }, sentinel(2)])
  expect(lines.find((line) => line.includes('10.0.1.1:26379'))).toContain('  TILT  ')
})

test.each([60, 80, 120])('on a terminal of %i columns nothing is wider', (columns) => {
  const stream = readStream(cache(700, ...INFO))
  const views = [sentinel(1, { stream }), sentinel(2), silent(3, 'something long '.repeat(20))]
  const lines = linesOf(views, columns)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
  // What an operator has to know is not what is left out.
  expect(lines.join('\n')).toMatch(/10\.0\.0\.2:6379.*1,233,367 B/)
  expect(lines.join('\n')).toMatch(/10\.0\.1\.3:26379.*no answer/)
})

test('on a terminal of 40 columns Sentinels and nodes of one host are told apart by their ports', () => {
  const local = (port: number) => `127.0.0.1:${port}`
  const views = [1, 2, 3].map((at) => ({ ...sentinel(at), address: local(26378 + at) }))
  const lines = linesOf(views, 40)
  for (const { address } of views)
    expect(lines.find((line) => line.includes(address.slice(-6)))).toMatch(/^ {2}…/)
})

describe('with --json', () => {
  const stream = readStream(cache(700, ...INFO))
  const report = judge([sentinel(1, { stream }), silent(2, 'ECONNREFUSED')], undefined)
  const [group] = JSON.parse(statusJson(report)).groups

  test('offsets and lag are numbers', () => {
    expect(group.nodes).toMatchObject([
      { address: '10.0.0.1:6379', role: 'master', offset: 1_234_567, lagBytes: null },
      {
        address: '10.0.0.2:6379',
        role: 'replica',
        offset: 1_200,
        lagBytes: 1_233_367,
        ackSeconds: 4,
      },
    ])
    expect(group.sentinels).toEqual({
      ...{ quorum: 2, needed: 2, known: 3, answering: 1, reachable: true },
    })
  })

  test('what a Sentinel says in digits is a number, and a name in digits is none', () => {
    const [view] = group.views
    expect(view.master).toMatchObject({ port: 6379, quorum: 2, 'config-epoch': 3 })
    expect(view.master.runid).toBe('1'.repeat(40))
    const named = judge([sentinel(1, { name: '7', master: { ...MASTER, name: '7' } })], undefined)
    expect(JSON.parse(statusJson(named)).groups[0].views[0].master.name).toBe('7')
  })

  test('no number that our own Sentinels say stays a string', () => {
    const config = { ...{ name: 'g', host: '10.0.0.1', port: 6379, quorum: 2 } }
    const bench = new SentinelBench({ groups: [{ ...DEFAULT_GROUP, ...config }] })
    bench.hello('g', { runId: 'b'.repeat(40), host: '10.1.0.2', port: 26379 })
    bench.run(5_000)
    const { master, peers } = bench.group('g')
    const [ours = {}, theirs = {}] = [master, ...peers.values()].map((instance) => {
      let fields: InstanceFields = {}
      bench.act((turn) => {
        fields = fieldsIn(instanceMap(turn, instance))
      })
      return fields
    })
    const views = [sentinel(1, { master: ours, peers: [theirs] })]
    const [view] = JSON.parse(statusJson(judge(views, undefined))).groups[0].views
    for (const said of [view.master, view.peers[0]]) {
      const texts = Object.entries(said).filter(([, value]) => typeof value === 'string')
      expect(texts.filter(([, value]) => /^\d+$/.test(String(value)))).toEqual([])
    }
    expect(Object.keys(view.master).length).toBeGreaterThan(15)
    expect(view.peers[0].port).toBe(26379)
  })
})
