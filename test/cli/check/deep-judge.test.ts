/** What `vedette check --deep` concludes from what it has seen. */
import { describe, expect, test } from 'vitest'
import {
  type DeepReport,
  deepJson,
  deepText,
  exitStatusOf,
} from '../../../src/cli/check/deep/deep-text.ts'
import {
  NOTHING_SEEN,
  OUT_OF_TIME,
  type SeenNode,
  type SeenSentinel,
} from '../../../src/cli/check/deep/facts.ts'
import type { DeepFinding } from '../../../src/cli/check/deep/finding.ts'
import { judgeGroup } from '../../../src/cli/check/deep/judge-group.ts'
import { judgeProgram } from '../../../src/cli/check/deep/judge-program.ts'
import { judgeSentinels } from '../../../src/cli/check/deep/judge-sentinels.ts'
import { votersToldBy } from '../../../src/cli/check/deep/judge-voters.ts'
import { NODE_RIGHTS, outcomeOf } from '../../../src/cli/check/deep/rights.ts'
import { nodesNamedIn, searchSentinels } from '../../../src/cli/check/deep/search.ts'
import { DEFAULT_GROUP } from '../../../src/core/config.ts'
import { CLONE_CURE } from '../../../src/core/discovery/clones.ts'

const NOW_MS = Date.parse('2026-11-23T00:00:00Z')
const GROUP = { ...DEFAULT_GROUP, name: 'g', host: '10.0.0.1', port: 6379, quorum: 2 }
const SOUND = {
  'min-replicas-to-write': '1',
  'replica-announce-ip': '',
  'replica-announce-port': '0',
  'replica-read-only': 'yes',
  'protected-mode': 'no',
  requirepass: '',
  masterauth: '',
  maxmemory: '0',
  'repl-backlog-size': '1048576',
  appendonly: 'yes',
  save: '',
  bind: '*',
}

interface NodeWords {
  readonly info?: Record<string, string>
  readonly settings?: Record<string, string>
  readonly facts?: Partial<SeenNode>
}

function node(n: number, role: 'master' | 'slave', words: NodeWords = {}): SeenNode {
  const link = role === 'slave' ? { master_link_status: 'up', slave_priority: '100' } : {}
  const run = { role, run_id: `${n}`.repeat(40), redis_version: '7.0.15', redis_mode: 'standalone' }
  const counts = { connected_slaves: '2', master_repl_offset: '1000', uptime_in_seconds: '1000' }
  return {
    ...NOTHING_SEEN,
    ...{ address: `10.0.0.${n}:6379`, user: 'w', namedBy: 'f.yml' },
    info: new Map(Object.entries({ ...run, ...link, ...counts, ...words.info })),
    settings: new Map(Object.entries({ ...SOUND, ...words.settings })),
    ...words.facts,
  }
}

const MASTER = node(1, 'master')
const REPLICA = node(2, 'slave')
const OTHER = node(3, 'slave')

function unwell(findings: readonly DeepFinding[]): string[] {
  return findings
    .filter(({ severity }) => severity !== 'passed')
    .map(({ severity, where, text }) => `${severity} ${where}: ${text}`)
}

function group(...nodes: readonly SeenNode[]): string[] {
  return unwell(judgeGroup({ group: GROUP, nodes, nowMs: NOW_MS }))
}

