import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createClient, createSentinel } from 'redis'
import { startCluster, startServer } from 'vedette/testing'
import { SessionStore } from './session-store.js'

test('a session ends when it is not used, and a use prolongs it', async (t) => {
  const server = await startServer()
  t.after(() => server.stop())
  const redis = await createClient({ url: `redis://127.0.0.1:${server.port}` }).connect()
  t.after(() => redis.destroy())
  const store = new SessionStore(redis, { seconds: 60 })
  const id = await store.open('ann')
  server.node.clock.jump(59_000)
  assert.deepEqual(await store.use(id), { user: 'ann' })
  server.node.clock.jump(59_000)
  assert.deepEqual(await store.use(id), { user: 'ann' })
  server.node.clock.jump(61_000)
  assert.equal(await store.use(id), undefined)
})

let cluster
before(async () => {
  cluster = await startCluster({ replicas: 1, downAfterMs: 100 })
})
beforeEach(() => cluster.reset())
after(() => cluster.stop())

test('whoever is logged in stays so through a failover', async (t) => {
  const sentinel = createSentinel({ name: 'mymaster', sentinelRootNodes: cluster.addresses })
  sentinel.on('error', () => undefined)
  await sentinel.connect()
  t.after(() => sentinel.destroy())
  const store = new SessionStore(sentinel)
  const id = await store.open('ann')
  await cluster.until.replicated()
  cluster.master.kill()
  await cluster.until.switched()
  assert.deepEqual(await store.use(id), { user: 'ann' })
})
