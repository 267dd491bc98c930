/** The recorder of writes of `vedette/testing`, and what else a test asks the master by itself. */
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { type Cluster, startCluster, startServer } from '../../src/exports/testing.ts'

const SMALL = { replicas: 1, sentinels: 1, downAfterMs: 60_000, detection: 'ping' } as const

async function write(cluster: Cluster, count: number): Promise<void> {
  const writes = cluster.writes()
  const before = writes.acknowledged
  writes.start({ perSecond: 1_000 })
  await cluster.until.true(`${count} more writes`, () => {
    return writes.acknowledged < before + count ? [`${writes.acknowledged - before}`] : []
  })
  await writes.stop()
}

test('a second load brings back nothing that was lost before it', async () => {
  await using cluster = await startCluster({ ...SMALL, replicas: 0 })
  await write(cluster, 20)
  const { acknowledged } = cluster.writes()
  cluster.master.loseData()
  cluster.master.restart()
  await cluster.until.settled()
  await write(cluster, acknowledged + 1)
  expect(cluster.writes().acknowledged).toBeGreaterThan(2 * acknowledged)
  expect(await cluster.writes().lost()).toHaveLength(acknowledged)
})

test.each(['stop', 'partition'] as const)(
  'by a manual clock, a load at a master after its %s() can be ended, and the cluster with it',
  async (harm) => {
    const cluster = await startCluster({ ...SMALL, clock: 'manual' })
    const writes = cluster.writes()
    writes.start()
    await cluster.advance(50)
    cluster.master[harm]()
    await cluster.advance(50)
    await writes.stop()
    expect(writes.unanswered).toBeGreaterThan(0)
    cluster.heal()
    cluster.master.resume()
    writes.start()
    cluster.master[harm]()
    await cluster.advance(50)
    await cluster.stop()
  },
)

test('a second start of a load that runs changes its pace', async () => {
  await using cluster = await startCluster({ ...SMALL, clock: 'manual' })
  const writes = cluster.writes()
  writes.start({ perSecond: 1 })
  await cluster.advance(100)
  expect(writes.acknowledged).toBe(0)
  writes.start({ perSecond: 100 })
  await cluster.advance(100)
  expect(writes.acknowledged).toBeGreaterThan(5)
  expect(writes.acknowledged).toBeLessThan(15)
})

test('what a test asks a master that cannot answer is refused at once, and says why', async () => {
  await using cluster = await startCluster(SMALL)
  const { master } = cluster
  cluster.writes().note('key', 'value', master)
  const lost = () => expect(cluster.writes().lost()).rejects
  const seeded = () => expect(cluster.seed({ key: 'value' })).rejects
  master.stop()
  await lost().toThrow('MGET at n1: it is stopped, until resume()')
  await seeded().toThrow('MSET at n1: it is stopped, until resume()')
  master.resume()
  master.partition()
  await lost().toThrow('MGET at n1: it is cut off from the clients, until heal()')
  cluster.heal()
  master.kill()
  await lost().toThrow('MGET at n1: it is down, until restart()')
})

test('a noted key that is no string is not called lost, but named with its type', async () => {
  await using cluster = await startCluster(SMALL)
  const { master } = cluster
  const queue = new Redis(master.port)
  await queue.rpush('queue', 'job')
  queue.disconnect()
  cluster.writes().note('queue', 'job', master)
  await expect(cluster.writes().lost()).rejects.toThrow("lost: 'queue' is a list at n1")
})

test('a server that is stopped cannot be flushed', async () => {
  await using server = await startServer()
  server.node.stop()
  await expect(server.flush()).rejects.toThrow(/^FLUSHALL at .*: it is stopped, until resume\(\)/)
})