describe('the nodes of a group', () => {
  test('a sound group has nothing to mend, and each finding has a remedy where one is needed', () => {
    expect(group(MASTER, REPLICA, OTHER)).toEqual([])
    const all = judgeGroup({ group: GROUP, nodes: [node(1, 'slave')], nowMs: NOW_MS })
    expect(all.every(({ severity, hint }) => severity === 'passed' || hint !== '')).toBe(true)
  })

  test.each([
    ['ECONNREFUSED', 'nothing listens there'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'it refuses the login'],
    ['NOAUTH Authentication required.', 'it wants a login'],
    ['DENIED Redis is running in protected mode', 'protected mode refuses connections'],
    ['it closed the connection: this port speaks TLS; add --tls', 'TLS is not configured for it'],
    ['no TLS handshake: this port speaks no TLS; leave', 'but tls-replication is on'],
    ['certificate of an unknown authority: add --cacert', 'no authority of tls-ca-cert-file'],
    [
      'it closed the connection: perhaps it does not accept our certificate; its log says why',
      'it seems not to accept our certificate (it closed the connection)',
    ],
    [
      'certificate has expired: renew it there, or set the clock of one of us',
      'its certificate is not valid now (certificate has expired)',
    ],
    ['it does not speak the Redis protocol: HTTP/1.1', 'this is no Redis port'],
  ])('%s is explained', (failure, words) => {
    const [first] = group(node(1, 'master', { facts: { failure, info: new Map() } }))
    expect(first).toContain('problem 10.0.0.1:6379: ')
    expect(first).toContain(words)
  })

  test('a node that was cut off by the end of the time is no problem of the node', () => {
    const late = node(3, 'slave', { facts: { failure: OUT_OF_TIME, info: new Map() } })
    expect(group(MASTER, REPLICA, late)).toEqual([`warning 10.0.0.3:6379: ${OUT_OF_TIME}`])
  })

  test('rights that are missing are told in one line to paste', () => {
    const rights = NODE_RIGHTS.map((right) =>
      outcomeOf(right, 'no permissions', !/slaveof|config/.test(right.name)),
    )
    const findings = judgeGroup({
      ...{ group: GROUP, nowMs: NOW_MS },
      nodes: [node(1, 'master', { facts: { rights } }), REPLICA, OTHER],
    })
    const [first] = findings.filter(({ severity }) => severity === 'problem')
    expect(first?.text).toContain('user w may not run SLAVEOF (no failover), CONFIG REWRITE')
    expect(first?.hint).toBe(
      'ACL SETUSER w +slaveof +config|rewrite, and the same in its users file',
    )
  })

  test('certificates: expired, soon to expire, and for another name', () => {
    const seen = (days: number, coversHost: boolean) => {
      const certificate = { validToMs: NOW_MS + days * 86_400_000, coversHost, names: 'DNS:x' }
      return group(node(1, 'master', { facts: { certificate } }), REPLICA, OTHER)
    }
    expect(seen(-1, true)).toEqual([
      expect.stringContaining('certificate has expired on 2026-11-22'),
    ])
    expect(seen(5, true)).toEqual([expect.stringMatching(/^warning .*expires on 2026-11-28/)])
    expect(seen(90, false)).toEqual([expect.stringMatching(/^warning .*names only DNS:x/)])
    expect(seen(90, true)).toEqual([])
  })

  test('a clock that is off by seconds is told', () => {
    const off = node(2, 'slave', { facts: { clockMs: -5_400 } })
    expect(group(MASTER, off, OTHER)).toEqual([
      "warning 10.0.0.2:6379, replica: its clock is 5.4 s behind this machine's",
    ])
  })

  test('two masters, no master, no replica, and nobody to promote', () => {
    expect(group(MASTER, node(2, 'master'))[0]).toContain('two masters or more: 10.0.0.1:6379, 10.')
    expect(group(REPLICA)).toContain('problem : no node that answers is a master')
    expect(group(MASTER)).toContain('problem : no replica answers: nothing could be promoted')
    const never = { info: { slave_priority: '0' } }
    expect(group(MASTER, node(2, 'slave', never), node(3, 'slave', never))).toEqual([
      'problem : replica-priority is 0 on every replica: none will ever be promoted',
    ])
    expect(group(MASTER, node(2, 'slave', never), OTHER)).toEqual([])
  })

  test('a replica without its link is told with the master it lacks', () => {
    const info = { master_link_status: 'down', master_host: '10.0.0.1', master_port: '6379' }
    const lost = node(2, 'slave', { info: { ...info, master_link_down_since_seconds: '7' } })
    expect(group(MASTER, lost, OTHER)).toEqual([
      'problem 10.0.0.2:6379, replica: it does not replicate: no link to 10.0.0.1:6379 for 7 s',
    ])
  })

  test('a replica that could not carry out all of its stream is told', () => {
    const behind = node(2, 'slave', { info: { vedette_unapplied_commands: '3' } })
    expect(group(MASTER, behind, OTHER)).toEqual([
      "problem 10.0.0.2:6379, replica: 3 commands of its master's stream could not be carried out there: its data is another",
    ])
  })

  test('a Sentinel in the place of a node is recognised', () => {
    const wrong = node(3, 'slave', { info: { redis_mode: 'sentinel' } })
    expect(group(MASTER, REPLICA, wrong)[0]).toContain('this is a Sentinel, not a data node')
  })

  test('settings that hurt in a failover', () => {
    const of = (settings: Record<string, string>) =>
      group(node(1, 'master', { settings }), REPLICA, OTHER).map((line) => line.slice(0, 90))
    expect(of({ appendonly: 'no' })).toContainEqual(expect.stringContaining('it keeps nothing on'))
    expect(of({ requirepass: 'x' })).toContainEqual(expect.stringContaining('requirepass is set'))
    expect(of({ requirepass: 'x', masterauth: 'x' })).not.toContainEqual(
      expect.stringContaining('masterauth'),
    )
    expect(of({ 'replica-read-only': 'no' })).toHaveLength(1)
    expect(of({ 'replica-announce-ip': '172.17.0.2' })).toEqual([
      expect.stringContaining('it announces itself as 172.17.0.2:6379'),
    ])
    expect(of({ 'repl-backlog-size': '16384' })).toEqual([
      expect.stringContaining('the backlog has only 16384 bytes'),
    ])
    expect(of({ maxmemory: '1gb' })).toEqual([expect.stringContaining('maxmemory differs')])
  })

  test('a backlog that holds only seconds of the writes is told', () => {
    const info = { master_repl_offset: '1000000000', uptime_in_seconds: '1000' }
    expect(group(node(1, 'master', { info }), REPLICA, OTHER)).toEqual([
      'warning 10.0.0.1:6379, master: the backlog of 1048576 bytes holds 1 s of its writes',
    ])
  })

  test('min-replicas-to-write: none, as many as there are, and more', () => {
    const of = (wanted: string) => {
      const settings = { 'min-replicas-to-write': wanted }
      const nodes = [node(1, 'master', { settings }), node(2, 'slave', { settings })]
      return group(...nodes, node(3, 'slave', { settings }))
    }
    expect(of('0')).toEqual([expect.stringMatching(/^warning .*min-replicas-to-write is 0/)])
    expect(of('2')).toEqual([expect.stringMatching(/^warning .*as many replicas as there are/)])
    expect(of('3')).toEqual([expect.stringMatching(/^problem .*it refuses every write/)])
  })

  test('a password is never shown where it differs', () => {
    const settings = { requirepass: 'hunter2', masterauth: 'hunter2' }
    const found = group(node(1, 'master', { settings }), REPLICA, OTHER).join('\n')
    expect(found).toContain('requirepass differs')
    expect(found).not.toContain('hunter2')
  })

  test('one process under two addresses, and versions that differ', () => {
    const twin = node(3, 'slave', { info: { run_id: '2'.repeat(40) } })
    expect(group(MASTER, REPLICA, twin)[0]).toContain('10.0.0.2:6379 and 10.0.0.3:6379 are one')
    const old = node(3, 'slave', { info: { redis_version: '6.2.1' } })
    expect(group(MASTER, REPLICA, old)).toEqual([expect.stringContaining('versions differ')])
  })

  test('versions that differ get the advice of what they are: kind or age', () => {
    const told = (n: number, program: string, version: string) =>
      node(n, n === 1 ? 'master' : 'slave', { info: { [`${program}_version`]: version } })
    const hint = (...nodes: readonly SeenNode[]) => {
      const found = judgeGroup({ group: GROUP, nodes, nowMs: NOW_MS })
      return found.find(({ text }) => text.startsWith('versions differ'))?.hint
    }
    const OLD = 'an older node may not load the data of a newer master: upgrade replicas first'
    const apart = /^no Valkey loads the data of Redis 7\.4 or later, however new it is/
    expect(hint(told(1, 'redis', '8.0.6'), told(2, 'valkey', '9.1.2'))).toMatch(apart)
    expect(hint(told(1, 'valkey', '9.1.2'), told(2, 'redis', '7.4.0'))).toMatch(apart)
    expect(hint(told(1, 'valkey', '9.1.2'), told(2, 'redis', '7.2.5'))).toBe(OLD)
    expect(hint(told(1, 'valkey', '9.1.2'), told(2, 'valkey', '8.1.1'))).toBe(OLD)
    expect(hint(told(1, 'vedette', '0.1.0'), told(2, 'vedette', '0.2.0'))).toBe(OLD)
    const mixed = hint(told(1, 'vedette', '0.1.0'), told(2, 'redis', '7.0.15'))
    expect(mixed).toBe('docs/operations-migrate.md lists which server can follow which')
  })

  test('settings that nobody may read are told as not compared', () => {
    const silent = { settings: undefined, settingsRefusal: 'NOPERM' }
    expect(group(node(1, 'master', { facts: silent }), REPLICA, OTHER)).toEqual([
      'warning : settings of 10.0.0.1:6379 were not compared (NOPERM)',
    ])
  })
})

