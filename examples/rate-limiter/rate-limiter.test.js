import { Redis } from 'ioredis'
import { clusterTest } from 'vedette/vitest'
import { afterEach, beforeEach, expect } from 'vitest'
import { RateLimiter } from './rate-limiter.js'

// Time passes when the test says so.
const test = clusterTest({ clock: 'manual', replicas: 1 })
let redis
let limiter

beforeEach(() => {
  redis = undefined
})
afterEach(() => redis?.disconnect())

function connect(cluster) {
  redis = new Redis({
    ...{ sentinels: cluster.addresses, name: 'mymaster' },
    ...{ maxRetriesPerRequest: 0, retryStrategy: () => 20, sentinelRetryStrategy: () => 20 },
  })
  redis.on('error', () => undefined)
  limiter = new RateLimiter(redis, { limit: 2, windowMs: 10_000 })
}

async function take() {
  return (await limiter.take('ann')).isAllowed
}

test('the third request of a window is refused, and the first of the next one is not', async ({
  cluster,
}) => {
  connect(cluster)
  expect([await take(), await take(), await take()]).toEqual([true, true, false])
  await cluster.advance(10_001)
  expect(await take()).toBe(true)
})

test('a failover forgets no count that a replica has', async ({ cluster }) => {
  connect(cluster)
  await take()
  await take()
  await cluster.until.replicated()
  cluster.master.kill()
  await cluster.until.switched()
  await expect.poll(() => redis.ping().catch(() => 'no'), { timeout: 10_000 }).toBe('PONG')
  expect(await take()).toBe(false)
})

test('without any master every request is let through', async ({ cluster }) => {
  connect(cluster)
  await take()
  for (const node of cluster.nodes) node.kill()
  expect([await take(), await take(), await take()]).toEqual([true, true, true])
})
