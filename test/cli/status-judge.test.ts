import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { statusJson } from '../../src/cli/status/json.ts'
import { judge, type StatusFinding } from '../../src/cli/status/judge.ts'
import { statusText } from '../../src/cli/status/text.ts'
import type { GroupView, InstanceFields, SentinelAnswer } from '../../src/cli/status/view.ts'

const MASTER: InstanceFields = {
  name: 'g',
  ip: '10.0.0.1',
  port: '6379',
  flags: 'master',
  'config-epoch': '3',
  quorum: '2',
  'down-after-milliseconds': '1000',
  'failover-timeout': '60000',
  'parallel-syncs': '1',
  'role-reported': 'master',
}

const REPLICA: InstanceFields = {
  name: '10.0.0.2:6379',
  ip: '10.0.0.2',
  port: '6379',
  flags: 'slave',
  'role-reported': 'slave',
  'master-link-status': 'ok',
  'slave-priority': '100',
}

function group(change: Partial<GroupView> = {}): GroupView {
  return {
    name: 'g',
    address: '10.0.0.1:6379',
    master: MASTER,
    replicas: [REPLICA],
    peers: [{}, {}],
    quorum: 'OK 3 usable Sentinels. Quorum and failover authorization can be reached',
    stream: undefined,
    ...change,
  }
}

function sentinel(number: number, change: Partial<SentinelAnswer> = {}): SentinelAnswer {
  return {
    address: `10.0.1.${number}:26379`,
    failure: undefined,
    myid: String(number).repeat(40),
    process: `run ${number}`,
    program: 'redis 7.0.15',
    isTilted: false,
    groups: [group()],
    remarks: [],
    unreached: [],
    ...change,
  }
}

function findings(...views: readonly SentinelAnswer[]): readonly StatusFinding[] {
  return judge(views, undefined).groups.flatMap((one) => one.findings)
}

test('three Sentinels of one opinion about a group with a replica find nothing', () => {
  expect(findings(sentinel(1), sentinel(2), sentinel(3))).toEqual([])
  expect(judge([sentinel(1)], undefined).health).toBe('well')
})

test('two processes with one id are told, with how to mend it', () => {
  const clone = sentinel(3, { myid: sentinel(2).myid })
  const groups = [group({ peers: [{}] })]
  const two = judge([1, 2].map((n) => sentinel(n, { groups })).concat({ ...clone, groups }), 'g')
  expect(statusText(two)).toContain('quorum 2 of 2')
  expect(findings(sentinel(1), sentinel(2), clone)).toEqual([
    {
      health: 'trouble',
      text: expect.stringMatching(
        /^Sentinels 10\.0\.1\.2:26379 and 10\.0\.1\.3:26379 have one id \(22222222\).*delete both copies of its state file/,
      ),
    },
  ])
})

test('two names for the master are a danger, with who says what', () => {
  const other = sentinel(3, { groups: [group({ address: '10.0.0.2:6379' })] })
  expect(findings(sentinel(1), sentinel(2), other)).toEqual([
    {
      health: 'danger',
      text: 'they name different masters: 10.0.0.1:6379 (2), 10.0.0.2:6379 (1)',
    },
  ])
})

test('a master that one Sentinel sees down is a danger before the quorum agrees', () => {
  const down = { ...MASTER, flags: 's_down,master' }
  const one = sentinel(1, { groups: [group({ master: down })] })
  expect(findings(one, sentinel(2))).toEqual([
    { health: 'danger', text: '1 of 2 see the master down' },
  ])
})

test('a node that is down is told with the reason of the Sentinels that cannot reach it', () => {
  const lost = (number: number, text: string) => {
    const groups = [group({ replicas: [{ ...REPLICA, flags: 's_down,slave,disconnected' }] })]
    const unreached = [
      { group: 'g', instance: 'replica 10.0.0.2:6379', text },
      { group: 'another', instance: 'replica 10.0.0.2:6379', text: 'another reason' },
    ]
    return sentinel(number, { groups, unreached })
  }
  const expired = 'certificate has expired'
  const [same] = findings(lost(1, expired), lost(2, expired))
  expect(same?.text).toBe(`replica 10.0.0.2:6379 is down for 2 of 2: ${expired}`)
  const [differing] = findings(lost(1, expired), lost(2, 'ECONNREFUSED'))
  expect(differing?.text).toContain(`is down for 2 of 2: ${expired} (1), ECONNREFUSED (1)`)
  const master = group({ master: { ...MASTER, flags: 's_down,o_down,master' } })
  const unreached = [{ group: 'g', instance: 'master 10.0.0.1:6379', text: expired }]
  expect(findings(sentinel(1, { groups: [master], unreached }))[0]?.text).toBe(
    `the master is down, and the quorum agrees (o_down): ${expired}`,
  )
})

