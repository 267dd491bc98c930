import { describe, expect, test } from 'vitest'
import { bulk, integer } from '../../../src/resp/reply.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'

function fill(node: TestNode, keys: number): void {
  for (let index = 0; index < keys; index++) node.call('SET', `key-${index}`, `value-${index}`)
}

test('a fresh replica gets everything the master has, in every type and database', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  master.call('SET', 'text', 'a\r\nb\0')
  master.call('SET', 'mortal', 'x', 'PX', '100000')
  master.call('RPUSH', 'list', '1', '2', '3')
  master.call('SADD', 'set', 'a', 'b')
  master.call('HSET', 'hash', 'f', 'v')
  const replica = world.replicaOf(master)
  expect(replica.get('text')).toBe('a\r\nb\0')
  expect(replica.call('PEXPIRETIME', 'mortal')).toEqual(master.call('PEXPIRETIME', 'mortal'))
  expect(replica.call('LRANGE', 'list', '0', '-1')).toEqual(
    master.call('LRANGE', 'list', '0', '-1'),
  )
  expect(replica.call('SISMEMBER', 'set', 'b')).toEqual(integer(1))
  expect(replica.call('HGET', 'hash', 'f')).toEqual(bulk('v'))
})

test('INFO tells how long a copy for a replica took, as of a BGSAVE', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const told = (node: TestNode) => {
    return /rdb_last_bgsave_time_sec:(-?\d+)/.exec(JSON.stringify(node.call('INFO')))?.[1]
  }
  expect(told(master)).toBe('-1')
  world.replicaOf(master)
  world.until(() => told(master) === '0')
})

describe('a copy and the disk of the replica', () => {
  function copied(directives: Record<string, string>): [ReplicationWorld, TestNode] {
    const world = new ReplicationWorld()
    const master = world.node()
    fill(master, 20)
    const replica = world.replicaOf(master, directives)
    world.run(10)
    return [world, replica]
  }

  test('with save points it is saved at once, with its place in the history', () => {
    const [world, replica] = copied({ save: '3600 1' })
    expect(replica.files.paths()).toEqual(['dump.rdb'])
    const again = world.restart(replica, { keepsFiles: true })
    world.run(1)
    expect(again.get('key-7')).toBe('value-7')
    world.until(() => again.info('master_link_status') === 'up')
    expect(again.info('master_replid')).toBe(replica.info('master_replid'))
  })

  test('it replaces the dump of what the node held before', () => {
    const world = new ReplicationWorld()
    const [master, own] = [world.node(), world.node({ save: '3600 1' })]
    fill(master, 20)
    own.call('SET', 'own', '1')
    own.call('SAVE')
    own.call('REPLICAOF', master.address, '6379')
    world.until(() => own.get('key-7') === 'value-7')
    world.run(10)
    const again = world.restart(own, { keepsFiles: true })
    world.run(1)
    expect([again.get('own'), again.get('key-7')]).toEqual([undefined, 'value-7'])
  })

  test('without save points nothing is written', () => {
    expect(copied({ save: '' })[1].files.paths()).toEqual([])
  })

  test('with an append-only file there is no dump beside it', () => {
    const [, replica] = copied({ save: '3600 1', appendonly: 'yes' })
    expect(replica.files.paths().filter((path) => path.endsWith('.rdb'))).toEqual([
      expect.stringContaining('base.rdb'),
    ])
  })
})

test('a new cluster is in step within a tenth of a second', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  world.replicaOf(master)
  world.replicaOf(master)
  expect(world.network.nowMs).toBeLessThan(100)
})

test('a replica that starts before its master finds it within half a second of its coming', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  master.isDown = true
  const replica = world.node({ replicaof: `${master.address} 6379` })
  world.run(300)
  master.isDown = false
  const startMs = world.network.nowMs
  world.until(() => replica.info('master_link_status') === 'up')
  expect(world.network.nowMs - startMs).toBeLessThan(500)
})

