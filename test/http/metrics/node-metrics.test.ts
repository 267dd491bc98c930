/** What a data node shows to Prometheus: INFO, under the names of redis_exporter. */
import { expect, test } from 'vitest'
import { NODE_FAMILIES, nodeMetrics } from '../../../src/http/metrics/node-metrics.ts'
import { newMeters } from '../../../src/http/metrics/process-metrics.ts'
import { readSamples, type Sample, valuesOf } from '../../support/exposition.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const READING = {
  program: 'server',
  version: '1.2.3',
  residentBytes: 1,
  cpuSeconds: 1,
  startedSeconds: 1,
  meters: newMeters(),
} as const

function scrape({ node }: NodeHarness): readonly Sample[] {
  const ledgers = { files: 2, bytes: 300 }
  return readSamples(nodeMetrics(node.services, ledgers, READING))
}

function single(samples: readonly Sample[], name: string): number | undefined {
  return valuesOf(samples, name)['']
}

test('every sample has the labels that its family declares, and no two have the same', () => {
  const harness = new NodeHarness({ replicaof: '10.0.0.1 6379' })
  harness.client().say('GET x')
  const families = new Map(NODE_FAMILIES.map((family) => [family.name, family]))
  const samples = scrape(harness)
  for (const { name, labels } of samples) {
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''))
    const { le: _, ...own } = labels
    expect([name, Object.keys(own)]).toEqual([name, family?.labels])
  }
  const keys = samples.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)
  expect(new Set(keys).size).toBe(keys.length)
})

test('commands, keys and errors are counted', () => {
  const harness = new NodeHarness()
  const client = harness.client()
  for (const line of ['SET a 1', 'SET b 1 PX 90000', 'GET a', 'GET none', 'LPUSH a x']) {
    client.say(line)
  }
  const samples = scrape(harness)
  expect(valuesOf(samples, 'redis_commands_total')).toMatchObject({ set: 2, get: 2, lpush: 1 })
  expect(valuesOf(samples, 'redis_commands_failed_calls_total')).toMatchObject({ lpush: 1, set: 0 })
  expect(valuesOf(samples, 'redis_errors_total')).toEqual({ WRONGTYPE: 1 })
  expect(valuesOf(samples, 'redis_db_keys')).toEqual({ db0: 2 })
  expect(valuesOf(samples, 'redis_db_keys_expiring')).toEqual({ db0: 1 })
  expect(single(samples, 'redis_keyspace_hits_total')).toBe(1)
  expect(single(samples, 'redis_keyspace_misses_total')).toBe(1)
  expect(single(samples, 'vedette_ledger_bytes')).toBe(300)
})

test('keys that maxmemory costs are counted', () => {
  const harness = new NodeHarness({ maxmemory: '1mb', 'maxmemory-policy': 'allkeys-lru' })
  const client = harness.client()
  for (let at = 0; at < 200; at++) client.send('SET', `key:${at}`, 'x'.repeat(10_000))
  const samples = scrape(harness)
  const kept = valuesOf(samples, 'redis_db_keys').db0 ?? 0
  expect(kept).toBeLessThan(200)
  expect(single(samples, 'redis_evicted_keys_total')).toBe(200 - kept)
})

test('a replica names its master and says that the link is down', () => {
  const samples = scrape(new NodeHarness({ replicaof: '10.0.0.1 6379' }))
  expect(valuesOf(samples, 'redis_master_link_up')).toEqual({ '10.0.0.1 6379': 0 })
  expect(valuesOf(samples, 'redis_slave_info')).toEqual({ '10.0.0.1 6379 1': 1 })
  expect(single(samples, 'vedette_node_is_master')).toBe(0)
  expect(valuesOf(scrape(new NodeHarness()), 'redis_master_link_up')).toEqual({})
})

test('a master shows where each of its replicas has got to', () => {
  const harness = new NodeHarness()
  const replica = harness.client()
  replica.say('REPLCONF listening-port 6380')
  replica.say('PSYNC ? -1')
  const offsets = valuesOf(scrape(harness), 'redis_connected_slave_offset_bytes')
  expect(Object.keys(offsets)).toHaveLength(1)
  expect(Object.keys(offsets)[0]).toMatch(/ 6380 /)
})

test('a node that refuses writes for want of replicas says so', () => {
  const samples = scrape(new NodeHarness({ 'min-replicas-to-write': '1' }))
  expect(single(samples, 'vedette_node_writes_fenced')).toBe(1)
  expect(single(scrape(new NodeHarness()), 'vedette_node_writes_fenced')).toBe(0)
})
