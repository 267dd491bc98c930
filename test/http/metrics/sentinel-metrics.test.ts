/** What a Sentinel shows to Prometheus, and that it shows no more than it watches at this moment. */
import { expect, test } from 'vitest'
import { newMeters } from '../../../src/http/metrics/process-metrics.ts'
import { SENTINEL_FAMILIES, SentinelMetrics } from '../../../src/http/metrics/sentinel-metrics.ts'
import { readSamples, type Sample, valuesOf } from '../../support/exposition.ts'
import { MYMASTER, PEERS, REPLICAS, TestSentinel } from '../../support/sentinel-builder.ts'
import { SentinelStage } from '../../support/sentinel-stage.ts'

const READING = {
  program: 'sentinel',
  version: '1.2.3',
  residentBytes: 1,
  cpuSeconds: 1,
  startedSeconds: 1,
  meters: newMeters(),
} as const

type Watched = Pick<TestSentinel, 'state'> & { now: TestSentinel['now'] }

function scrape({ state, now }: Watched, between = () => {}): readonly Sample[] {
  const begun = new SentinelMetrics(state).scrape(now, READING)
  while (begun.slice(now)) between()
  return readSamples(begun.pieces())
}

function seen(stage: SentinelStage): readonly Sample[] {
  return scrape({ state: stage.state, now: stage.now() })
}

test('every sample has the labels that its family declares, and no two have the same', () => {
  const samples = scrape(new TestSentinel({ replicas: REPLICAS, peers: PEERS }))
  const families = new Map(SENTINEL_FAMILIES.map((family) => [family.name, family]))
  for (const { name, labels } of samples) {
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''))
    const { le: _, ...own } = labels
    expect([name, Object.keys(own)]).toEqual([name, family?.labels])
  }
  const keys = samples.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)
  expect(new Set(keys).size).toBe(keys.length)
})

test('the names of redis_exporter say what redis_exporter would say', () => {
  const samples = scrape(new TestSentinel({ replicas: REPLICAS, peers: PEERS, configEpoch: 7 }))
  const said = Object.fromEntries(
    samples
      .filter(({ name }) => name.startsWith('redis_sentinel_'))
      .map(({ name, labels, value }) => [
        [name.slice('redis_sentinel_'.length), ...Object.values(labels)].join(' '),
        value,
      ]),
  )
  expect(said).toMatchInlineSnapshot(`
    {
      "master_ckquorum_status mymaster OK 3 usable Sentinels. Quorum and failover authorization can be reached": 1,
      "master_config_epoch mymaster 10.0.0.1:6379": 7,
      "master_last_ok_ping_reply_seconds mymaster 10.0.0.1:6379": 0,
      "master_ok_sentinels mymaster 10.0.0.1:6379": 3,
      "master_ok_slaves mymaster 10.0.0.1:6379": 2,
      "master_sentinels mymaster 10.0.0.1:6379": 3,
      "master_setting_ckquorum mymaster 10.0.0.1:6379": 2,
      "master_setting_down_after_milliseconds mymaster 10.0.0.1:6379": 30000,
      "master_setting_failover_timeout mymaster 10.0.0.1:6379": 180000,
      "master_setting_parallel_syncs mymaster 10.0.0.1:6379": 1,
      "master_slaves mymaster 10.0.0.1:6379": 2,
      "master_status mymaster 10.0.0.1:6379 ok": 1,
      "masters": 1,
      "running_scripts": 0,
      "scripts_queue_length": 0,
      "simulate_failure_flags": 0,
      "tilt": 0,
    }
  `)
})

test('an instance that is forgotten is gone from the next scrape', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS, peers: PEERS })
  const { state, group } = sentinel
  const addresses = () =>
    Object.keys(valuesOf(scrape(sentinel), 'vedette_instance_up')).map((key) => key.split(' ')[2])
  expect(addresses()).toContain('10.0.0.3:6381')
  group.replicas.delete('10.0.0.3:6381')
  expect(addresses()).not.toContain('10.0.0.3:6381')
  state.groups.clear()
  expect(scrape(sentinel).filter(({ labels }) => 'master_name' in labels)).toEqual([])
})

test('a group that is removed between two slices is left out, and the others are whole', () => {
  const groups = Array.from({ length: 200 }, (_, at) => ({ ...MYMASTER, name: `g${at}` }))
  const sentinel = new TestSentinel({ groups })
  const samples = scrape(sentinel, () => sentinel.state.groups.delete('g199'))
  const named = Object.keys(valuesOf(samples, 'vedette_group_odown'))
  expect(named).toHaveLength(199)
  expect(samples.filter(({ labels }) => labels.master_name === 'g199')).toEqual([])
})

test('a slice does not grow with the number of groups', () => {
  const groups = Array.from({ length: 300 }, (_, at) => ({ ...MYMASTER, name: `g${at}` }))
  let slices = 0
  const samples = scrape(new TestSentinel({ groups, replicas: REPLICAS, peers: PEERS }), () => {
    slices++
  })
  expect(samples.length / (slices + 1)).toBeLessThan(600)
})

test('two records of one address are one series', () => {
  const peers = [...PEERS, { ...PEERS[0]!, runId: 'c'.repeat(40) }]
  const samples = scrape(new TestSentinel({ peers }))
  expect(Object.keys(valuesOf(samples, 'vedette_peer_sees_master_down'))).toEqual([
    'mymaster 10.0.0.11:26379',
    'mymaster 10.0.0.12:26379',
  ])
})

test('the lag is what the master said in one INFO, and is not guessed while the master is down', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  const { master } = sentinel.group
  master.infoText = [
    ...['# Replication', 'role:master', 'connected_slaves:2'],
    ...['slave0:ip=10.0.0.2,port=6380,state=online,offset=900,lag=0'],
    ...['slave1:ip=10.0.0.9,port=6381,state=online,offset=1,lag=0'],
    ...['master_failover_state:no-failover', 'master_repl_offset:1000', ''],
  ].join('\r\n')
  const lags = () => valuesOf(scrape(sentinel), 'vedette_replica_lag_bytes')
  expect(lags()).toEqual({ 'mymaster 10.0.0.2:6380': 100 })
  master.sdownSinceMs = sentinel.now.monoMs
  expect(lags()).toEqual({})
})

test('a failover is told by phase, for the group and in the histograms', () => {
  const stage = new SentinelStage()
  for (const name of ['peer1', 'peer2']) stage.part(name).seesDown = true
  expect(valuesOf(seen(stage), 'vedette_last_switch_timestamp_seconds')).toEqual({})
  stage.kill('master')
  stage.until('+sdown master')
  const status = valuesOf(seen(stage), 'redis_sentinel_master_status')
  expect(status).toEqual({ 'g 10.0.0.1:6379 sdown': 0 })
  stage.until('+switch-master')
  const samples = seen(stage)
  expect(valuesOf(samples, 'vedette_last_failover_phase_seconds')['g leader detected']).toBe(1.001)
  expect(valuesOf(samples, 'vedette_failover_phase_seconds_count')['leader promoted']).toBe(1)
  expect(valuesOf(samples, 'vedette_group_failovers_led_total')).toEqual({ g: 1 })
  expect(valuesOf(samples, 'vedette_events_total')['+switch-master']).toBe(1)
  expect(Object.keys(valuesOf(samples, 'redis_sentinel_master_config_epoch'))).not.toEqual([
    'g 10.0.0.1:6379',
  ])
})
