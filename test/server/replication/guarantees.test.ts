/** What a master promises about its replicas: min-replicas, WAIT, and what INFO and ROLE say of them. */
import { expect, test } from 'vitest'
import { array, bulk, error, integer, OK, simple } from '../../../src/resp/reply.ts'
import { ReplicationWorld } from '../../support/replication-harness.ts'

const NOREPLICAS = error('NOREPLICAS Not enough good replicas to write.')

test('a master without good replicas refuses writes and answers reads', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'min-replicas-to-write': '1', 'min-replicas-max-lag': '3' })
  expect(master.call('SET', 'k', 'v')).toEqual(NOREPLICAS)
  expect(master.call('PUBLISH', 'c', 'm')).toEqual(integer(0))
  world.replicaOf(master)
  world.run(100)
  expect(master.call('SET', 'k', 'v')).toEqual(OK)
  expect(master.info('min_slaves_good_slaves')).toBe('1')
})

test('a master cut off from its replicas refuses writes within max-lag and a second', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'min-replicas-to-write': '1', 'min-replicas-max-lag': '3' })
  const replica = world.replicaOf(master)
  world.run(5000)
  replica.isFrozen = true
  world.run(2000)
  expect(master.call('SET', 'k', 'v')).toEqual(OK)
  world.run(3000)
  expect(master.call('SET', 'k', 'v')).toEqual(NOREPLICAS)
})

test('a replica that disconnects stops counting at once', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'min-replicas-to-write': '1' })
  const replica = world.replicaOf(master)
  world.run(100)
  replica.kill()
  expect(master.call('SET', 'k', 'v')).toEqual(NOREPLICAS)
})

test('a replica still loading its snapshot saves no write', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'min-replicas-to-write': '1' })
  const client = world.client(master)
  client.call('REPLCONF', 'capa', 'eof')
  client.send('PSYNC', '?', '-1')
  world.run(1500)
  expect(master.info('slave0')).toContain('state=online')
  expect(master.call('SET', 'k', 'v')).toEqual(NOREPLICAS)
})

test('the guard is switched on and off at run time', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  expect(master.call('SET', 'k', 'v')).toEqual(OK)
  master.call('CONFIG', 'SET', 'min-slaves-to-write', '2')
  expect(master.call('SET', 'k', 'v')).toEqual(NOREPLICAS)
  master.call('CONFIG', 'SET', 'min-replicas-max-lag', '0')
  expect(master.call('SET', 'k', 'v')).toEqual(OK)
  expect(master.info('min_slaves_good_slaves')).toBeUndefined()
})

test('WAIT returns as soon as enough replicas have acknowledged', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  world.replicaOf(master)
  world.replicaOf(master)
  world.run(1500)
  const client = world.client(master)
  client.call('SET', 'k', 'v')
  const startMs = world.network.nowMs
  expect(client.call('WAIT', '2', '10000')).toEqual(integer(2))
  expect(world.network.nowMs - startMs).toBeLessThan(20)
})

test('WAIT gives what it has when its time is up', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  world.replicaOf(master)
  const frozen = world.replicaOf(master)
  world.run(1500)
  frozen.isFrozen = true
  const client = world.client(master)
  client.call('SET', 'k', 'v')
  const startMs = world.network.nowMs
  expect(client.call('WAIT', '2', '500')).toEqual(integer(1))
  expect(world.network.nowMs - startMs).toBeGreaterThanOrEqual(500)
})

test('WAIT for nobody, and WAIT in a transaction, answer at once', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const client = world.client(master)
  expect(client.call('WAIT', '0', '0')).toEqual(integer(0))
  client.call('MULTI')
  client.call('WAIT', '5', '0')
  expect(client.call('EXEC')).toEqual(array([integer(0)]))
})

test('one turn of WAITs costs the history one GETACK', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master, {})
  world.run(1500)
  const clients = [1, 2, 3].map(() => world.client(master))
  replica.isFrozen = true
  const before = master.offset
  for (const client of clients) client.send('WAIT', '1', '100')
  world.run(50)
  expect(master.offset - before).toBeLessThanOrEqual(37)
})

test('WAIT needs sound arguments and a master', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master)
  expect(master.call('WAIT', 'x', '0')).toMatchObject({
    text: 'ERR value is not an integer or out of range',
  })
  expect(master.call('WAIT', '1', 'x')).toMatchObject({
    text: 'ERR timeout is not an integer or out of range',
  })
  expect(master.call('WAIT', '1', '-1')).toMatchObject({ text: 'ERR timeout is negative' })
  expect(replica.call('WAIT', '1', '0')).toMatchObject({ kind: 'error' })
})