test('a Sentinel that others cannot reach is told with their reason, unless it is silent for us, too', () => {
  const peer = (number: number, flags: string) => ({
    ...{ ip: `10.0.1.${number}`, port: '26379', flags },
  })
  const lost = (number: number) => {
    const peers = [peer(3 - number, 'sentinel'), peer(3, 's_down,sentinel,disconnected')]
    const text = 'certificate has expired'
    const unreached = [{ group: 'g', instance: 'sentinel 10.0.1.3:26379', text }]
    return sentinel(number, { groups: [group({ peers })], unreached })
  }
  const third = { groups: [group({ peers: [peer(1, 'sentinel'), peer(2, 'sentinel')] })] }
  expect(findings(lost(1), lost(2), sentinel(3, third))).toEqual([
    {
      health: 'trouble',
      text: 'Sentinel 10.0.1.3:26379 is down for 2 of 2 others: certificate has expired',
    },
  ])
  const silent = sentinel(3, { groups: [], failure: 'ECONNREFUSED' })
  expect(findings(lost(1), lost(2), silent).map(({ text }) => text)).toEqual([
    expect.stringContaining('Sentinel 10.0.1.3:26379'),
  ])
})

test('a master that says it is a replica is a danger long before it counts as down', () => {
  const demoted = group({ master: { ...MASTER, 'role-reported': 'slave' } })
  expect(findings(sentinel(1, { groups: [demoted] }), sentinel(2), sentinel(3))).toEqual([
    {
      health: 'danger',
      text: 'the master says that it is a replica, so it refuses writes (heard by 1 of 3)',
    },
  ])
})

test('a Sentinel that does not answer is trouble, and the others still count', () => {
  const silent = sentinel(3, { failure: 'ECONNREFUSED', groups: [], myid: '' })
  expect(findings(sentinel(1), silent)).toEqual([
    { health: 'trouble', text: 'Sentinel 10.0.1.3:26379 does not answer: ECONNREFUSED' },
  ])
})

test('a group without a replica cannot be failed over', () => {
  const bare = sentinel(1, { groups: [group({ replicas: [] })] })
  expect(findings(bare)).toEqual([
    { health: 'danger', text: 'no replica is known: nothing to promote' },
  ])
})

test.each([
  ['is down', { flags: 's_down,slave' }, 'replica 10.0.0.2:6379 is down for 1 of 1'],
  ['has priority 0', { 'slave-priority': '0' }, undefined],
] as const)('when the only replica %s there is nobody to promote', (_what, change, also) => {
  const replicas = [{ ...REPLICA, ...change }]
  const texts = findings(sentinel(1, { groups: [group({ replicas })] })).map(({ text }) => text)
  const none = 'no replica could be promoted now'
  expect(texts).toEqual(also === undefined ? [none] : [also, none])
})

test('a setting that differs is named with its values, and who has which', () => {
  const master = { ...MASTER, quorum: '1' }
  expect(findings(sentinel(1), sentinel(2, { groups: [group({ master })] }))).toEqual([
    { health: 'trouble', text: 'quorum differs: 2 on 10.0.1.1:26379; 1 on 10.0.1.2:26379' },
  ])
})

test('NOQUORUM is a danger in the words of the Sentinel that said it', () => {
  const quorum = 'NOQUORUM 1 usable Sentinels. Not enough'
  expect(findings(sentinel(1, { groups: [group({ quorum })] }))[0]).toEqual({
    health: 'danger',
    text: `10.0.1.1:26379 could not get a failover authorized: ${quorum}`,
  })
})

test('a user who may not ask for the quorum hears that, and no alarm about the group', () => {
  const quorum = "NOPERM this user has no permissions to run the 'sentinel|ckquorum' command"
  expect(findings(sentinel(1, { groups: [group({ quorum })] }))).toEqual([
    {
      health: 'trouble',
      text: `10.0.1.1:26379 does not say whether a failover could be authorized: ${quorum}`,
    },
  ])
})

test('what a Vedette Sentinel remarks is shown with who says it', () => {
  const text = 'replica 10.0.0.2:6379 refuses our password'
  const remarks = [{ group: 'g', instance: 'replica 10.0.0.2:6379', text }]
  expect(findings(sentinel(1, { remarks }))).toEqual([
    { health: 'trouble', text: `Sentinel 10.0.1.1:26379: ${text}` },
  ])
})

