import { describe, expect, test } from 'vitest'
import { accidentOf, loses, masterDies } from '../../../src/cli/explain/accident.ts'
import { forecast } from '../../../src/cli/explain/forecast.ts'
import type { GroupLayout } from '../../../src/cli/explain/layout.ts'
import { explainText } from '../../../src/cli/explain/text.ts'
import { weakestPoint } from '../../../src/cli/explain/weakest.ts'
import type { SentinelAnswer } from '../../../src/cli/status/view.ts'
import { dryRun, layout, type Told } from './group-view.ts'

function death(told: Told = {}) {
  const group = layout(told)
  return forecast(group, masterDies(group))
}

function cut(group: GroupLayout, ...links: readonly (readonly [string, string])[]) {
  return forecast(group, accidentOf(group, [], links).accident)
}

describe('which Sentinels notice', () => {
  test('a process that dies is known by refused connections, a lost host by its silence', () => {
    const group = layout()
    const process = forecast(group, masterDies(group))
    expect(process.sentinels.map(({ by }) => by)).toEqual(['refusal', 'refusal', 'refusal'])
    expect(process.takesMs).toEqual({ from: 270, to: 500 })
    const host = forecast(group, loses(['h1']))
    expect(host.sentinels.map(({ fate, by }) => by ?? fate)).toEqual(['lost', 'silence', 'silence'])
    expect(host.takesMs).toEqual({ from: 5_020, to: 6_150 })
  })

  test('refusals prove nothing without a replica that confirms them, or enough Sentinels that ask', () => {
    const unlinked = { 'master-link-status': 'err' }
    const alone = death({ replica: { h2: unlinked, h3: unlinked } })
    expect(alone.sentinels.map(({ by }) => by)).toEqual(['silence', 'silence', 'silence'])
    const ping = death({ master: { detection: 'ping' } })
    expect(ping.sentinels.map(({ by }) => by)).toEqual(['silence', 'silence', 'silence'])
    const mixed = death({
      change: (one) => (one.address.startsWith('h1') ? one : { ...one, program: 'redis 7.0.15' }),
    })
    expect(mixed.sentinels.map(({ by }) => by)).toEqual(['silence', 'silence', 'silence'])
    expect(mixed.leader).toBeNull()
  })

  test('a Sentinel in TILT does not count for the quorum, and still votes', () => {
    const told = death({ change: (one) => ({ ...one, isTilted: !one.address.startsWith('h1') }) })
    expect(told).toMatchObject({ outcome: 'stuck', agree: { count: 1, needed: 2 } })
    expect(told.elect).toEqual({ count: 3, needed: 2 })
  })
})

test('a Sentinel that watches another master neither notices nor votes', () => {
  const elsewhere = (one: SentinelAnswer): SentinelAnswer => {
    if (!one.address.startsWith('h3')) return one
    const groups = one.groups.map((group) => ({
      ...{ ...group, address: 'h9:6379', replicas: [] },
      master: { ...group.master, ip: 'h9', runid: 'f'.repeat(40) },
    }))
    return { ...one, groups }
  }
  const group = layout({ change: elsewhere })
  const told = forecast(group, masterDies(group))
  expect(told.sentinels.map(({ fate }) => fate)).toEqual(['notices', 'notices', 'elsewhere'])
  expect(told).toMatchObject({ outcome: 'switches', agree: { count: 2 }, elect: { count: 2 } })
  const more = forecast(group, loses(['h1:6379', 'h2:26379']))
  expect(more).toMatchObject({ outcome: 'stuck', agree: { count: 1 }, elect: { count: 1 } })
})

test('a Sentinel that knows the same master by a name notices and votes', () => {
  const runid = 'a'.repeat(40)
  const byName = (one: SentinelAnswer): SentinelAnswer => {
    const address = one.address.startsWith('h3') ? 'db-1:6379' : 'h1:6379'
    const groups = one.groups.map((group) => ({
      ...group,
      address,
      master: { ...group.master, runid },
    }))
    return { ...one, groups }
  }
  const group = layout({ change: byName })
  expect(forecast(group, masterDies(group))).toMatchObject({
    agree: { count: 3 },
    elect: { count: 3 },
  })
})

