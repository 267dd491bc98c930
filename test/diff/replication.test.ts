/**
 * Replication with the original: our node below a real redis-server, a real redis-server below our node,
 * and the two exchanging roles.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  HOST,
  hasRedisServer,
  type RealNode,
  replicationField,
  startOurs,
  startRedis,
} from '../support/real-nodes.ts'
import { scratchFolder } from '../support/scratch.ts'
import { nodesOfTest } from '../support/test-nodes.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const nodes = nodesOfTest()

async function started(starting: Promise<RealNode>): Promise<RealNode> {
  const node = await starting
  nodes.push(node)
  return node
}

async function follow(replica: RealNode, master: RealNode): Promise<void> {
  await replica.client.replicaof(HOST, master.port)
  await untilInStep(master, replica)
}

async function place(node: RealNode): Promise<string> {
  const [id, offset] = await Promise.all(
    ['master_replid', 'master_repl_offset'].map((field) => replicationField(node, field)),
  )
  return `${id} ${offset}`
}

async function untilInStep(master: RealNode, replica: RealNode): Promise<void> {
  await until(async () => {
    if ((await replicationField(replica, 'master_link_status')) !== 'up') return false
    return (await place(master)) === (await place(replica))
  })
}

/** Drops the connection of the replica on the master's side. */
async function dropReplicas(master: RealNode): Promise<void> {
  await master.client.call('CLIENT', 'KILL', 'TYPE', 'replica')
}

/** Values of every type, in small and large form: Redis packs the small ones. */
async function fill({ client }: RealNode): Promise<void> {
  const many = Array.from({ length: 3000 }, (_, index) => `item-${index}`)
  const compressible = 'compressible '.repeat(1000)
  await client.set('text', 'a\r\nb')
  await client.set('number', '-1234567')
  await client.set('large', compressible)
  await client.set('mortal', 'x', 'EX', 1000)
  await client.rpush('list', '1', '-70000', 'a', 'x'.repeat(300))
  await client.rpush('long-list', ...many, compressible)
  await client.sadd('numbers', '1', '-2', '5000000000')
  await client.sadd('set', 'a', '1', 'b')
  await client.sadd('large-set', ...many)
  await client.hset('hash', 'f', 'v', 'n', '12')
  await client.hset('large-hash', ...many.flatMap((item) => [item, item]))
  await client.zadd('zset', '1', 'a', '0.1', '-7', '-inf', 'c', '1e300', 'x'.repeat(60))
  await client.zadd('large-zset', ...many.flatMap((item, index) => [String(index / 7), item]))
  await client.geoadd('places', '13.361389', '38.115556', 'Palermo', '180', '85.05', 'corner')
}

/** Everything `fill` wrote, in a form that can be compared. */
async function contents({ client }: RealNode): Promise<unknown> {
  return {
    strings: await client.mget('text', 'number', 'large', 'mortal'),
    expiry: await client.pexpiretime('mortal'),
    lists: [await client.lrange('list', 0, -1), await client.lrange('long-list', 0, -1)],
    sets: [
      (await client.smembers('numbers')).sort(),
      (await client.smembers('set')).sort(),
      (await client.smembers('large-set')).sort(),
    ],
    hashes: [await client.hgetall('hash'), await client.hgetall('large-hash')],
    zsets: [
      await client.zrange('zset', '0', '-1', 'WITHSCORES'),
      await client.zrange('large-zset', '0', '-1', 'WITHSCORES'),
      await client.zrange('places', '0', '-1', 'WITHSCORES'),
    ],
    size: await client.dbsize(),
  }
}

/** So much that a snapshot of it takes a while. */
async function fillUntilBusy({ client }: RealNode): Promise<void> {
  const pipeline = client.pipeline()
  for (let index = 0; index < 20_000; index++) pipeline.set(`key-${index}`, `${index}`.repeat(100))
  await pipeline.exec()
}

/** Changes, deletes and adds, all over the dataset. */
async function writeBurst({ client }: RealNode, round: number): Promise<void> {
  const pipeline = client.pipeline()
  for (let index = 0; index < 20; index++) {
    pipeline.append(`key-${(round * 397 + index * 13) % 20_000}`, '+')
    pipeline.del(`key-${(round * 991 + index * 17) % 20_000}`)
    pipeline.rpush('log', `${round}.${index}`)
  }
  await pipeline.exec()
}