test('a group that was not asked for is left out', () => {
  expect(judge([sentinel(1)], 'other').groups).toEqual([])
})

describe('by what the master is judged', () => {
  const BY_EVIDENCE = {
    ...MASTER,
    ...{ detection: 'evidence', 'refused-after': '250', 'gray-after': '0' },
  }

  function own(number: number, change: InstanceFields = {}): SentinelAnswer {
    const master = { ...BY_EVIDENCE, ...change }
    return sentinel(number, { program: 'vedette 0.1.0', groups: [group({ master })] })
  }

  test('a redis-sentinel beside Vedettes that take evidence is no disagreement', () => {
    expect(findings(own(1), own(2), sentinel(3))).toEqual([])
  })

  test('Vedettes that judge differently are named', () => {
    const byPing = sentinel(3, { program: 'vedette 0.1.0' })
    expect(findings(own(1), own(2), byPing)).toEqual([
      {
        health: 'trouble',
        text: 'detection differs: evidence on 10.0.1.1:26379, 10.0.1.2:26379; ping on 10.0.1.3:26379',
      },
    ])
    expect(findings(own(1), own(2, { 'refused-after': '900', 'gray-after': '7' }))).toEqual([
      {
        health: 'trouble',
        text: 'refused-after differs: 250 on 10.0.1.1:26379; 900 on 10.0.1.2:26379',
      },
      { health: 'trouble', text: 'gray-after differs: 0 on 10.0.1.1:26379; 7 on 10.0.1.2:26379' },
    ])
  })

  test('the first line of a group tells it, from the first Sentinel that has a choice', () => {
    const firstLine = (...views: readonly SentinelAnswer[]) => {
      const [line = ''] = statusText(judge(views, undefined)).split('\n')
      return stripVTControlCharacters(line)
    }
    expect(firstLine(sentinel(1), own(2))).toContain(
      'down after 1000 ms · detection evidence, refused after 250 ms · config epoch 3',
    )
    expect(firstLine(own(1, { detection: 'ping', 'gray-after': '5000' }))).toContain(
      ' · detection ping · gray after 5000 ms · ',
    )
    expect(firstLine(sentinel(1))).not.toContain('detection')
  })
})

describe('where no Sentinel tells about a group, its health is danger', () => {
  test('no Sentinel answers', () => {
    const lost = sentinel(1, { failure: 'ECONNREFUSED', groups: [] })
    expect(judge([lost], undefined).health).toBe('danger')
    expect(JSON.parse(statusJson(judge([lost], 'g')))).toMatchObject({ health: 'danger' })
  })

  test('the group that was asked for is not watched', () => {
    const report = judge([sentinel(1)], 'g2')
    expect(report.health).toBe('danger')
    expect(statusText(report)).toBe("no Sentinel that answers watches 'g2'; they watch g")
  })

  test('but a Sentinel that watches nothing yet is well', () => {
    const report = judge([sentinel(1, { groups: [] })], undefined)
    expect(report.health).toBe('well')
    expect(statusText(report)).toBe('no group is watched')
  })
})

describe('a pause of failover', () => {
  const pause = {
    ...{ 'pause-left-ms': '600000', 'pause-number': '4', 'pause-held-by': '2' },
    ...{ 'pause-by': 'ann@10.0.0.9', 'pause-reason': 'new kernel' },
  }
  const holder = (number: number, change: InstanceFields = {}) =>
    sentinel(number, { groups: [group({ master: { ...MASTER, ...pause, ...change } })] })

  test('is told with its reason, its rest, and how many hold it', () => {
    expect(findings(holder(1), holder(2), sentinel(3))).toEqual([
      {
        health: 'trouble',
        text: 'automatic failover is paused by ann@10.0.0.9: new kernel (10 min left; 2 of 3 Sentinels hold it); `vedette resume g` ends it',
      },
    ])
    expect(statusText(judge([holder(1)], undefined))).toContain('FAILOVER PAUSED')
  })

  test('the last two minutes are told in seconds', () => {
    const left = (ms: string) => findings(holder(1, { 'pause-left-ms': ms }))[0]?.text
    expect(left('19200')).toContain('(20 s left; ')
    expect(left('120001')).toContain('(3 min left; ')
  })

  test('of two orders the newer one is told', () => {
    const older = holder(1, { 'pause-number': '3', 'pause-reason': 'old' })
    expect(findings(older, holder(2))[0]?.text).toContain('new kernel')
  })
})