describe('quorum and majority', () => {
  test('two of five Sentinels are a quorum of two and no majority', () => {
    const group = layout({ sentinels: ['h1', 'h2', 'h3', 'h4', 'h5'] })
    const told = forecast(group, loses(['h1', 'h4', 'h5']))
    expect(told).toMatchObject({ outcome: 'stuck', elect: { count: 2, needed: 3 } })
    expect(told.obstacles).toEqual(['2 Sentinels could vote, and a leader needs 3 of 5'])
  })

  test('a quorum above the number of Sentinels is told as that', () => {
    expect(death({ sentinels: ['h2'] }).obstacles).toEqual([
      'one Sentinel would see it down, and the quorum is 2',
      'one Sentinel could vote, and a leader needs 2 votes, more than there are Sentinels (1)',
    ])
  })

  test('a link that one Sentinel loses changes nothing, and two lost links are a failover', () => {
    const group = layout()
    const one = cut(group, ['h1', 'h2'])
    expect(one).toMatchObject({ outcome: 'keeps', agree: { count: 1, needed: 2 } })
    const both = cut(group, ['h1', 'h2'], ['h1', 'h3'])
    expect(both).toMatchObject({ outcome: 'switches', agree: { count: 2, needed: 2 } })
  })

  test('Sentinels that are cut off from each other do not add up', () => {
    const group = layout()
    const told = cut(group, ['h1', 'h2'], ['h1', 'h3'], ['h2', 'h3'])
    expect(told).toMatchObject({ outcome: 'keeps', agree: { count: 1, needed: 2 } })
  })

  test('Sentinels without an epoch give no vote, and say why', () => {
    const text = 'no epoch is left for a failover, it gives no vote; `vedette epochs` shows it'
    const silenced = (hosts: readonly string[]) =>
      death({
        change: (one) => {
          const isOne = hosts.some((host) => one.address.startsWith(host))
          return isOne ? { ...one, remarks: [{ group: 'g', instance: '', text }] } : one
        },
      })
    expect(silenced(['h1', 'h2', 'h3'])).toMatchObject({
      outcome: 'stuck',
      elect: { count: 0, needed: 2 },
      obstacles: [
        '0 Sentinels could vote, and a leader needs 2 of 3',
        ...['h1', 'h2', 'h3'].map((host) => `Sentinel ${host}:26379: ${text}`),
      ],
    })
    expect(silenced(['h2', 'h3'])).toMatchObject({ outcome: 'stuck', elect: { count: 1 } })
    const one = silenced(['h1'])
    expect(one).toMatchObject({ outcome: 'switches', leader: 'h2:26379', elect: { count: 2 } })
  })

  test('a pause is an obstacle, and is named', () => {
    const pause = { 'pause-left-ms': '60000', 'pause-by': 'ops' }
    expect(death({ master: pause })).toMatchObject({
      outcome: 'stuck',
      obstacles: ['failovers are paused by ops'],
    })
  })
})

