import { describe, expect, test } from 'vitest'
import { assert } from '../../../src/base/assert.ts'
import type { Event } from '../../../src/core/event.ts'
import type { Purpose } from '../../../src/core/purpose.ts'
import { step } from '../../../src/core/step.ts'
import type { Reply } from '../../../src/resp/reply.ts'
import { MYMASTER, REPLICAS, TestSentinel } from '../../support/sentinel-builder.ts'

function replyFromReplica(sentinel: TestSentinel, purpose: Purpose, reply: Reply): void {
  const [replica] = sentinel.group.replicas.values()
  const link = replica?.link.command?.id ?? 0
  sentinel.run((turn) => step(turn.state, turn.now, { kind: 'reply', link, purpose, reply }))
}

test('a Sentinel that has nothing to complain of makes no remark', () => {
  expect(new TestSentinel({ replicas: REPLICAS }).remarks()).toEqual([])
})

test('an instance that refuses our password is named with its reason until it lets us in', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  const noauth: Reply = { kind: 'error', text: 'NOAUTH Authentication required.' }
  replyFromReplica(sentinel, { kind: 'ping' }, noauth)
  const [remark] = sentinel.remarks()
  expect(remark).toMatch(/^remark0:group=mymaster,instance=replica 10\.0\.0\.2:6380,text=.*NOAUTH/)
  replyFromReplica(sentinel, { kind: 'ping' }, { kind: 'simple', text: 'PONG' })
  expect(sentinel.remarks()).toEqual([])
})

test('an instance that is down is named with the reason why it cannot be reached, until it can', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  const [replica] = sentinel.group.replicas.values()
  assert(replica?.link.command !== undefined, 'it has a connection')
  const reason = 'certificate has expired'
  const unreached = () =>
    sentinel
      .connect()
      .ask('INFO vedette')
      .match(/^unreached.*(?=\r)/gm)
  const happen = (event: Event) => sentinel.run((turn) => step(turn.state, turn.now, event))
  happen({ kind: 'linkLost', link: replica.link.command.id, reason, isRefused: false })
  expect(unreached()).toBeNull()
  replica.sdownSinceMs = 1
  const shown = `unreached0:group=mymaster,instance=replica 10.0.0.2:6380,text=${reason}`
  expect(unreached()).toEqual([shown])
  sentinel.advance(1_000)
  happen({ kind: 'wake' })
  const link = replica.link.command?.id ?? 0
  happen({ kind: 'linkUp', link, localHost: '10.0.1.1' })
  expect(unreached()).toBeNull()
})

test('a state that cannot be saved is a remark on every group', () => {
  const sentinel = new TestSentinel()
  sentinel.savesFail = true
  sentinel.connect().ask('SENTINEL FLUSHCONFIG')
  expect(sentinel.remarks()).toEqual([
    'remark0:group=mymaster,instance=,text=its state cannot be saved, so it gives no vote and enters no election',
  ])
})

test('INFO without a name, and INFO everything, show no section of ours', () => {
  const client = new TestSentinel().connect()
  expect(client.ask('INFO')).not.toContain('edette')
  expect(client.ask('INFO everything')).not.toContain('edette')
})

test('INFO vedette says of each group by what its master is judged', () => {
  const other = { ...MYMASTER, name: 'other', host: '10.0.0.9', grayAfterMs: 5_000 }
  const groups = [MYMASTER, { ...other, detection: 'ping' as const }]
  expect(new TestSentinel({ groups }).connect().ask('INFO vedette')).toContain(
    '# Vedette\r\nvedette:1\r\nvedette_version:\r\nepochs:current=0,refused=0,frozen=0\r\n' +
      'group0:name=mymaster,detection=evidence,refused-after=250,gray-after=0,forget-after=0\r\n' +
      'group1:name=other,detection=ping,refused-after=250,gray-after=5000,forget-after=0\r\n',
  )
})

