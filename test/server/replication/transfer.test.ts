/** Who shares a snapshot, and what is kept of it on its way. */
import { expect, test } from 'vitest'
import {
  ReplicationWorld,
  type TestClient,
  type TestNode,
} from '../../support/replication-harness.ts'

const NO_SAVE = { save: '', rdbcompression: 'no' }

function fill(node: TestNode, megabytes: number): void {
  for (let index = 0; index < 10 * megabytes; index++) {
    node.call('SET', `k${index}`, 'x'.repeat(100_000))
  }
}

function offsetOf(client: TestClient): string | undefined {
  return /\+FULLRESYNC [0-9a-f]{40} (\d+)/.exec(client.input)?.[1]
}

/** A replica played by hand; `capa eof` reads payloads of unknown length. */
function asks(world: ReplicationWorld, master: TestNode, ...capa: string[]): TestClient {
  const client = world.client(master)
  if (capa.length > 0) client.call('REPLCONF', ...capa.flatMap((one) => ['capa', one]))
  client.send('PSYNC', '?', '-1')
  return client
}

function payloadOf(client: TestClient): string {
  const match = /\$(?:EOF:([0-9a-f]{40})|(\d+))\r\n/.exec(client.input)
  const start = (match?.index ?? 0) + (match?.[0].length ?? 0)
  if (match?.[2] !== undefined) return client.input.slice(start, start + Number(match[2]))
  return client.input.slice(start, client.input.indexOf(match?.[1] ?? '?', start))
}

test('a replica that comes a little later shares the snapshot that runs', () => {
  const world = new ReplicationWorld()
  const master = world.node(NO_SAVE)
  fill(master, 20)
  const [first, second] = [world.client(master), world.client(master)]
  for (const client of [first, second]) client.call('REPLCONF', 'capa', 'eof')
  first.send('PSYNC', '?', '-1')
  world.run(1)
  master.call('SET', 'meanwhile', 'x')
  second.send('PSYNC', '?', '-1')
  world.until(() => second.input.length > 20_000_000)
  world.run(100)
  expect([offsetOf(second), master.offset > 0]).toEqual(['0', true])
  expect(payloadOf(second)).toBe(payloadOf(first))
  second.send('REPLCONF', 'ACK', '0')
  second.take()
  world.run(5)
  expect(second.take()).toContain('meanwhile')
})

test('a replica that comes too late gets a snapshot of its own', () => {
  const world = new ReplicationWorld()
  const master = world.node(NO_SAVE)
  fill(master, 20)
  const first = asks(world, master, 'eof')
  world.until(() => first.input.length > 5_000_000)
  master.call('SET', 'meanwhile', 'x')
  const second = asks(world, master, 'eof')
  world.until(() => second.input.length > 20_000_000)
  expect([offsetOf(first), Number(offsetOf(second)) > 0]).toEqual(['0', true])
})

test('without repl-diskless-sync everybody gets the length first, and joins until the end', () => {
  const world = new ReplicationWorld()
  const master = world.node({ ...NO_SAVE, 'repl-diskless-sync': 'no' })
  fill(master, 20)
  const first = asks(world, master, 'eof')
  const peak = master.files
  world.until(() => peak.paths().some((path) => (peak.read(path)?.length ?? 0) > 5_000_000))
  const second = asks(world, master)
  world.until(() => second.input.length > 20_000_000 && first.input.length > 20_000_000)
  world.run(50)
  expect([offsetOf(first), offsetOf(second)]).toEqual(['0', '0'])
  expect(first.input).toMatch(/\r\n\$\d+\r\nREDIS/)
  expect(payloadOf(second)).toBe(payloadOf(first))
})

test('a payload that has to be collected lies in a file, and the file goes', () => {
  const world = new ReplicationWorld()
  const master = world.node(NO_SAVE)
  fill(master, 10)
  const client = asks(world, master)
  world.until(() => master.files.paths().length > 0)
  world.until(() => payloadOf(client).length > 10_000_000)
  world.run(100)
  expect(payloadOf(client).slice(-9)[0]).toBe('\xff')
  expect(master.files.paths()).toEqual([])
})

test('a small one never sees the disk', () => {
  const world = new ReplicationWorld()
  const master = world.node(NO_SAVE)
  master.call('SET', 'k', 'v')
  master.files.failWith({ operation: 'write', code: 'ENOSPC' })
  const client = asks(world, master)
  world.run(50)
  expect(payloadOf(client).startsWith('REDIS')).toBe(true)
})

test('a disk that is full costs the replica its snapshot, and not the others theirs', () => {
  const world = new ReplicationWorld()
  const master = world.node({ ...NO_SAVE, 'repl-diskless-sync-delay': '1' })
  fill(master, 10)
  master.files.failWith({ operation: 'write', code: 'ENOSPC' })
  const counted = asks(world, master)
  const marked = asks(world, master, 'eof')
  world.until(() => counted.isClosed)
  world.until(() => payloadOf(marked).length > 10_000_000)
  expect(master.logs.join('\n')).toContain('its snapshot cannot be written: ENOSPC')
  expect(master.info('connected_slaves')).toBe('1')
})

