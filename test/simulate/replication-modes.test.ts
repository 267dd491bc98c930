import { expect, test } from 'vitest'
import { PLAIN } from '../../src/scenario/report.ts'
import type { SimulatedCluster } from '../../src/simulate/cluster.ts'
import { measureSeed, playSeed } from '../../src/simulate/play-seed.ts'
import {
  compareModes,
  REPLICATION_MODES,
  type ReplicationMode,
  withReplication,
} from '../../src/simulate/replication-modes.ts'
import { replicationLines } from '../../src/simulate/text-compare.ts'
import { clusterOf, measured, stageOf } from './support.ts'

/** Seeds, by what happens in their histories. */
const CUT_OFF_WITH_A_CLIENT = '64'
const REPLICA_LOST = '6'
const POWER_FAILS_EVERYWHERE = '12'

const CLUSTER = clusterOf({ options: { writesPerSecond: 5 } })
const ON_DISK = clusterOf({ settings: { appendonly: 'yes', appendfsync: 'always' } })

function settingsIn(cluster: SimulatedCluster, mode: ReplicationMode) {
  return withReplication(cluster, mode).groups[0]?.nodes[0]?.settings
}

test('the three clusters differ in what an acknowledged write means, and in nothing else', () => {
  const cluster = clusterOf({ settings: { appendonly: 'yes', 'sync-replication': 'yes' } })
  expect(settingsIn(cluster, 'async')).toEqual({ appendonly: 'yes' })
  expect(settingsIn(cluster, 'min-replicas')).toEqual({
    appendonly: 'yes',
    'min-replicas-to-write': '1',
    'min-replicas-max-lag': '10',
  })
  expect(settingsIn(cluster, 'strict')).toEqual({ appendonly: 'yes', 'sync-replication': 'yes' })
  const kinds = REPLICATION_MODES.map((mode) => withReplication(cluster, mode).groups[0])
  expect(kinds.map((group) => group?.replication)).toEqual([undefined, undefined, 'strict'])
})

test('the minimum of replicas is that of the configuration, if it has one', () => {
  const settings = { 'min-replicas-to-write': '2', 'min-replicas-max-lag': '3' }
  expect(settingsIn(clusterOf({ settings }), 'min-replicas')).toEqual(settings)
  expect(settingsIn(clusterOf({ settings }), 'async')).toEqual({})
})

test('each measure stands beside itself under the three promises', () => {
  const lost = (asynchronous: number) => ({ asynchronous, splitBrain: 0, emptyRestart: 0 })
  const rows = compareModes([
    [
      measured('1', { lost: lost(9), latencyMs: { median: 2, p99: 4 }, outageMs: 500 }),
      measured('1', { lost: lost(5), latencyMs: { median: 2, p99: 4 }, refused: 7 }),
      measured('1', { latencyMs: { median: 4, p99: 9 }, outageMs: 900 }),
    ],
  ])
  const row = (name: string) => rows.find(({ measure }) => measure === name)?.values
  expect(row('lost writes')).toEqual([9, 5, 0])
  expect(row('latency')).toEqual([2, 2, 4])
  expect(row('outage')).toEqual([500, undefined, 900])
  expect(row('refused writes')).toEqual([0, 7, 0])
  expect(replicationLines(rows, PLAIN).join('\n')).toMatch(/lost writes +all +9 +5 +0\n/)
})

test('a strict master that is cut off with a client loses nothing; an async one does', async () => {
  const losses = []
  for (const mode of ['async', 'strict'] as const) {
    const stage = stageOf(withReplication(CLUSTER, mode))
    const { played } = await playSeed(CUT_OFF_WITH_A_CLIENT, stage)
    losses.push(played.result.facts.groups[0]?.lost?.splitBrain)
    expect(played.result.violations).toEqual([])
  }
  expect(losses[0]).toBeGreaterThan(0)
  expect(losses[1]).toBe(0)
})

test('the first term of a strict group is no failover', async () => {
  const stage = stageOf(withReplication(CLUSTER, 'strict'))
  const history = await measureSeed(REPLICA_LOST, stage)
  expect(history.groups[0]).toMatchObject({ failovers: 0, needless: 0, outcome: 'unneeded' })
})

test('a strict group whose nodes all ended has no voters left, which is no missing failover', async () => {
  const stage = stageOf(withReplication(ON_DISK, 'strict'))
  const [group] = (await measureSeed(POWER_FAILS_EVERYWHERE, stage)).groups
  expect(group).toMatchObject({ failovers: 0, outcome: 'impossible' })
})