describe('of a strict group', () => {
  const voters = ['10.0.0.1:6379', '10.0.0.2:6380', '10.0.0.3:6381']
  const group = { ...MYMASTER, replication: 'strict', voters } as const
  const MASTER = {
    ...{
      state: 'master',
      term: 3,
      isVoter: true,
      writeQuorum: 2,
      stalledMs: 0,
      confirmedOffset: 900,
    },
    acknowledged: '10.0.0.2:6380=900 10.0.0.3:6381=650',
    voters: voters.join(' '),
  }
  const VOTER = { ...MASTER, state: 'replica', confirmedOffset: 0, acknowledged: '' }

  function strict(master = MASTER, others = [VOTER, VOTER]): TestSentinel {
    const sentinel = new TestSentinel({ groups: [group], replicas: REPLICAS })
    sentinel.group.master.sync = master
    const replicas = [...sentinel.group.replicas.values()]
    for (const [at, replica] of replicas.entries()) replica.sync = others[at]
    return sentinel
  }

  function fields(sentinel: TestSentinel): string {
    return sentinel
      .connect()
      .ask('SENTINEL MASTER mymaster')
      .replaceAll(/\r\n\$\d+\r\n/g, ' ')
  }

  test('the voters are named, and nothing is remarked while all have a vote', () => {
    const shown = voters.map((voter, at) => `${voter}=${at === 0 ? 'master' : 'voter'}`).join(' ')
    expect(fields(strict())).toContain(
      `voters-now ${shown} votes-needed-for-failover 2 writes-stalled-ms 0`,
    )
    expect(strict().remarks()).toEqual([])
  })

  test('who holds writes back is told, and for how long', () => {
    const [, ...others] = voters
    const sentinel = strict({ ...MASTER, stalledMs: 4_200 })
    const names = `writes-stalled-ms 4200 writes-held-back-by ${others.join(' ')}`
    expect(fields(sentinel)).toContain(names)
    expect(sentinel.remarks()).toEqual([
      `remark0:group=mymaster,instance=,text=writes have waited for 4200 ms: ${others.join(', ')} did not acknowledge`,
    ])
  })

  test('voters that fell silent together, with all that is confirmed, are named; one that went on is not', () => {
    const acknowledged = '10.0.0.2:6380=900 10.0.0.3:6381=950'
    const sentinel = strict({ ...MASTER, stalledMs: 4_200, acknowledged })
    expect(fields(sentinel)).toContain('writes-held-back-by 10.0.0.2:6380')
    const silent = acknowledged.replace('950', '900')
    expect(fields(strict({ ...MASTER, stalledMs: 4_200, acknowledged: silent }))).toContain(
      'writes-held-back-by 10.0.0.2:6380 10.0.0.3:6381',
    )
  })

  test('what FORCE would lose is told where a failover without loss is impossible', () => {
    const none = { ...VOTER, isVoter: false }
    expect(strict(MASTER, [none, none]).remarks()).toEqual([
      'remark0:group=mymaster,instance=,text=1 of 3 voters have a vote: 10.0.0.2:6380 has none now, 10.0.0.3:6381 has none now',
      'remark1:group=mymaster,instance=,text=no failover without loss: 2 votes are needed; FENCE with FORCE would lose of what was acknowledged by the last INFO of the master: 10.0.0.2:6380: nothing, 10.0.0.3:6381: 250 bytes; docs/strict.md has the steps',
    ])
  })

  test('nodes that keep other voters than our file are told: they refuse our fences', () => {
    const others = { ...VOTER, voters: '10.0.0.1:6379 10.0.0.2:6380 10.0.0.9:6379' }
    const sentinel = strict({ ...MASTER, voters: others.voters }, [others, VOTER])
    const told = '10.0.0.1:6379=other 10.0.0.2:6380=other 10.0.0.3:6381=voter'
    expect(fields(sentinel)).toContain(`voters-now ${told}`)
    const text = `the voters of the present term are ${others.voters}: the nodes refuse every fence`
    expect(sentinel.remarks()).toEqual([expect.stringContaining(`text=${text}`)])
  })

  test('nodes that keep another write quorum than our file are told: they refuse our fences', () => {
    const sentinel = strict({ ...MASTER, writeQuorum: 3 }, [{ ...VOTER, writeQuorum: 3 }, VOTER])
    const told = '10.0.0.1:6379=other 10.0.0.2:6380=other 10.0.0.3:6381=voter'
    expect(fields(sentinel)).toContain(`voters-now ${told}`)
    const text = 'the write quorum of the present term is 3, not 2: the nodes refuse every fence'
    expect(sentinel.remarks()).toEqual([expect.stringContaining(`text=${text}`)])
  })

  test('a group without voters is told to name them', () => {
    const sentinel = new TestSentinel({ groups: [{ ...group, voters: [] }], replicas: REPLICAS })
    expect(sentinel.remarks()).toEqual([
      'remark0:group=mymaster,instance=,text=replication is strict and no voters are named, so nothing fails over: name them with voters (docs/strict.md)',
    ])
  })

  test('an async group shows none of it', () => {
    expect(fields(new TestSentinel())).not.toContain('voters')
  })
})
