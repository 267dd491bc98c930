/** INFO: the names of the fields, as monitoring looks for them. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'

/** Of a redis-server 7.0.15 that has just started: headings, and fields without their values. */
const REDIS = readFileSync(new URL('testdata/fields-7.0.15.txt', import.meta.url), 'utf8').trim()

/** Fields of ours, one that counts this very command, and fields of newer servers. */
const OURS = ['server_name', 'vedette_version', 'cmdstat_info']
const NEWER =
  /^(expired_subkeys|availability_zone|listener\d|(pubsub|watching)_clients|total_(watched|blocking)_keys|paused_\w+|acl_access_denied_\w+|client_output_buffer_limit_disconnections)$/

test('INFO everything has every field of Redis 7.0.15, in its order', () => {
  const [, ...lines] = new NodeHarness().client().send('INFO', 'everything').split('\r\n')
  const names = lines.filter((line) => line !== '').map((line) => line.replace(/:.*/, ''))
  const known = names.filter((name) => !OURS.includes(name) && !NEWER.test(name))
  expect(known).toEqual(REDIS.split('\n'))
})

test('INFO has fields of newer servers, where they have a meaning here', () => {
  const harness = new NodeHarness()
  const client = harness.client()
  client.send('CONFIG', 'SET', 'availability-zone', 'here-1a')
  client.send('WATCH', 'a', 'b')
  harness.client().send('BLPOP', 'l', 'm', '0')
  harness.client().send('SUBSCRIBE', 'channel')
  const info = client.send('INFO')
  for (const field of [
    'availability_zone:here-1a',
    'listener0:name=tcp,bind=*,bind=-::*,port=6379',
    'pubsub_clients:1',
    'watching_clients:1',
    'total_watched_keys:2',
    'total_blocking_keys:2',
  ]) {
    expect(info).toContain(`${field}\r\n`)
  }
  expect(client.send('HELLO', '3')).toContain('availability_zone\r\n$7\r\nhere-1a')
})

test('INFO cpu gives the main thread what the process has used', () => {
  const harness = new NodeHarness()
  const facts = { ...harness.processFacts(), systemCpuMicros: 1_250_000, userCpuMicros: 2_500_000 }
  harness.processFacts = () => facts
  const info = harness.client().send('INFO', 'cpu')
  expect(field(info, 'used_cpu_sys_main_thread')).toBe(1.25)
  expect(field(info, 'used_cpu_user_main_thread')).toBe(2.5)
})

function field(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(.*)\r$`, 'm').exec(info)?.[1])
}

describe('the rates of INFO', () => {
  test('are what happened in the last 1.6 seconds, and zero after a pause', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    for (let at = 0; at < 32; at++) {
      client.send('SET', 'k', 'x'.repeat(1000))
      harness.advance(50)
    }
    const info = client.send('INFO', 'stats')
    // 32 and the INFO.
    expect(field(info, 'instantaneous_ops_per_sec')).toBe(Math.round(33 / 1.6))
    // A request of 1 030 bytes, an answer of 5.
    expect(field(info, 'instantaneous_input_kbps')).toBeCloseTo(20.1, 0)
    expect(field(info, 'instantaneous_output_kbps')).toBeCloseTo(0.1, 1)
    harness.advance(1_700)
    expect(field(client.send('INFO', 'stats'), 'instantaneous_input_kbps')).toBeLessThan(0.1)
  })

  test('begin again with CONFIG RESETSTAT', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    for (let at = 0; at < 100; at++) client.send('PING')
    // What was counted then is where the present span began.
    harness.advance(1_700)
    client.send('CONFIG', 'RESETSTAT')
    client.send('PING')
    const info = client.send('INFO', 'stats')
    expect(field(info, 'instantaneous_ops_per_sec')).toBe(Math.round(2 / 1.6))
  })

  test('count what goes to a replica, and what comes from a master', () => {
    const world = new ReplicationWorld()
    const master = world.node()
    const replica = world.replicaOf(master)
    const before = [stats(master), stats(replica)] as const
    master.call('SET', 'k', 'x'.repeat(10_000))
    world.untilInStep(master, replica)
    const [sent, received] = ['total_net_repl_output_bytes', 'total_net_repl_input_bytes']
    expect(field(stats(master), sent) - field(before[0], sent)).toBeGreaterThan(10_000)
    expect(field(stats(replica), received) - field(before[1], received)).toBeGreaterThan(10_000)
    expect(field(stats(master), 'instantaneous_output_repl_kbps')).toBeGreaterThan(6)
    expect(field(stats(replica), 'instantaneous_input_repl_kbps')).toBeGreaterThan(6)
  })
})

test('CONFIG RESETSTAT counts resynchronisations from zero', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master)
  world.untilInStep(master, replica)
  const names = ['sync_full', 'sync_partial_ok', 'sync_partial_err']
  expect(names.map((name) => field(stats(master), name))).not.toEqual([0, 0, 0])
  master.call('CONFIG', 'RESETSTAT')
  expect(names.map((name) => field(stats(master), name))).toEqual([0, 0, 0])
})

function stats(node: TestNode): string {
  const reply = node.call('INFO', 'stats')
  return reply.kind === 'bulk' ? reply.bytes : ''
}

test('INFO counts what users were refused, until CONFIG RESETSTAT', () => {
  const harness = new NodeHarness()
  const [admin, reader] = [harness.client(), harness.client()]
  admin.send('ACL', 'SETUSER', 'reader', 'on', '>secret', '+get', '+auth', '+publish', '~a')
  reader.send('AUTH', 'reader', 'wrong')
  reader.send('AUTH', 'reader', 'secret')
  reader.send('SET', 'a', '1')
  reader.send('GET', 'b')
  reader.send('GET', 'b')
  reader.send('PUBLISH', 'channel', 'x')
  const counts = { auth: 1, cmd: 1, key: 2, channel: 1 }
  for (const [what, count] of Object.entries(counts)) {
    expect(admin.send('INFO', 'stats')).toContain(`acl_access_denied_${what}:${count}\r\n`)
  }
  admin.send('ACL', 'LOG', 'RESET')
  expect(admin.send('INFO', 'stats')).toContain('acl_access_denied_key:2\r\n')
  admin.send('CONFIG', 'RESETSTAT')
  expect(admin.send('INFO', 'stats')).toContain('acl_access_denied_key:0\r\n')
})

test('INFO says why commands wait, and for how long', () => {
  const client = new NodeHarness().client()
  expect(client.send('INFO', 'clients')).toContain(
    'paused_reason:none\r\npaused_actions:none\r\npaused_timeout_milliseconds:0\r\n',
  )
  client.send('CLIENT', 'PAUSE', '5000', 'WRITE')
  expect(client.send('INFO', 'clients')).toContain(
    'paused_reason:client_pause\r\npaused_actions:write\r\npaused_timeout_milliseconds:5000\r\n',
  )
})
