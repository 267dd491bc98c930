/** Groups of one master: a failover of one of them is for all. */
import { describe, expect, test } from 'vitest'
import { GROUP, SentinelStage, type StageSetup } from '../../support/sentinel-stage.ts'

const ONE = { ...GROUP, name: 'one' }
const OTHER = { ...GROUP, name: 'other' }
const NEWS = { group: 'one', configEpoch: 5, masterHost: '10.0.0.2', masterPort: 6379 }

function masterOf(stage: SentinelStage, group: string): string {
  return String(stage.show('master', '', group)?.ip)
}

function epochOf(stage: SentinelStage, group: string): number | undefined {
  return stage.saved.groups.find(({ current }) => current.name === group)?.configEpoch
}

function told(setup: StageSetup): SentinelStage {
  const stage = new SentinelStage(setup)
  stage.hello('peer1', NEWS)
  return stage
}

describe('a switch of one group that another Sentinel tells of', () => {
  test('is for the other one, too, in the same epoch, and both are announced and kept', () => {
    const stage = told({ groups: [ONE, OTHER] })
    expect(['one', 'other'].map((group) => masterOf(stage, group))).toEqual([
      '10.0.0.2',
      '10.0.0.2',
    ])
    expect(['one', 'other'].map((group) => epochOf(stage, group))).toEqual([5, 5])
    expect(stage.times('+switch-master one 10.0.0.1')).toHaveLength(1)
    expect(stage.times('+switch-master other 10.0.0.1 6379 10.0.0.2 6379')).toHaveLength(1)
  })

  test('leaves one that knows of a later failover, or has another master', () => {
    const later = new SentinelStage({ groups: [ONE, OTHER] })
    later.hello('peer1', { group: 'other', configEpoch: 6 })
    later.hello('peer1', NEWS)
    expect(masterOf(later, 'other')).toBe('10.0.0.1')
    const elsewhere = told({ groups: [ONE, { ...OTHER, host: '10.0.0.9' }] })
    expect(masterOf(elsewhere, 'other')).toBe('10.0.0.9')
  })

  test('leaves strict groups, where voters decide, and is none for them', () => {
    const strict = { replication: 'strict', voters: ['10.0.0.1:6379', '10.0.0.2:6379'] } as const
    const other = told({ groups: [ONE, { ...OTHER, ...strict }] })
    expect(['one', 'other'].map((name) => masterOf(other, name))).toEqual(['10.0.0.2', '10.0.0.1'])
    const one = told({ groups: [{ ...ONE, ...strict }, OTHER] })
    expect(masterOf(one, 'other')).toBe('10.0.0.1')
  })
})

/** Its master has died under both groups, which have the same peers. */
function bereft(): SentinelStage {
  const stage = new SentinelStage({ groups: [ONE, OTHER] })
  for (const group of ['one', 'other']) {
    for (const peer of ['peer1', 'peer2']) stage.hello(peer, { group })
  }
  stage.run(1_000)
  for (const peer of ['peer1', 'peer2']) stage.part(peer).seesDown = true
  stage.kill('master')
  return stage
}

test('when their master dies, one group fails over and the other goes with it', () => {
  const stage = bereft()
  stage.run(20_000)
  expect(stage.times('+try-failover')).toHaveLength(1)
  const switches = ['one', 'other'].map((name) => stage.times(`+switch-master ${name} 10.0.0.1`))
  expect(switches.map(({ length }) => length)).toEqual([1, 1])
  expect(masterOf(stage, 'other')).toBe(masterOf(stage, 'one'))
  expect([epochOf(stage, 'one'), epochOf(stage, 'other')]).toEqual([1, 1])
})

test('while one group tries to be elected, the other leaves it to that one', () => {
  const stage = bereft()
  for (const peer of ['peer1', 'peer2']) stage.part(peer).votesFor = 'nobody'
  stage.run(100_000)
  expect(stage.times('+try-failover master one').length).toBeGreaterThan(1)
  expect(stage.times('+try-failover master other')).toEqual([])
})
