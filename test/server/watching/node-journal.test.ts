/** What a node puts on record of itself [black-box]. */
import { expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const recorded = (directives: Record<string, string> = {}) =>
  new NodeHarness({ 'black-box': 'yes', ...directives })

const kindsOf = ({ notes }: NodeHarness) => notes.map(({ kind }) => kind)

test('its start and its end, with what it holds', () => {
  const harness = recorded({ save: '' })
  harness.client().say('SET k v')
  harness.node.stopRequested(harness.now)
  expect(harness.exitStatus).toBe(0)
  expect(harness.notes).toMatchObject([
    { kind: 'starting' },
    { kind: 'started', role: 'master', keys: 0 },
    { kind: 'stopping', why: 'SIGTERM' },
    { kind: 'stopped', keys: 1 },
  ])
})

test('its role, who changed it, and that it finds no master', () => {
  const harness = recorded()
  const client = harness.client()
  client.say('CLIENT SETNAME operator')
  client.say('REPLICAOF 10.0.0.9 6379')
  harness.advance(1)
  // Tried again and again, which is no news.
  for (let id = -1; id > -4; id--) {
    harness.node.closed(harness.now, id, 'ECONNREFUSED')
    harness.advance(1_000)
  }
  client.say('REPLICAOF NO ONE')
  const why = 'from operator (127.0.0.1:50001)'
  expect(harness.notes.slice(2)).toMatchObject([
    { kind: 'replica', of: '10.0.0.9:6379', why: `REPLICAOF ${why}` },
    { kind: 'noLink', to: '10.0.0.9:6379', reason: 'ECONNREFUSED' },
    { kind: 'master', why: `REPLICAOF NO ONE ${why}` },
  ])
})

test('the replicas that come and go', () => {
  const harness = recorded()
  const client = harness.client()
  client.say('REPLCONF listening-port 6380')
  client.bytes(encodeCommand(['PSYNC', '?', '-1']))
  harness.advance(1_000)
  client.say('REPLCONF ACK 0')
  client.drop()
  expect(harness.notes.slice(2)).toMatchObject([
    { kind: 'copyAsked', by: '127.0.0.1:6380' },
    { kind: 'replicaOnline', replica: '127.0.0.1:6380' },
    { kind: 'replicaLost', replica: '127.0.0.1:6380', reason: 'its connection has ended' },
  ])
})

test('refusals begin and end, with one entry for all of them and none for each', () => {
  const harness = recorded({ 'min-replicas-to-write': '1' })
  const client = harness.client()
  harness.advance(1_000)
  for (let round = 0; round < 200; round++) {
    expect(client.say('SET k v')).toContain('-NOREPLICAS')
    // What is the client's own mistake is no refusal.
    expect(client.say('SET k')).toContain('-ERR')
    harness.advance(10)
  }
  expect(harness.notes.slice(2)).toEqual([{ kind: 'refusing', code: 'NOREPLICAS', withinMs: 250 }])
  harness.advance(6_000)
  expect(harness.notes.slice(3)).toMatchObject([
    { kind: 'refused', code: 'NOREPLICAS', count: 200 },
  ])
  const [refused] = harness.notes.slice(3)
  const { forMs, quietMs } = refused as Extract<typeof refused, { kind: 'refused' }>
  expect(Math.abs(forMs - 1_990)).toBeLessThanOrEqual(250)
  expect(quietMs).toBeGreaterThanOrEqual(5_000)
})

test('counts that an operator resets begin anew; the end of the process ends refusals', () => {
  const harness = recorded({ 'min-replicas-to-write': '1', save: '' })
  const client = harness.client()
  for (let round = 0; round < 3; round++) client.say('SET k v')
  harness.advance(300)
  client.say('CONFIG RESETSTAT')
  client.say('SET k v')
  harness.advance(300)
  harness.node.stopRequested(harness.now)
  expect(harness.notes).toContainEqual(expect.objectContaining({ kind: 'refused', count: 4 }))
})

test('that it stood still, and for how long; idle is not still', () => {
  const harness = recorded()
  harness.advance(10_000)
  expect(kindsOf(harness)).toEqual(['starting', 'started'])
  harness.monoMs += 3_000
  harness.node.wake(harness.now)
  const [stalled] = harness.notes.slice(2)
  expect(stalled).toMatchObject({ kind: 'stalled' })
  const { forMs, lateMs } = stalled as Extract<typeof stalled, { kind: 'stalled' }>
  expect(forMs).toBeGreaterThanOrEqual(3_000)
  expect(lateMs).toBeLessThanOrEqual(3_000)
  expect(lateMs).toBeGreaterThanOrEqual(2_750)
})

test('that its wall clock was set, which is no stall', () => {
  const harness = recorded()
  harness.advance(1_000)
  harness.wallMovedMs = -30_000
  harness.advance(1_000)
  expect(harness.notes.slice(2)).toEqual([{ kind: 'clockMoved', byMs: -30_000 }])
})

test('nothing without a record, and the node is not woken for one', () => {
  const without = new NodeHarness()
  without.advance(1_000)
  without.monoMs += 5_000
  without.node.wake(without.now)
  expect(without.notes).toEqual([])
  expect(without.node.services.journal.nextWakeUpMs()).toBeUndefined()
})
