import { expect, test } from 'vitest'
import { utf8Bytes } from '../../src/base/utf8.ts'
import { type GroupSpec, moreOptionsOf } from '../../src/history/topology.ts'
import { scenarioOf } from '../../src/simulate/scenario-of.ts'
import { stageIncident } from '../../src/simulate/stage.ts'
import { clusterOf, incident, stageOf } from './support.ts'

const LEARNT = `
  sentinel monitor orders 10.0.0.1 6379 2
  sentinel monitor my-cache 10.0.0.1 6380 2
  sentinel known-replica orders 10.0.0.2 6379
  sentinel known-replica my-cache 10.0.0.3 6380
  sentinel known-sentinel orders 10.0.0.2 26379 ${'a'.repeat(40)}
  sentinel known-sentinel orders 10.0.0.9 26379 ${'b'.repeat(40)}
  sentinel announce-ip 10.0.0.1`

test('what a file does not say is assumed, and every assumption is told', () => {
  const cluster = clusterOf()
  expect(cluster.groups[0]?.nodes.map(({ host }) => host)).toEqual(['box1', 'box2', 'box3'])
  expect(cluster.sentinels.map(({ host }) => host)).toEqual(['box1', 'box2', 'box3'])
  expect(cluster.assumptions).toEqual([
    '2 replicas a master (--replicas)',
    '3 Sentinels (--sentinels)',
    'Sentinels on the boxes of the nodes (--layout)',
    'redis.conf at its defaults (--server)',
  ])
})

test('who shares an address in a rewritten sentinel.conf shares a box', () => {
  const { groups, sentinels, assumptions } = clusterOf({ text: LEARNT })
  expect(groups.map(({ nodes }) => nodes.map(({ host }) => host))).toEqual([
    ['box1', 'box2'],
    ['box1', 'box3'],
  ])
  expect(sentinels.map(({ host }) => host)).toEqual(['box1', 'box2', 'watch1'])
  expect(assumptions).toEqual(['redis.conf at its defaults (--server)'])
})

test('loopback addresses do not put everybody on one box', () => {
  const text = `sentinel monitor m 127.0.0.1 6379 2
    sentinel known-replica m 127.0.0.1 6380`
  expect(clusterOf({ text }).groups[0]?.nodes.map(({ host }) => host)).toEqual(['box1', 'box2'])
})

test('options go before what the file has learnt', () => {
  const options = { sentinels: 5, replicas: 3, layout: 'apart' } as const
  const { groups, sentinels } = clusterOf({ text: LEARNT, options })
  expect(groups.map(({ nodes }) => nodes.length)).toEqual([4, 4])
  const boxes = sentinels.map(({ host }) => host)
  expect(boxes).toEqual(['apps1', 'apps2', 'watch1', 'watch2', 'watch3'])
})

test('a name that scenario files cannot say is replaced, and shown as it is', () => {
  const [group] = clusterOf({ text: 'sentinel monitor we!rd 10.0.0.1 6379 2' }).groups
  expect(group).toMatchObject({ title: 'we!rd', name: 'group1' })
  const text = utf8Bytes('sentinel monitor größe 10.0.0.1 6379 2')
  expect(clusterOf({ text }).groups[0]).toMatchObject({ title: 'größe', name: 'group1' })
})

test('what vedette check would say is known of a group when the number of Sentinels is', () => {
  const [group] = clusterOf({ quorum: 3 }).groups
  expect(group?.doubts.map(({ code }) => code)).toEqual(['W_QUORUM_ABOVE_MAJORITY'])
})

const RULES = `
  sentinel monitor orders 10.1.0.1 6379 2
  sentinel known-replica orders 10.1.0.2 6379
  sentinel known-replica orders 10.2.0.3 6379
  sentinel promotion orders 10.1.0.2 must-not
  sentinel zone orders 10.1.* frankfurt
  sentinel zone orders 10.2.* paris
  sentinel failover-block orders 60000`

test('rules about promotions, zones and blocks are those of the file', () => {
  const cluster = clusterOf({ text: RULES })
  const [group] = cluster.groups
  expect(group?.nodes.map(({ promotion }) => promotion)).toEqual([undefined, 'must-not', undefined])
  expect(group?.nodes.map(({ zone }) => zone)).toEqual(['frankfurt', 'frankfurt', 'paris'])
  expect(group).toMatchObject({ failoverBlockMs: 60_000, crossZonePromotion: 'no' })
  const { topology } = scenarioOf(stageIncident(incident({}), stageOf(cluster)), stageOf(cluster))
  expect(Object.fromEntries(topology.zones)).toMatchObject({ box1: 'frankfurt', box3: 'paris' })
  expect(topology.groups[0]).toMatchObject({ failoverBlockMs: 60_000, crossZonePromotion: 'no' })
  expect(topology.nodes.map(({ promotion }) => promotion)).toEqual([
    undefined,
    'must-not',
    undefined,
  ])
})

test('replicas without an address are under no rule, which is told', () => {
  const text = 'sentinel monitor m 10.1.0.1 6379 2\n sentinel zone m 10.1.* frankfurt'
  const cluster = clusterOf({ text })
  expect(cluster.groups[0]?.nodes.map(({ zone }) => zone)).toEqual([
    'frankfurt',
    undefined,
    undefined,
  ])
  expect(cluster.assumptions).toContain('replicas without an address in no zone, under no rule')
})

const STRICT = `
  sentinel monitor m 10.0.0.1 6379 2
  sentinel replication m strict
  sentinel voter m 10.0.0.1:6379
  sentinel voter m 10.0.0.2:6379
  sentinel voter m 10.0.0.3:6379
  sentinel write-quorum m 3
  sentinel reads m linearizable
  sentinel known-replica m 10.0.0.9 6379`

// simulate played a strict group as an async one: the options were dropped on the way.
test('a strict group is simulated as one, with its voters, write quorum and reads', () => {
  const cluster = clusterOf({ text: STRICT })
  const { topology } = scenarioOf(stageIncident(incident({}), stageOf(cluster)), stageOf(cluster))
  const [group] = topology.groups
  expect(group).toMatchObject({ replication: 'strict', writeQuorum: 3, reads: 'linearizable' })
  const words = moreOptionsOf(topology, group as GroupSpec, (name) => ({ host: name, port: 1 }))
  expect(words.voters).toEqual(['n1:1', 'n3:1', 'n4:1'])
  expect(cluster.groups[0]?.nodes.map(({ address }) => address)).toEqual([
    '10.0.0.1:6379',
    '10.0.0.9:6379',
    '10.0.0.2:6379',
    '10.0.0.3:6379',
  ])
})

test('a strict group whose redis.conf makes no voters is told so', () => {
  const told = 'sync-replication yes in the file of every voter'
  expect(clusterOf({ text: STRICT, settings: {} }).assumptions).toContain(told)
  const settings = { 'sync-replication': 'yes' }
  expect(clusterOf({ text: STRICT, settings }).assumptions).not.toContain(told)
})