describe.skipIf(!hasRedisServer)('with redis-server', () => {
  for (const disk of ['no', 'yes']) {
    test(`our node copies a real master, repl-diskless-sync ${disk}`, async () => {
      const master = await started(
        startRedis({ 'repl-diskless-sync': disk, 'repl-diskless-sync-delay': '0' }),
      )
      const replica = await started(startOurs())
      await fill(master)
      await follow(replica, master)
      expect(await contents(replica)).toEqual(await contents(master))
    })
  }

  for (const load of ['disabled', 'swapdb']) {
    test(`a real replica copies our node, repl-diskless-load ${load}`, async () => {
      const master = await started(startOurs())
      const replica = await started(startRedis({ 'repl-diskless-load': load }))
      await fill(master)
      await follow(replica, master)
      expect(await contents(replica)).toEqual(await contents(master))
    })
  }

  for (const [title, startMaster, startReplica] of [
    ['our replica of a real master', startRedis, startOurs],
    ['a real replica of our master', startOurs, startRedis],
  ] as const) {
    test(`${title} goes on where it was after a dropped link`, async () => {
      const master = await started(startMaster({ 'repl-diskless-sync-delay': '0' }))
      const replica = await started(startReplica())
      await follow(replica, master)
      await dropReplicas(master)
      for (let index = 0; index < 100; index++) await master.client.rpush('log', String(index))
      await untilInStep(master, replica)
      expect(await master.syncs()).toEqual([1, 1])
      expect(await replica.client.llen('log')).toBe(100)
    })

    test(`${title} applies transactions, expiries and random choices as its master made them`, async () => {
      const master = await started(startMaster({ 'repl-diskless-sync-delay': '0' }))
      const replica = await started(startReplica())
      await follow(replica, master)
      await master.client.multi().set('a', '1').incr('a').sadd('s', '1', '2', '3').exec()
      await master.client.call('SPOP', 's')
      await master.client.set('b', 'x', 'PX', 100_000)
      await master.client.call('GETEX', 'a', 'EX', '500')
      await master.client.call('INCRBYFLOAT', 'f', '1.5')
      await master.client.select(3)
      await master.client.set('three', 'x')
      await master.client.select(0)
      await untilInStep(master, replica)
      for (const key of ['a', 'b', 'f']) {
        expect(await replica.client.get(key)).toBe(await master.client.get(key))
        expect(await replica.client.pexpiretime(key)).toBe(await master.client.pexpiretime(key))
      }
      expect((await replica.client.smembers('s')).sort()).toEqual(
        (await master.client.smembers('s')).sort(),
      )
      await replica.client.select(3)
      expect(await replica.client.get('three')).toBe('x')
    })

    test(`${title} confirms a WAIT at once`, async () => {
      const master = await started(startMaster({ 'repl-diskless-sync-delay': '0' }))
      const replica = await started(startReplica())
      await follow(replica, master)
      await master.client.set('k', 'v')
      expect(await master.client.wait(1, 5000)).toBe(1)
    })

    test(`${title} gets a snapshot that is taken under writes`, async () => {
      const master = await started(startMaster({ 'repl-diskless-sync-delay': '0' }))
      const replica = await started(startReplica())
      await fillUntilBusy(master)
      await replica.client.replicaof(HOST, master.port)
      for (let round = 0; round < 50; round++) await writeBurst(master, round)
      await untilInStep(master, replica)
      expect(await replica.client.dbsize()).toBe(await master.client.dbsize())
      expect(await replica.client.lrange('log', 0, -1)).toEqual(
        await master.client.lrange('log', 0, -1),
      )
      const keys = Array.from({ length: 1000 }, (_, index) => `key-${index * 20}`)
      expect(await replica.client.mget(keys)).toEqual(await master.client.mget(keys))
    })

    test(`${title} is promoted, and its master continues below it without a full copy`, async () => {
      const master = await started(startMaster({ 'repl-diskless-sync-delay': '0' }))
      const replica = await started(startReplica({ 'repl-diskless-sync-delay': '0' }))
      await follow(replica, master)
      await master.client.set('k', 'v')
      await untilInStep(master, replica)
      await replica.client.replicaof('NO', 'ONE')
      await replica.client.set('k', 'w')
      await follow(master, replica)
      expect(await replica.syncs()).toEqual([0, 1])
      expect(await master.client.get('k')).toBe('w')
    })

    test(`${title} is promoted, and its master loses the writes nobody else has`, async () => {
      const master = await started(startMaster({ 'repl-diskless-sync-delay': '0' }))
      const replica = await started(startReplica({ 'repl-diskless-sync-delay': '0' }))
      await follow(replica, master)
      await replica.client.replicaof('NO', 'ONE')
      await master.client.set('lost', 'x')
      await master.client.rpush('lost-too', 'x')
      await follow(master, replica)
      expect(await master.client.get('lost')).toBeNull()
    })
  }

  test('redis-cli takes a backup of our node that redis-check-rdb finds in order', async () => {
    const node = await started(startOurs())
    await fill(node)
    const directory = scratchFolder('backup')
    const file = join(directory, 'backup.rdb')
    await run('redis-cli', ['-h', HOST, '-p', String(node.port), '--rdb', file])
    const { stdout } = await run('redis-check-rdb', [file])
    expect(stdout).toContain('Checksum OK')
    expect(stdout).toContain(`${await node.client.dbsize()} keys read`)
    expect(await replicationField(node, 'connected_slaves')).toBe('0')
  })

  test('writes to an expired key of the master count on both as expired', async () => {
    const master = await started(startRedis({ 'enable-debug-command': 'yes' }))
    await master.client.call('DEBUG', 'SET-ACTIVE-EXPIRE', '0')
    const counts = [startOurs, startRedis].map(async (start) => {
      const replica = await started(start({ 'replica-read-only': 'no' }))
      await follow(replica, master)
      await master.client.mset('a', '5', 'b', '5', 'c', '5')
      for (const key of ['a', 'b', 'c']) await master.client.pexpire(key, 1)
      await untilInStep(master, replica)
      await until(async () => (await replica.client.get('c')) === null)
      await replica.client.incr('a')
      await replica.client.lpop('b')
      await replica.client.sunionstore('other', 'c')
      return /expired_keys:\d+/.exec(await replica.client.info('stats'))?.[0]
    })
    expect(await Promise.all(counts)).toEqual(['expired_keys:2', 'expired_keys:2'])
  })

  test('a chain through our node carries a real master to a real replica', async () => {
    const top = await started(startRedis({ 'repl-diskless-sync-delay': '0' }))
    const middle = await started(startOurs())
    const bottom = await started(startRedis())
    await follow(middle, top)
    await follow(bottom, middle)
    await top.client.set('k', 'v')
    await untilInStep(top, bottom)
    expect(await bottom.client.get('k')).toBe('v')
  })
})
