import { expect, test } from 'vitest'
import { playScenario } from '../../src/scenario/run.ts'
import type { SimulatedCluster } from '../../src/simulate/cluster.ts'
import type { Incident } from '../../src/simulate/incident.ts'
import { type GroupMeasured, measure } from '../../src/simulate/measure.ts'
import { measureSeed } from '../../src/simulate/play-seed.ts'
import { scenarioOf } from '../../src/simulate/scenario-of.ts'
import { stageIncident } from '../../src/simulate/stage.ts'
import { clusterOf, incident, stageOf } from './support.ts'

async function play(change: Partial<Incident>, cluster: SimulatedCluster): Promise<GroupMeasured> {
  const stage = stageOf(cluster)
  const staged = stageIncident(incident(change), stage)
  const played = await playScenario(scenarioOf(staged, stage), { seed: '1' })
  const [group] = measure(cluster, staged, played).groups
  if (group === undefined) throw new Error('it has a group')
  return group
}

test('a crash is noticed one down-after later, and costs little more', async () => {
  const found = await play({}, clusterOf())
  expect(found).toMatchObject({ outcome: 'came', failovers: 1, needless: 0 })
  expect(found.sdownMs).toBeGreaterThanOrEqual(2_000)
  expect(found.odownMs).toBeLessThan(2_500)
  expect(found.outageMs).toBeLessThan(3_000)
})

test('quorum 3 of 3 blocks the failover when a Sentinel is dead', async () => {
  const found = await play({ beforehand: 'sentinelDead' }, clusterOf({ quorum: 3 }))
  expect(found).toMatchObject({ outcome: 'missing', failovers: 0, ableSentinels: 2 })
  expect(found.lost).toBeUndefined()
})

test('a Sentinel dead before and one beside the master are too many', async () => {
  const lots = { group: 0, replica: 0, sentinel: 0, client: 0, beforehand: 1 }
  const found = await play({ kind: 'powerLoss', beforehand: 'sentinelDead', lots }, clusterOf())
  expect(found).toMatchObject({ outcome: 'impossible', lacking: 'majority', failovers: 0 })
})

test('a hang a little longer than down-after makes a needless failover, a long one does not', async () => {
  const short = await play({ kind: 'hang', forMs: [2_300] }, clusterOf())
  expect(short).toMatchObject({ failovers: 1, needless: 1, unusableMs: 2_300 })
  const long = await play({ kind: 'hang', forMs: [9_000] }, clusterOf())
  expect(long).toMatchObject({ failovers: 1, needless: 0 })
})

test('a hang shorter than down-after is an outage and nothing else', async () => {
  const found = await play({ kind: 'hang', forMs: [1_200] }, clusterOf())
  expect(found).toMatchObject({ failovers: 0, outcome: 'unneeded', sdownMs: undefined })
  expect(found.outageMs).toBeGreaterThan(1_100)
})

test('min-replicas-to-write bounds what a master with a client on its side promises', async () => {
  const cut = { kind: 'cutOffWithClient', forMs: [20_000] } as const
  const open = await play(cut, clusterOf())
  const guarded = { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '3' }
  const closed = await play(cut, clusterOf({ settings: guarded }))
  expect(open.lost?.splitBrain).toBeGreaterThan(200)
  expect(closed.lost?.splitBrain).toBeLessThan(120)
  expect(closed.twoMastersMs).toBeLessThan(open.twoMastersMs)
  expect(closed.refused).toBeGreaterThan(0)
})

test('when power fails everywhere, redis.conf decides what is left', async () => {
  const cut = { kind: 'siteOutage', forMs: [5_000], gapMs: [600] } as const
  const lostWith = async (settings: Record<string, string>) => {
    const { lost } = await play(cut, clusterOf({ settings }))
    return (lost?.asynchronous ?? 0) + (lost?.emptyRestart ?? 0) + (lost?.splitBrain ?? 0)
  }
  const nothing = await lostWith({ save: '' })
  const seconds = await lostWith({ appendonly: 'yes' })
  // Both clients write 20 times a second from the start on.
  expect(nothing).toBeGreaterThan(15 * 20)
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(2 * 2 * 20)
  expect(await lostWith({ appendonly: 'yes', appendfsync: 'always' })).toBe(0)
})

test('replacing a master that was restarted without its data is not needless', async () => {
  const quick = { kind: 'restart', forMs: [100] } as const
  const empty = await play(quick, clusterOf({ settings: { save: '' } }))
  expect(empty).toMatchObject({ failovers: 1, needless: 0 })
  const kept = await play(quick, clusterOf({ settings: { appendonly: 'yes' } }))
  expect(kept).toMatchObject({ failovers: 0, outcome: 'unneeded' })
})

test('a client that is cut off with the master is not asked how long it waited', async () => {
  const guarded = clusterOf({ settings: { 'min-replicas-to-write': '1' } })
  const found = await play({ kind: 'cutOffWithClient', forMs: [20_000] }, guarded)
  expect(found.refused).toBeGreaterThan(0)
  expect(found.outageMs).toBeLessThan(5_000)
})

test('each group of a cluster is measured for itself', async () => {
  const text = `sentinel monitor a 10.0.0.1 6379 2
    sentinel monitor b 10.0.0.5 6379 2
    sentinel down-after-milliseconds a 2000
    sentinel down-after-milliseconds b 2000`
  const cluster = clusterOf({ text })
  const stage = stageOf(cluster)
  const staged = stageIncident(incident({}), stage)
  const played = await playScenario(scenarioOf(staged, stage), { seed: '1' })
  const outcomes = measure(cluster, staged, played).groups.map(({ outcome }) => outcome)
  expect(outcomes).toEqual(['came', 'unneeded'])
})

test('the same seed gives the same measures', async () => {
  const stage = stageOf(clusterOf())
  expect(await measureSeed('5', stage)).toEqual(await measureSeed('5', stage))
})