test('writes while the snapshot is copied arrive after it, once and in order', () => {
  const world = new ReplicationWorld()
  // The backlog is too small for them, and has to keep them all the same.
  const master = world.node({ 'repl-backlog-size': '16384' })
  master.call('SET', 'large', 'x'.repeat(3_000_000))
  fill(master, 2000)
  const replica = world.node({ replicaof: `${master.address} 6379` })
  world.until(() => replica.info('master_sync_in_progress') === '1')
  let writes = 0
  while (replica.info('master_link_status') !== 'up') {
    master.call('RPUSH', 'log', String(writes), 'x'.repeat(10_000))
    master.call('INCR', 'counter')
    master.call('DEL', `key-${1999 - writes}`)
    writes++
    world.run(1)
  }
  world.untilInStep(master, replica)
  expect(writes).toBeGreaterThan(3)
  expect(replica.get('counter')).toBe(String(writes))
  expect(replica.call('LRANGE', 'log', '0', '-1')).toEqual(master.call('LRANGE', 'log', '0', '-1'))
  expect(replica.call('DBSIZE')).toEqual(master.call('DBSIZE'))
})

test('FLUSHALL while the snapshot is copied empties the replica after it', () => {
  const world = new ReplicationWorld()
  const master = world.node({ save: '' })
  master.call('SET', 'large', 'x'.repeat(3_000_000))
  fill(master, 3000)
  const replica = world.node({ replicaof: `${master.address} 6379` })
  world.until(() => replica.info('master_sync_in_progress') === '1')
  master.call('FLUSHALL')
  master.call('SET', 'after', 'x')
  world.until(() => replica.info('master_link_status') === 'up')
  world.untilInStep(master, replica)
  expect(replica.call('DBSIZE')).toEqual(integer(1))
})

test('after a newcomer the stream selects its database again', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  world.replicaOf(master)
  const client = world.client(master)
  client.call('SELECT', '5')
  client.call('SET', 'k', 'before')
  const newcomer = world.replicaOf(master)
  client.call('SET', 'k', 'after')
  world.untilInStep(master, newcomer)
  expect(newcomer.get('k')).toBeUndefined()
  const reader = world.client(newcomer)
  reader.call('SELECT', '5')
  expect(reader.call('GET', 'k')).toEqual(bulk('after'))
})

test('what was written before the first replica came is no place anybody can continue from', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const id = master.info('master_replid') ?? ''
  master.call('SET', 'k', 'v')
  const client = world.client(master)
  client.send('PSYNC', id, '1')
  world.run(20)
  expect(client.take()).toContain('+FULLRESYNC')
  expect(master.info('master_replid')).not.toBe(id)
  const late = world.client(master)
  late.send('PSYNC', id, '1')
  world.run(20)
  expect(late.take()).toContain('+FULLRESYNC')
})

test('a snapshot begins at once unless a delay is set', () => {
  const world = new ReplicationWorld()
  const client = world.client(world.node())
  client.send('PSYNC', '?', '-1')
  world.run(2)
  expect(client.take()).toContain('+FULLRESYNC')
})

test('replicas that wait for a snapshot together share it', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-diskless-sync-delay': '2' })
  fill(master, 10)
  const replicas = [1, 2, 3].map(() => world.node({ replicaof: `${master.address} 6379` }))
  world.until(() => replicas.every((replica) => replica.info('master_link_status') === 'up'))
  expect(world.network.nowMs).toBeGreaterThanOrEqual(2000)
  const offsets = replicas.map((replica) => replica.offset)
  expect(new Set(offsets).size).toBe(1)
})

test('the old dataset is served until the new one has arrived whole', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  fill(master, 2000)
  master.call('SET', 'large', 'x'.repeat(3_000_000))
  const replica = world.node()
  replica.call('SET', 'mine', 'old')
  replica.follow(master)
  world.until(() => replica.info('master_sync_in_progress') === '1')
  world.run(3)
  expect(replica.info('master_sync_in_progress')).toBe('1')
  expect(replica.get('mine')).toBe('old')
  world.until(() => replica.info('master_link_status') === 'up')
  expect([replica.get('mine'), replica.get('key-7')]).toEqual([undefined, 'value-7'])
})

test('a transfer that breaks leaves the old dataset, and the next one succeeds', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  fill(master, 2000)
  master.call('SET', 'large', 'x'.repeat(3_000_000))
  const replica = world.node()
  replica.call('SET', 'mine', 'old')
  replica.follow(master)
  world.until(() => replica.info('master_sync_in_progress') === '1')
  world.run(3)
  world.network.drop(master, replica)
  expect(replica.get('mine')).toBe('old')
  world.until(() => replica.info('master_link_status') === 'up')
  expect(replica.get('key-7')).toBe('value-7')
})