test('a collected payload goes out only as fast as it is taken', () => {
  const world = new ReplicationWorld()
  const master = world.node({ ...NO_SAVE, 'repl-diskless-sync': 'no', 'repl-timeout': '20' })
  fill(master, 20)
  const replica = world.node({ replicaof: `${master.address} 6379` })
  world.until(() => replica.info('master_sync_read_bytes') !== undefined)
  world.until(() => Number(replica.info('master_sync_read_bytes')) > 0)
  replica.isFrozen = true
  world.run(5000)
  expect(master.queuedBytes(1)).toBeLessThan(2_000_000)
  replica.isFrozen = false
  world.untilInStep(master, replica)
  expect(replica.get('k199')).toBe('x'.repeat(100_000))
})

test('a replica that takes nothing of a collected payload is dropped, and its file goes', () => {
  const world = new ReplicationWorld()
  const master = world.node({ ...NO_SAVE, 'repl-diskless-sync': 'no', 'repl-timeout': '20' })
  fill(master, 20)
  const replica = world.node({ replicaof: `${master.address} 6379` })
  world.until(() => Number(replica.info('master_sync_read_bytes') ?? 0) > 0)
  replica.isFrozen = true
  world.run(25_000)
  expect([master.info('connected_slaves'), master.files.paths()]).toEqual(['0', []])
})

test('a replica whose stream is held back too long is dropped by its output limit, and memory is free', () => {
  const world = new ReplicationWorld()
  const master = world.node({
    ...NO_SAVE,
    'client-output-buffer-limit': 'replica 4mb 0 0',
    'repl-backlog-size': '1mb',
  })
  fill(master, 10)
  const client = asks(world, master, 'eof')
  world.until(() => payloadOf(client).length > 10_000_000)
  const held = () => Number(master.info('repl_backlog_histlen'))
  let peak = 0
  for (let index = 0; index < 100 && !client.isClosed; index++) {
    master.call('SET', `w${index}`, 'x'.repeat(100_000))
    peak = Math.max(peak, held())
    world.run(2)
  }
  expect([client.isClosed, master.info('connected_slaves')]).toEqual([true, '0'])
  expect(peak).toBeLessThan(5 * 2 ** 20)
  expect(held()).toBeLessThan(1.2 * 2 ** 20)
})

test('who wants no keys gets none, and no snapshot is taken for it', () => {
  const world = new ReplicationWorld()
  const master = world.node(NO_SAVE)
  fill(master, 1)
  const client = world.client(master)
  client.call('REPLCONF', 'rdb-only', '1', 'rdb-filter-only', '')
  client.send('PSYNC', '?', '-1')
  world.run(5)
  expect(client.take()).toBe('-ERR Filtered replica requires EOF capability\r\n')
  client.call('REPLCONF', 'capa', 'eof')
  client.send('PSYNC', '?', '-1')
  world.run(5)
  expect(payloadOf(client).length).toBeLessThan(300)
  expect([client.isClosed, master.info('connected_slaves')]).toEqual([true, '0'])
})

test.each(['yes', 'no'])(
  'fields that expire are sent to each kind of replica in its own form (diskless: %s)',
  (diskless) => {
    const world = new ReplicationWorld()
    const master = world.node({ ...NO_SAVE, 'repl-diskless-sync': diskless })
    master.call('HSET', 'h', 'f', 'v')
    master.call('HPEXPIREAT', 'h', '4000000000000', 'FIELDS', '1', 'f')
    const clients = ['8.1.1', '9.1.2', undefined, '10.0.0'].map((version) => {
      const client = world.client(master)
      if (version !== undefined) client.call('REPLCONF', 'version', version)
      client.call('REPLCONF', 'capa', 'eof')
      client.send('PSYNC', '?', '-1')
      return client
    })
    world.run(200)
    const [old, valkey, redis, newer] = clients.map(payloadOf)
    expect(valkey?.slice(0, 9)).toBe('VALKEY080')
    expect(valkey).toContain(`\x16\x01h\x01\x01f\x01v\x00\x40\x94\x52\xa3\x03\x00\x00`)
    expect(redis?.slice(0, 9)).toBe('REDIS0009')
    expect(redis).toContain('\x18\x01h')
    expect([old, newer]).toEqual([redis, valkey])
  },
)

test('without such fields all kinds of replicas share one payload', () => {
  const world = new ReplicationWorld()
  const master = world.node(NO_SAVE)
  fill(master, 1)
  const [valkey, redis] = [world.client(master), world.client(master)]
  valkey.call('REPLCONF', 'version', '9.1.2')
  for (const client of [valkey, redis]) {
    client.call('REPLCONF', 'capa', 'eof')
    client.send('PSYNC', '?', '-1')
  }
  world.run(300)
  expect(payloadOf(valkey).slice(0, 9)).toBe('REDIS0009')
  expect(payloadOf(valkey)).toBe(payloadOf(redis))
})