describe('a strict group', () => {
  const strict = (h1: string, h2: string, h3: string): Told => ({
    master: {
      ...{ replication: 'strict', 'votes-needed-for-failover': '2' },
      'voters-now': `h1:6379=${h1} h2:6379=${h2} h3:6379=${h3}`,
    },
  })

  test('loses nothing that was acknowledged', () => {
    const told = death(strict('master', 'voter', 'voter'))
    expect(told).toMatchObject({ outcome: 'switches', loss: { isNothing: true } })
    expect(told.cautions).toEqual([])
  })

  test('has no failover where too few voters are left to fence', () => {
    const told = death(strict('master', 'voter', 'lost'))
    expect(told).toMatchObject({
      outcome: 'stuck',
      obstacles: ['one voter could be fenced, and a failover needs 2'],
    })
    expect(death(strict('none', 'none', 'none')).outcome).toBe('stuck')
    const late = forecast(layout(strict('master', 'voter', 'voter')), loses(['h1:6379', 'h3:6379']))
    expect(late.outcome).toBe('stuck')
  })

  test('has no failover where its nodes keep other voters, but the master takes writes', () => {
    const group = layout(strict('other', 'other', 'voter'))
    expect(forecast(group, loses(['h1:6379']))).toMatchObject({
      outcome: 'stuck',
      obstacles: [expect.stringMatching(/^the nodes have other voters than the Sentinels/)],
    })
    expect(forecast(group, loses(['h3:6379']))).toMatchObject({ refusesWrites: false })
  })

  test('refuses writes where too few voters are left to acknowledge', () => {
    const group = layout(strict('master', 'voter', 'lost'))
    const told = forecast(group, loses(['h2:6379']))
    expect(told).toMatchObject({ outcome: 'keeps', refusesWrites: true })
    expect(told.cautions).toContain(
      'h1:6379 would refuse writes: one voter would be left, and each write takes 2',
    )
  })
})

describe('which replica is promoted', () => {
  test('the leader promotes as its dry run says, and the reasons are those of the dry run', () => {
    const told = death({ plan: dryRun('h3', 'h2!the rule h2 says must-not') })
    expect(told.promoted).toBe('h3:6379')
    expect(told.others).toEqual([{ address: 'h2:6379', reason: 'the rule h2 says must-not' }])
  })

  test('the next one is promoted if the first is lost with the master', () => {
    const group = layout({ plan: dryRun('h3', 'h2') })
    const told = forecast(group, loses(['h1:6379', 'h3:6379']))
    expect(told.promoted).toBe('h2:6379')
    expect(told.others).toEqual([{ address: 'h3:6379', reason: 'it is lost, too' }])
  })

  test('without a dry run priority, then data, then the run id decide, and 0 forbids', () => {
    const told = (replica: NonNullable<Told['replica']>) =>
      death({ program: 'redis 7.0.15', replica })
    expect(told({}).promoted).toBe('h2:6379')
    expect(told({ h3: { 'slave-priority': '10' } }).promoted).toBe('h3:6379')
    expect(told({ h3: { 'slave-repl-offset': '2000' } }).promoted).toBe('h3:6379')
    const none = told({ h2: { 'slave-priority': '0' }, h3: { flags: 'slave,s_down' } })
    expect(none).toMatchObject({ outcome: 'stuck', promoted: null })
    expect(none.others.map(({ reason }) => reason).sort()).toEqual([
      'it is down',
      'its replica-priority is 0',
    ])
  })

  test('the living Sentinel with the smallest run id leads', () => {
    const group = layout()
    expect(forecast(group, masterDies(group)).leader).toBe('h1:26379')
    expect(forecast(group, loses(['h1'])).leader).toBe('h2:26379')
  })
})

describe('what is lost', () => {
  test('what the replica had not acknowledged, as the master told', () => {
    expect(death().loss).toEqual({
      isNothing: false,
      behindBytes: 200,
      toldAgoMs: 400,
      goesOn: null,
    })
  })

  test('a master that is cut off goes on acknowledging, until its fence stops it', () => {
    const links = [
      ['h1', 'h2'],
      ['h1', 'h3'],
    ] as const
    const open = cut(layout(), ...links)
    expect(open.loss?.goesOn).toEqual({ forMs: 6_150, isFenced: false, bytes: 6_150 })
    const facts = { minReplicasToWrite: 1, minReplicasMaxLagSeconds: 2 }
    const fenced = cut(layout({ facts }), ...links)
    expect(fenced.loss?.goesOn).toEqual({ forMs: 3_000, isFenced: true, bytes: 3_000 })
  })

  test('a fence is no help where only the Sentinels are cut off, and the replicas are not', () => {
    const group = layout({ sentinels: ['s1', 's2', 's3'], facts: { minReplicasToWrite: 1 } })
    const told = cut(group, ['h1', 's1'], ['h1', 's2'])
    expect(told).toMatchObject({ outcome: 'switches', loss: { goesOn: { isFenced: false } } })
  })

  test('a fence that the rest cannot satisfy stops the new master as well', () => {
    const told = death({ facts: { minReplicasToWrite: 2 } })
    expect(told).toMatchObject({ outcome: 'switches', refusesWrites: true })
    expect(told.cautions).toEqual([
      'h2:6379 would refuse writes: min-replicas-to-write is 2, and one replica would be left',
    ])
  })
})