test('whoever waits on a master that is demoted is thrown out', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const client = world.client(master)
  client.send('WAIT', '1', '0')
  world.run(5)
  master.call('REPLICAOF', '10.0.0.9', '6379')
  world.run(5)
  expect(client.takeReply()).toMatchObject({
    kind: 'error',
    text: expect.stringContaining('UNBLOCKED'),
  })
})

test('ROLE and INFO of both sides agree', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master, {
    'replica-priority': '7',
    'replica-announce-port': '7777',
  })
  world.run(1100)
  world.untilInStep(master, replica)
  world.run(1100)
  const offset = master.offset
  expect(master.call('ROLE')).toEqual(
    array([
      bulk('master'),
      integer(offset),
      array([array([bulk(replica.address), bulk('7777'), bulk(String(offset))])]),
    ]),
  )
  expect(replica.call('ROLE')).toEqual(
    array([bulk('slave'), bulk(master.address), integer(6379), bulk('connected'), integer(offset)]),
  )
  expect(master.info('slave0')).toMatch(
    new RegExp(`^ip=${replica.address},port=7777,state=online,offset=${offset},lag=[01]$`),
  )
  expect(replica.info('slave_priority')).toBe('7')
})

test('a replica whose link is down reports the cached place and no live one', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master)
  master.kill()
  world.run(10)
  expect(replica.call('ROLE')).toMatchObject({
    items: [bulk('slave'), {}, {}, bulk('connect'), integer(-1)],
  })
})

const FIELDS = [
  'role',
  'connected_slaves',
  'master_failover_state',
  'master_replid',
  'master_replid2',
  'master_repl_offset',
  'second_repl_offset',
  'repl_backlog_active',
  'repl_backlog_size',
  'repl_backlog_first_byte_offset',
  'repl_backlog_histlen',
]

test('INFO replication of a fresh master has the fields of Redis in their order', () => {
  const reply = new ReplicationWorld().node().call('INFO', 'replication')
  const lines = reply.kind === 'bulk' ? reply.bytes.trim().split('\r\n').slice(1) : []
  expect(lines.map((line) => line.split(':')[0])).toEqual(FIELDS)
})

test('WAIT does not move the offset while commands are held back, and is answered all the same', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-ping-replica-period': '1000' })
  const replica = world.replicaOf(master)
  world.run(1500)
  const client = world.client(master)
  client.call('SET', 'k', 'v')
  master.call('CLIENT', 'PAUSE', '60000', 'WRITE')
  const { offset } = master
  expect(client.call('WAIT', '1', '0')).toEqual(integer(1))
  expect([master.offset, replica.offset]).toEqual([offset, offset])
})

test('the hellos of Sentinels wait for no pause of writes, and move no history (seed 24202)', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-ping-replica-period': '1000' })
  const replica = world.replicaOf(master)
  world.run(1500)
  const [sentinel, client] = [world.client(master), world.client(master)]
  master.call('CLIENT', 'PAUSE', '60000', 'WRITE')
  const { offset } = master
  expect(sentinel.call('PUBLISH', '__sentinel__:hello', 'x')).toEqual(integer(0))
  expect(sentinel.call('PING')).toEqual(simple('PONG'))
  client.send('PUBLISH', 'news', 'x')
  world.run(10)
  expect([client.take(), master.offset, replica.offset]).toEqual(['', offset, offset])
})

test('the first PING of a master comes a period after its first replica', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-ping-replica-period': '20' })
  world.run(5000)
  world.replicaOf(master)
  world.run(18_000)
  expect(master.offset).toBe(0)
  world.run(4000)
  expect(master.offset).toBe('*1\r\n$4\r\nping\r\n'.length)
})

test('WAIT asks the replicas when the pause is over', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-ping-replica-period': '1000' })
  world.replicaOf(master)
  world.run(1900)
  const client = world.client(master)
  client.call('SET', 'k', 'v')
  master.call('CLIENT', 'PAUSE', '5', 'WRITE')
  const { offset } = master
  expect(client.call('WAIT', '1', '0')).toEqual(integer(1))
  world.run(10)
  expect(master.offset).toBe(offset + 37)
})

test('clients of a replica that wait are sent away when it gets another master', () => {
  const world = new ReplicationWorld()
  const [one, other] = [world.node(), world.node()]
  const replica = world.replicaOf(one)
  const reader = world.client(replica)
  reader.send('XREAD', 'BLOCK', '0', 'STREAMS', 's', '0')
  world.run(10)
  replica.follow(one)
  world.run(10)
  expect([reader.input, reader.isClosed]).toEqual(['', false])
  replica.follow(other)
  world.run(10)
  expect(reader.take()).toContain('-UNBLOCKED force unblock from blocking operation')
  expect(reader.isClosed).toBe(true)
})