test('the bytes of a full resynchronisation are those a Redis replica expects', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const client = world.client(master)
  client.call('REPLCONF', 'listening-port', '7000')
  client.call('REPLCONF', 'capa', 'eof', 'capa', 'psync2')
  client.send('PSYNC', '?', '-1')
  world.run(20)
  const mark = /^\+FULLRESYNC [0-9a-f]{40} 0\r\n\$EOF:([0-9a-f]{40})\r\nREDIS0009/.exec(
    client.input,
  )
  expect(mark).not.toBeNull()
  expect(client.input.endsWith(mark?.[1] ?? '?')).toBe(true)
})

test('after a marked payload nothing follows before the first ACK', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const client = world.client(master)
  client.call('REPLCONF', 'capa', 'eof', 'capa', 'psync2')
  client.send('PSYNC', '?', '-1')
  world.run(20)
  client.take()
  master.call('SET', 'k', 'v')
  world.run(5000)
  expect(client.take()).toBe('')
  client.send('REPLCONF', 'ACK', '0')
  world.run(2)
  const stream = client.take()
  expect(stream.startsWith('*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n')).toBe(true)
})

test('a replica that cannot find a mark gets the length first, and newlines until then', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-diskless-sync-delay': '3' })
  const client = world.client(master)
  client.send('PSYNC', '?', '-1')
  world.run(2500)
  expect(client.take()).toMatch(/^\n+$/)
  world.run(1000)
  const match = /^\n?\+FULLRESYNC [0-9a-f]{40} \d+\r\n\$(\d+)\r\n(REDIS[\s\S]*)$/.exec(client.input)
  expect(match?.[2]?.slice(0, Number(match[1])).at(-9)).toBe('\xff')
})

test('SYNC gets a payload and the stream, without a line before it', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const client = world.client(master)
  client.sendRaw('SYNC\r\n')
  world.run(10)
  expect(client.take()).toMatch(/^\$\d+\r\nREDIS/)
  master.call('SET', 'k', 'v')
  world.run(2)
  expect(client.take()).toContain('SELECT')
})

test('a replica that leaves while its snapshot is made stops it', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  fill(master, 2000)
  master.call('SET', 'large', 'x'.repeat(3_000_000))
  const replica = world.node({ replicaof: `${master.address} 6379` })
  world.until(() => replica.info('master_sync_in_progress') === '1')
  expect(master.node.keyspace.beforeChange).toBeDefined()
  replica.kill()
  expect(master.node.keyspace.beforeChange).toBeUndefined()
  expect(master.info('connected_slaves')).toBe('0')
  fill(master, 10)
  expect(world.replicaOf(master).get('key-9')).toBe('value-9')
})

test('a snapshot is made only as fast as the replica takes it', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-timeout': '20' })
  for (let index = 0; index < 100; index++) master.call('SET', `k${index}`, 'x'.repeat(100_000))
  const replica = world.node({ replicaof: `${master.address} 6379` })
  world.until(() => replica.info('master_sync_in_progress') === '1')
  replica.isFrozen = true
  world.run(10_000)
  const queuedBytes = master.queuedBytes(1)
  expect(queuedBytes).toBeGreaterThan(1_000_000)
  expect(queuedBytes).toBeLessThan(1_500_000)
  replica.isFrozen = false
  world.untilInStep(master, replica)
  expect(replica.get('k99')).toBe('x'.repeat(100_000))
})

test('a replica that takes nothing of its snapshot is dropped after repl-timeout', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-timeout': '20' })
  for (let index = 0; index < 100; index++) master.call('SET', `k${index}`, 'x'.repeat(100_000))
  const replica = world.node({ replicaof: `${master.address} 6379` })
  world.until(() => replica.info('master_sync_in_progress') === '1')
  replica.isFrozen = true
  world.run(19_000)
  expect(master.info('connected_slaves')).toBe('1')
  world.run(3000)
  expect(master.info('connected_slaves')).toBe('0')
  expect(master.node.keyspace.beforeChange).toBeUndefined()
})