describe('the weakest point', () => {
  test('is the host with two of three Sentinels', () => {
    const weakness = weakestPoint(layout({ sentinels: ['h1', 'h1', 'h2'] }))
    expect(weakness.fatal).toEqual([['h1']])
    expect(weakness.text).toContain('The weakest point is the host h1 (master, 2 Sentinels)')
    expect(weakness.advice).toContain('at least three hosts')
  })

  test('of a paused group is advised with the command that ends the pause', () => {
    const master = { 'pause-left-ms': '60000', 'pause-by': 'ops' }
    expect(weakestPoint(layout({ master })).advice).toBe('end the pause with `vedette resume g`')
  })

  test('of three hosts with one of each is in two of them at once', () => {
    const weakness = weakestPoint(layout())
    expect(weakness).toMatchObject({ survives: 1, advice: '' })
    expect(weakness.fatal).toContainEqual(['h1', 'h2'])
    expect(weakness.text).toMatch(/^Any one may be lost, but \d+ combinations of two may not/)
  })

  test('is the only replica of a master that needs one to write', () => {
    const facts = { minReplicasToWrite: 1 }
    const weakness = weakestPoint(layout({ replicas: ['h2'], facts }))
    expect(weakness.fatal).toContainEqual(['h2'])
    expect(weakness.text).toContain('there would be a master that refuses writes')
  })

  test('of a trial on one host is looked for among its processes', () => {
    const one = layout({ sentinels: ['h1', 'h1', 'h1'], replicas: ['h1'] })
    expect(weakestPoint(one).text).toContain('Everything runs on one host, h1')
  })
})

test('the text names the Sentinels that would notice, the leader, the promoted replica and why no other', () => {
  const group = layout({ plan: dryRun('h3', 'h2!it is down') })
  const text = explainText(group, forecast(group, masterDies(group)), weakestPoint(group), 100)
  expect(text.split('\n').slice(0, 11)).toEqual([
    'g: if the master h1:6379 dies',
    '  ✔ h3:6379 would become the master.',
    '  which Sentinels would notice:',
    '    h1:26379  after 250 ms to 350 ms, when connections are refused and a replica confirms it',
    '    h2:26379  after 250 ms to 350 ms, when connections are refused and a replica confirms it',
    '    h3:26379  after 250 ms to 350 ms, when connections are refused and a replica confirms it',
    '  3 would see it down (quorum), 2 are needed; 3 could vote, 2 are needed',
    '  leader: h1:26379',
    '  promoted: h3:6379',
    '    not h2:6379: it is down',
    '  writes would be accepted again after 270 ms to 500 ms, plus about ten network round trips; clients',
  ])
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100)
})

test('a place where nothing of the group is, is unknown', () => {
  expect(accidentOf(layout(), ['h1', 'h9'], []).unknown).toBe('h9')
  expect(accidentOf(layout(), ['h1:6379'], [['h2', 'h3:26379']]).unknown).toBeUndefined()
})

test('a node that wants a login refuses, and the text says how to give one; a silent one does not answer', () => {
  const textWith = (failure: string) => {
    const group = layout({ facts: { failure } })
    return explainText(group, forecast(group, masterDies(group)), weakestPoint(group))
  }
  expect(textWith('NOAUTH Authentication required.')).toMatch(
    /^h1:6379 refuses: NOAUTH .*; what stands here .* \(--node-user and --node-pass give a login\)$/m,
  )
  expect(textWith('no answer within 3 s')).toMatch(
    /^h1:6379 does not answer: no answer within 3 s; what stands here about it comes from its Sentinels$/m,
  )
})