interface SentinelWords {
  readonly host?: string
  readonly fields?: Record<string, string>
  readonly facts?: Partial<SeenSentinel>
  readonly settings?: Record<string, string>
}

function sentinel(n: number, words: SentinelWords = {}): SeenSentinel {
  const id = `${n}`.repeat(40)
  const options = { quorum: '2', 'down-after-milliseconds': '30000', 'failover-timeout': '180000' }
  const fields = { ip: '10.0.0.1', port: '6379', 'parallel-syncs': '1', ...options }
  const known = { 'num-other-sentinels': '2' }
  return {
    ...NOTHING_SEEN,
    ...{ address: `${words.host ?? `10.0.1.${n}`}:26379`, user: 'default', isOwn: n === 1 },
    namedBy: 'f.yml',
    info: new Map([
      ['run_id', id],
      ['redis_mode', 'sentinel'],
      ['process_id', `${n}`],
      ['tcp_port', '26379'],
    ]),
    settings: new Map(Object.entries({ 'resolve-hostnames': 'no', ...words.settings })),
    myid: id,
    groups: [{ name: 'g', ...fields, ...known, ...words.fields }],
    peers: new Map(),
    replicas: new Map(),
    ...words.facts,
  }
}

const PLACE = { area: 'Sentinels', where: '', source: 'sentinel-pass', nowMs: NOW_MS }

