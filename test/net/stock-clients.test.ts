/**
 * What people already have works as it is: ioredis and node-redis in their Sentinel modes find the
 * master and outlive it, and their RESP3 defaults, redis-cli and redis-benchmark talk to a data node.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { createClient, createSentinel } from 'redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ioredis, NumberedWriter, nodeRedis, type StockClient } from '../support/numbered-writer.ts'
import {
  agreedMaster,
  cli,
  follows,
  HAS_REDIS_CLI,
  masterPort,
  type Program,
  type RealCluster,
  run,
  startCluster,
  until,
} from '../support/processes.ts'

const DOWN_AFTER_MS = 1_000
/** What clients may need on top: their retries are their own business, as long as they end. */
const CLIENT_GRACE_MS = 2_500
/** All that redis-benchmark can measure without sorted sets. */
const BENCHMARKS = 'ping,set,get,incr,lpush,rpush,lpop,rpop,sadd,hset,spop,lrange,mset'

describe.skipIf(!HAS_REDIS_CLI)('stock clients (needs redis-tools)', () => {
  let cluster: RealCluster

  beforeAll(async () => {
    cluster = await startCluster({ downAfterMs: DOWN_AFTER_MS })
  })
  afterAll(() => cluster?.stop())

  function sentinelPorts(): number[] {
    return cluster.sentinels.map(({ port }) => port)
  }

  function master(): Program {
    const port = masterPort(cluster.sentinels[0] as Program)
    return cluster.nodes.find((node) => node.port === port) as Program
  }

  function writeWith(client: StockClient, prefix: string): NumberedWriter {
    const writer = new NumberedWriter(client, prefix)
    onTestFinished(() => writer.stop())
    return writer
  }

  /** Takes the master away while all write; each has to go on, and to find what it knew to be safe. */
  async function expectToOutlive(
    writers: readonly NumberedWriter[],
    takeAway: (node: Program) => unknown,
  ): Promise<Program> {
    const lost = master()
    for (const writer of writers) {
      await until('the first writes are acknowledged', 5_000, () => writer.acknowledged.length > 20)
    }
    const promised = (await Promise.all(writers.map((one) => one.replicated(2)))).flat()
    const lostAtMs = Date.now()
    await takeAway(lost)
    for (const writer of writers) {
      await until('a write is acknowledged again', DOWN_AFTER_MS + CLIENT_GRACE_MS, () =>
        // What was on its way at that moment may still be acknowledged.
        writer.firstAfter(lostAtMs + 100),
      )
    }
    const promoted = await agreedMaster(cluster, lost.port)
    expect(await missing(promoted, promised)).toEqual([])
    return lost
  }

  async function expectReturn(lost: Program): Promise<void> {
    const promoted = master().port
    await until('the lost node follows the new master', 10_000, () => follows(lost, promoted))
  }

  test('node-redis reads from the replicas the Sentinels name', async () => {
    const client = createSentinel({
      name: 'mymaster',
      sentinelRootNodes: sentinelPorts().map((port) => ({ host: '127.0.0.1', port })),
      replicaPoolSize: 1,
    })
    onTestFinished(() => client.destroy())
    await client.connect()
    await client.set('read me', 'at a replica')
    await client.wait(2, 2_000)
    expect(await client.get('read me')).toBe('at a replica')
    const used = [...client.getReplicaNodes().keys()].map(({ port }) => port)
    const [, ...replicas] = cluster.nodes.map(({ port }) => port)
    expect(used.sort()).toEqual(replicas.sort())
  })

  test('ioredis speaks RESP3 to a node by default, with typed replies if it is asked to', async () => {
    const redis = new Redis({ port: master().port, replyMapping: 'resp3' })
    onTestFinished(() => redis.disconnect())
    expect(await redis.client('INFO')).toContain(' resp=3 ')
    await redis.hset('resp3:hash', 'field', 'value')
    expect(await redis.call('HGETALL', 'resp3:hash')).toEqual({ field: 'value' })
    expect(await redis.call('CONFIG', 'GET', 'databases')).toEqual({ databases: '16' })
    expect(await redis.get('resp3:nothing')).toBeNull()
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    await redis.set(bytes, bytes)
    expect(await redis.getBuffer(bytes)).toEqual(bytes)
    const replies = await redis.multi().incr('resp3:count').incr('resp3:count').exec()
    expect(replies?.map(([, reply]) => reply)).toEqual([1, 2])
  })

  test('node-redis gets maps, sets and pushes from a node', async () => {
    const client = createClient({ socket: { port: master().port } })
    onTestFinished(() => client.destroy())
    await client.connect()
    await client.hSet('node-redis:hash', { a: '1', b: '2' })
    expect({ ...(await client.hGetAll('node-redis:hash')) }).toEqual({ a: '1', b: '2' })
    await client.sAdd('node-redis:set', ['a', 'b'])
    expect((await client.sMembers('node-redis:set')).sort()).toEqual(['a', 'b'])
    const heard: string[] = []
    await client.subscribe('channel', (message) => heard.push(message))
    // On the subscribed connection itself, which only RESP3 allows.
    expect(await client.publish('channel', 'pushed')).toBe(1)
    await until('the message is there', 10_000, () => heard.length > 0)
    expect(heard).toEqual(['pushed'])
  })

  test('redis-cli -3 shows maps, sets and nulls', () => {
    const { port } = master()
    cli(port, 'HSET', 'cli:hash', 'field', 'value')
    cli(port, 'SADD', 'cli:set', 'member')
    const ask = (...argv: string[]) => cli(port, '-3', '--no-raw', ...argv)
    expect(ask('HGETALL', 'cli:hash')).toEqual(['1# "field" => "value"'])
    expect(ask('SMEMBERS', 'cli:set')).toEqual(['1~ "member"'])
    expect(ask('GET', 'cli:nothing')).toEqual(['(nil)'])
  })

  test('redis-cli -3 shows the maps of a Sentinel', () => {
    const [{ port }] = cluster.sentinels as [Program]
    const lines = cli(port, '-3', '--no-raw', 'SENTINEL', 'MASTER', 'mymaster')
    expect(lines).toContain(' 1# "name" => "mymaster"')
  })

  test('redis-cli --rdb fetches a sound snapshot of a node', async () => {
    const { port } = master()
    const path = join(cluster.folder, 'fetched.rdb')
    cli(port, 'SET', 'rdb:key', 'rdb value')
    const fetched = await run('redis-cli', ['-p', String(port), '--rdb', path])
    expect(fetched).toMatchObject({ status: 0 })
    const checked = await run('redis-check-rdb', [path])
    expect(checked).toMatchObject({ status: 0, stdout: expect.stringContaining('RDB looks OK!') })
    expect(readFileSync(path, 'latin1')).toContain('rdb value')
  })

  test('redis-benchmark runs through on a node', async () => {
    const argv = ['-p', String(master().port), '-n', '400', '-q', '-t', BENCHMARKS]
    for (const more of [[], ['-P', '16'], ['-3']]) {
      const { status, stdout, stderr } = await run('redis-benchmark', [...argv, ...more])
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).not.toContain('Error')
      expect(stdout.match(/requests per second/g)).toHaveLength(18)
    }
  })

  test('ioredis with nothing but its defaults, and node-redis, outlive a killed master', async () => {
    const writers = [
      writeWith(ioredis(sentinelPorts(), {}), 'ioredis'),
      writeWith(await nodeRedis(sentinelPorts()), 'node-redis'),
    ]
    const lost = await expectToOutlive(writers, (node) => node.kill())
    lost.start()
    await expectReturn(lost)
  })

  test('node-redis hears of the switch, so a frozen master does not hold it', async () => {
    const writer = writeWith(await nodeRedis(sentinelPorts()), 'frozen')
    const freeze = (node: Program) => {
      onTestFinished(() => node.signal('SIGCONT'))
      node.signal('SIGSTOP')
    }
    const lost = await expectToOutlive([writer], freeze)
    lost.signal('SIGCONT')
    await expectReturn(lost)
  })
})

async function missing(port: number, keys: readonly string[]): Promise<string[]> {
  const redis = new Redis({ port })
  try {
    const values = await redis.mget([...keys])
    return keys.filter((key, index) => values[index] !== key)
  } finally {
    redis.disconnect()
  }
}
