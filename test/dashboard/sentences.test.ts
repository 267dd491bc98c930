import { describe, expect, test } from 'vitest'
import {
  bytes,
  elsewhere,
  inSight,
  type Mood,
  span,
  tally,
  verdictOn,
} from '../../src/dashboard/sentences.ts'
import { clusterDocument } from '../../src/http/cluster-document.ts'
import { SentinelStage } from '../support/sentinel-stage.ts'

function verdictAfter(change: (stage: SentinelStage) => void) {
  const { tilt, ...group } = groupAfter(change)
  return verdictOn(group, tilt)
}

function groupAfter(change: (stage: SentinelStage) => void) {
  const stage = new SentinelStage()
  stage.run(5_000)
  change(stage)
  const cluster = stage.look(({ state, now }) => clusterDocument(state, now, '0'))
  const [group] = cluster.groups
  if (group === undefined) throw new Error('no group')
  return { ...group, tilt: cluster.tilt }
}

test('a program that has no page says what it is', () => {
  expect(elsewhere('vedette-server')).toMatch(/^This is a data node: /)
  expect(elsewhere('vedette-proxy')).toMatch(/^This is a proxy: /)
})

describe('the verdict', () => {
  test('on a healthy group names the master and how many agree', () => {
    const { mood, title, story } = verdictAfter(() => undefined)
    expect({ mood, title }).toEqual({
      mood: 'good',
      title: '10.0.0.1:6379 is master, and all is well',
    })
    expect(story).toContain('3 of 3 Sentinels answer')
  })

  test('names the votes that a leader needs: as many as the quorum, if that is more than the majority', () => {
    const votes = (quorum: number) =>
      verdictAfter((stage) => stage.ask('SENTINEL', 'SET', 'g', 'quorum', `${quorum}`)).story
    expect(votes(1)).toContain('a failover takes 1 that see the master down and 2 votes.')
    expect(votes(3)).toContain('a failover takes 3 that see the master down and 3 votes.')
  })

  test('on a master that only we see down says so', () => {
    const { mood, title } = verdictAfter((stage) => {
      stage.kill('master')
      stage.run(3_000)
    })
    expect(mood).toBe('bad')
    expect(title).toContain('10.0.0.1:6379')
    expect(title).toContain('down')
  })

  test('warns of a replica that is down', () => {
    const verdict = verdictAfter((stage) => {
      stage.kill('replica1')
      stage.run(5_000)
    })
    expect(verdict).toMatchObject({
      mood: 'warn',
      title: '10.0.0.1:6379 is master; 10.0.0.2:6379 is down for this Sentinel: refused',
    })
  })

  test('names a master once, whatever is wrong with it', () => {
    const lost = verdictAfter((stage) => stage.cut('master'))
    expect(lost).toMatchObject({
      mood: 'warn',
      title: '10.0.0.1:6379 is master; this Sentinel is connecting to it',
    })
    const refusal = 'master g (10.0.0.1:6379) refuses our password'
    const group = groupAfter(() => undefined)
    const nodes = group.nodes.map((one) => (one.role === 'master' ? { ...one, refusal } : one))
    expect(verdictOn({ ...group, nodes }, false).title).toBe(`10.0.0.1:6379 is master; ${refusal}`)
  })

  test('says that nobody could fail over when the peers are gone', () => {
    const { mood, title } = verdictAfter((stage) => {
      for (const peer of ['peer1', 'peer2']) stage.kill(peer)
      stage.run(10_000)
    })
    expect({ mood, title }).toEqual({
      mood: 'bad',
      title: 'No failover is possible: too few Sentinels answer',
    })
  })

  test('warns of TILT', () => {
    const { mood, title } = verdictAfter((stage) => {
      stage.jump(60_000)
      stage.run(500)
    })
    expect({ mood, title }).toMatchObject({ mood: 'warn', title: expect.stringContaining('TILT') })
  })
})

test('amounts and spans are short', () => {
  expect([0, 999, 1024, 1_500_000].map(bytes)).toEqual(['0 B', '999 B', '1.0 KiB', '1.4 MiB'])
  expect([12, 1_500, 59_000, 3_600_000, 200_000_000].map(span)).toEqual([
    '12 ms',
    '1.5 s',
    '59 s',
    '1 h',
    '2 days',
  ])
})

describe('of many groups', () => {
  const stage = new SentinelStage()
  const [group] = stage.look(({ state, now }) => clusterDocument(state, now, '0')).groups
  if (group === undefined) throw new Error('no group')
  const named = (name: string, mood: Mood) => ({ group: { ...group, name }, mood })
  const well = Array.from({ length: 97 }, (_, at) => named(`g${at}`, 'good'))
  const all = [named('late', 'warn'), ...well, named('dead', 'bad'), named('slow', 'warn')]
  const names = (shown: (typeof all)[number]) =>
    inSight(all, shown.group).map((one) => one.group.name)

  test('those in trouble are in sight, the worst first, beside the one that is shown', () => {
    expect(names(named('gone', 'good'))).toEqual(['dead', 'late', 'slow'])
    expect(inSight(all, well[5]?.group).map((one) => one.group.name)).toEqual([
      'g5',
      'dead',
      'late',
      'slow',
    ])
  })

  test('a line counts all of them', () => {
    expect(tally(all)).toBe('100 groups: 1 ✗, 2 !, 97 ✓')
  })

  test('a few are in sight as they are', () => {
    expect(inSight(all.slice(0, 12), undefined)).toEqual(all.slice(0, 12))
  })
})