function fleet(
  sentinels: readonly SeenSentinel[],
  more: { quorum?: number; planned?: number; announced?: string } = {},
): string[] {
  return unwell(
    judgeSentinels({
      ...{ groups: [{ ...GROUP, quorum: more.quorum ?? 2 }], sentinels, planned: more.planned },
      ...{ masters: new Map([['g', '10.0.0.1:6379']]), source: 'sentinel-pass', nowMs: NOW_MS },
      announced: more.announced ?? '',
    }),
  )
}

describe('the Sentinels', () => {
  const three = [sentinel(1), sentinel(2), sentinel(3)]
  const dead = { failure: 'ECONNREFUSED', info: new Map<string, string>(), groups: [] }

  test('three that agree have nothing to mend', () => {
    expect(fleet(three)).toEqual([])
  })

  test('one that refuses INFO is not taken for a Redis of another version', () => {
    const told = (n: number) => {
      const info = new Map([...sentinel(n).info, ['redis_version', '7.0.15'] as const])
      return sentinel(n, { facts: { info } })
    }
    const mute = sentinel(2, { facts: { info: new Map(), user: 'peer' } })
    expect(fleet([told(1), mute, told(3)])).toEqual([])
    const [first] = judgeProgram(mute, { ...PLACE, user: 'peer' })
    expect(first?.text).toBe('reached as peer (no INFO, so the program is not known)')
  })

  test('versions that differ are told of ours and of Redis, and not that one stands beside the other', () => {
    const says = (n: number, info: Record<string, string>) => {
      const told = { redis_version: '7.0.15', ...info }
      return sentinel(n, {
        facts: { info: new Map([...sentinel(n).info, ...Object.entries(told)]) },
      })
    }
    const [one, two] = [
      says(1, { vedette_version: '0.1.0' }),
      says(2, { vedette_version: '0.2.0' }),
    ]
    const redis = says(3, {})
    expect(fleet([one, says(2, { vedette_version: '0.1.0' }), redis])).toEqual([])
    expect(fleet([one, two, redis])).toEqual([
      'warning : versions differ: vedette 0.1.0 on 10.0.1.1:26379; vedette 0.2.0 on 10.0.1.2:26379',
    ])
    expect(fleet([one, redis, says(2, { redis_version: '6.2.1' })])).toEqual([
      'warning : versions differ: redis 7.0.15 on 10.0.1.3:26379; redis 6.2.1 on 10.0.1.2:26379',
    ])
  })

  test('the Sentinel of the file is on the machine that it announces, wherever it was asked', () => {
    const here = [
      sentinel(1, { host: '127.0.0.1' }),
      sentinel(2, { host: '10.0.1.1' }),
      sentinel(3),
    ]
    expect(fleet(here)).toEqual([])
    expect(fleet(here, { announced: '10.0.1.1' })).toEqual([
      expect.stringContaining('2 of 3 Sentinels are on 10.0.1.1'),
    ])
  })

  test('too few, an even number, and a quorum that cannot be reached', () => {
    expect(fleet([sentinel(1)])).toContainEqual(
      expect.stringContaining('only one Sentinel is known'),
    )
    expect(fleet([...three, sentinel(4)])).toContainEqual(
      expect.stringContaining('4 Sentinels survive no more failures than 3'),
    )
    expect(fleet(three, { quorum: 4 })).toContainEqual(
      'problem : quorum 4 can never be reached: 3 Sentinels are known',
    )
    expect(fleet(three, { planned: 5 })).toEqual([])
  })

  test('a majority that does not answer now is a problem', () => {
    const found = fleet([sentinel(1), sentinel(2, { facts: dead }), sentinel(3, { facts: dead })])
    expect(found).toContainEqual('problem : 1 of 3 Sentinels answer: a failover needs 2')
  })

  test('the Sentinel of this file need not run yet', () => {
    const [first] = fleet([sentinel(1, { facts: dead }), sentinel(2), sentinel(3)])
    expect(first).toMatch(/^warning 10\.0\.1\.1:26379, of this file: it does not run yet/)
    expect(fleet([sentinel(1, { facts: dead })])).toContainEqual(
      'warning : no Sentinel answers: whether quorum 2 can be reached is not known',
    )
  })

  test('all on one machine, and most on one machine', () => {
    const here = { host: '10.0.0.1' }
    expect(fleet([sentinel(1, here), sentinel(2, here), sentinel(3, here)])).toContainEqual(
      expect.stringMatching(/all Sentinels are on 10\.0\.0\.1, where the master of g runs as well/),
    )
    expect(fleet([sentinel(1, here), sentinel(2, here), sentinel(3)])).toContainEqual(
      expect.stringContaining('2 of 3 Sentinels are on 10.0.0.1'),
    )
  })

  test('settings that differ are told with who has which', () => {
    const other = sentinel(3, { fields: { quorum: '3' }, settings: { 'resolve-hostnames': 'yes' } })
    expect(fleet([sentinel(1), sentinel(2), other])).toEqual([
      'warning : resolve-hostnames differs: no on 10.0.1.1:26379, 10.0.1.2:26379; yes on 10.0.1.3:26379',
      'warning : quorum differs: 2 on 10.0.1.1:26379, 10.0.1.2:26379; 3 on 10.0.1.3:26379',
    ])
  })

  test('Sentinels that tell clients from elsewhere several addresses are named', () => {
    const told = '203.0.113.0/24=10.0.0.1:6379=198.51.100.7:7001'
    const other = sentinel(3, { fields: { 'client-addresses': told } })
    expect(fleet([sentinel(1), sentinel(2), other])).toEqual([
      `warning : client-addresses differs: none on 10.0.1.1:26379, 10.0.1.2:26379; ${told} on 10.0.1.3:26379`,
    ])
  })

  test('what the running Sentinel has and its file has not is told', () => {
    const changed = three.map((_one, at) => sentinel(at + 1, { fields: { quorum: '3' } }))
    expect(fleet(changed)).toEqual([
      'warning : quorum is 2 in the file and 3 in the running Sentinel',
    ])
  })

  test('a Sentinel that does not reach the master itself is told, whatever we reach', () => {
    const blind = sentinel(3, { fields: { flags: 'master,s_down,disconnected' } })
    expect(fleet([sentinel(1), sentinel(2), blind])).toEqual([
      'problem Sentinel 10.0.1.3:26379: it does not reach the master itself (s_down, disconnected)',
    ])
  })

  test('an address that only another Sentinel names may be announced wrongly', () => {
    const facts = { ...dead, namedBy: 'Sentinel 10.0.1.1:26379' }
    expect(fleet([sentinel(1), sentinel(2), sentinel(3, { facts })])).toContainEqual(
      'warning 10.0.1.3:26379: only Sentinel 10.0.1.1:26379 names this address',
    )
  })

  test('different masters, a group one does not watch, and a copied identity are problems', () => {
    const astray = sentinel(3, { fields: { ip: '10.0.0.2' } })
    expect(fleet([sentinel(1), sentinel(2), astray])).toContainEqual(
      expect.stringContaining('problem : the Sentinels name different masters'),
    )
    const elsewhere = sentinel(3, { fields: { name: 'h' } })
    expect(fleet([sentinel(1), sentinel(2), elsewhere])).toContainEqual(
      'problem : 10.0.1.3:26379 does not watch this group',
    )
    // Redis gives each process a run_id of its own, whatever its id.
    const copied = sentinel(3, { facts: { myid: sentinel(2).myid } })
    expect(fleet([sentinel(1), sentinel(2), copied])).toContainEqual(
      expect.stringContaining('10.0.1.2:26379 and 10.0.1.3:26379 have one id (22222222)'),
    )
    const remark = `group=g,instance=,text=another Sentinel, at 10.0.1.9:26379, says hello; ${CLONE_CURE}`
    const info = new Map([...sentinel(3).info, ['remark0', remark]])
    expect(fleet([sentinel(1), sentinel(2), sentinel(3, { facts: { info } })])).toContainEqual(
      'problem 10.0.1.3:26379: another Sentinel, at 10.0.1.9:26379, says hello',
    )
  })
})

test('replicas a master tells and masters a replica tells are found, IPv6 too', () => {
  const info = new Map([
    ['slave0', 'ip=10.0.0.2,port=6379,state=online'],
    ['slave1', 'ip=fd00::3,port=6380,state=online'],
    ['slave_priority', '100'],
    ['master_host', '10.0.0.9'],
    ['master_port', '6379'],
  ])
  expect(nodesNamedIn({ info, address: 'x' }).map(({ address }) => address)).toEqual([
    '10.0.0.2:6379',
    '[fd00::3]:6380',
    '10.0.0.9:6379',
  ])
})

test('a Sentinel that is named under a second address is counted once', async () => {
  const names = ['127.0.0.1:26379', '10.0.1.1:26379', '10.0.1.2:26379']
  const found = await searchSentinels(
    [{ address: names[0] ?? '', by: 'f' }],
    async ({ address }) => ({
      ...sentinel(address.endsWith('2:26379') ? 2 : 1),
      address,
      peers: new Map([['g', names]]),
    }),
    new Set(['g']),
  )
  expect(found.map(({ address }) => address)).toEqual([names[0], names[2]])
})

describe('the report', () => {
  const finding = (severity: DeepFinding['severity']): DeepFinding => ({
    ...{ severity, area: 'group g', where: 'a:1', text: `is ${severity}` },
    hint: severity === 'passed' ? '' : 'mend it',
  })
  const report = (...kinds: DeepFinding['severity'][]): DeepReport => ({
    ...{ file: 'f.yml', isComplete: true, tookMs: 1_234, findings: kinds.map(finding) },
  })

  test('what must be mended comes first, with marks that need no colour', () => {
    expect(deepText(report('passed', 'warning', 'problem'))).toBe(
      'group g\n  ✗ a:1: is problem\n      → mend it\n  ! a:1: is warning\n      → mend it\n' +
        '  ✓ a:1: is passed\n\n' +
        'f.yml: 1 ✗ must be fixed, 1 ! deserve a look, 1 ✓ in order (1.2 s)\n',
    )
  })

  test('the status is 0, 1 or 2, and a run that was cut short is never 0', () => {
    expect(exitStatusOf(report('passed'))).toBe(0)
    expect(exitStatusOf(report('passed', 'warning'))).toBe(1)
    expect(exitStatusOf(report('warning', 'problem'))).toBe(2)
    expect(exitStatusOf({ ...report('passed'), isComplete: false })).toBe(1)
  })

  test('JSON has the status and every finding', () => {
    expect(JSON.parse(deepJson(report('warning')))).toMatchObject({
      ...{ file: 'f.yml', status: 1, isComplete: true },
      findings: [{ severity: 'warning', area: 'group g', hint: 'mend it' }],
    })
  })
})

describe('the voters of a strict group', () => {
  const voters = [1, 2, 3].map((n) => `10.0.0.${n}:6379`)
  const strict = { ...GROUP, replication: 'strict', voters } as const
  const SYNC = { sync_replication: '1', sync_voter: '1', sync_term: '4', sync_state: 'replica' }
  const DISK = { 'min-replicas-to-write': '0', appendfsync: 'always' }

  function voter(n: number, info: Record<string, string> = {}, settings = {}): SeenNode {
    const said = { ...SYNC, sync_voters: voters.join(' '), ...info }
    const words = { info: said, settings: { ...DISK, ...settings } }
    return node(n, n === 1 ? 'master' : 'slave', words)
  }

  function told(...nodes: readonly SeenNode[]): string[] {
    return unwell(judgeGroup({ group: strict, nodes, nowMs: NOW_MS }))
  }

  test('are in order if each has a vote and acknowledges what is on its disk', () => {
    expect(told(voter(1), voter(2), voter(3))).toEqual([])
  })

  test('refuse writes under min-replicas-to-write like others, but need none for what they promise', () => {
    const guarded = (wanted: string) => {
      const nodes = [1, 2, 3].map((n) => voter(n, {}, { 'min-replicas-to-write': wanted }))
      return told(...nodes)
    }
    expect(guarded('0')).toEqual([])
    expect(guarded('3')).toEqual([expect.stringMatching(/^problem .*it refuses every write/)])
  })

  test('are known to the file of a data node by what the nodes say', () => {
    const nodes = [voter(1), voter(2), voter(3)]
    expect(votersToldBy(nodes, true)).toEqual({ replication: 'strict', voters, writeQuorum: 0 })
    const saying = [voter(1, { sync_write_quorum: '3' })]
    expect(votersToldBy(saying, true).writeQuorum).toBe(3)
    expect(votersToldBy([voter(1, { sync_voters: '' })], true).voters).toEqual([])
    expect(votersToldBy(nodes, false).replication).toBe('async')
  })

  test('that are not there, or cannot be fenced, must be mended', () => {
    expect(told(voter(1), node(2, 'slave', { settings: DISK }))).toEqual([
      'problem 10.0.0.2:6379, voter: it replicates asynchronously, so it cannot be fenced',
      'problem 10.0.0.3:6379, voter: it was not reached: it has no vote',
    ])
  })

  test('are told if a node has no vote, or names others', () => {
    const behind = voter(2, { sync_voter: '0' })
    const other = voter(3, { sync_voters: '10.0.0.3:6379 10.0.0.9:6379' })
    expect(told(voter(1), behind, other)).toEqual([
      'warning 10.0.0.2:6379, voter: it has no vote now (replica)',
      'problem 10.0.0.3:6379, voter: in its term 4 the voters are 10.0.0.3:6379 10.0.0.9:6379',
    ])
  })

  test('are told if the present term takes another write quorum than the file', () => {
    const quorum = (sync_write_quorum: string) => voter(3, { sync_write_quorum })
    expect(told(voter(1), voter(2), quorum('2'))).toEqual([])
    expect(told(voter(1), voter(2), quorum('3'))).toEqual([
      'problem 10.0.0.3:6379, voter: in its term 4 the write quorum is 3, not 2',
    ])
  })

  test('are named if their acknowledgements are in memory', () => {
    const weak = { appendfsync: 'everysec' }
    expect(told(voter(1), voter(2), voter(3, {}, weak))).toEqual([
      'warning : the acknowledgement of 10.0.0.3:6379 means its memory, that of the others their disks',
    ])
    expect(told(voter(1, {}, weak), voter(2, {}, weak), voter(3, {}, weak))[0]).toContain(
      'an acknowledged write is in the memory of the voters',
    )
  })
})
