/**
 * Bugs of client libraries that their users meet at a failover, whichever Sentinels they ask: each test asserts the bug
 * as it is, on a Sentinel and a master that follow a script, and names the line that changes once it is mended. The
 * reports are in docs/upstream.md.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createSentinel } from 'redis'
import { expect, onTestFinished, test } from 'vitest'
import { matchesGlob } from '../../src/base/glob.ts'
import { until } from '../support/processes.ts'
import { announceWhileAsked, stage } from '../support/scripted-sentinel.ts'

function nodeRedis(sentinelPort: number) {
  const client = createSentinel({
    name: 'mymaster',
    sentinelRootNodes: [{ host: '127.0.0.1', port: sentinelPort }],
  })
  client.on('error', () => undefined)
  onTestFinished(() => client.destroy().catch(() => undefined))
  return client
}

test('node-redis 6.3 listens to a pattern without the + of +switch-master', async () => {
  const { sentinel, sentinelPort } = await stage()
  await nodeRedis(sentinelPort).connect()
  await until('it listens', 5_000, () => sentinel.listeners.size > 0)
  const patterns = [...sentinel.listeners.values()].flat()
  expect(patterns).toContain('switch-master')
  // Mended: some pattern matches, and this is true.
  expect(patterns.some((pattern) => matchesGlob(pattern, '+switch-master'))).toBe(false)
})

test('node-redis 6.3 sleeps a second after a round that failed, although the next one would succeed at once', async () => {
  const { sentinel, sentinelPort } = await stage()
  sentinel.failuresLeft = 1
  const connecting = nodeRedis(sentinelPort).connect()
  await until('the next round begins', 10_000, () => {
    return sentinel.failedAtMs > 0 && sentinel.connectedAtMs > sentinel.failedAtMs
  })
  // Mended: a few milliseconds, or what an option says.
  expect(sentinel.connectedAtMs - sentinel.failedAtMs).toBeGreaterThan(990)
  await connecting
})

test('ioredis 6.0 gives up for good when a switch is announced while it asks a Sentinel', async () => {
  const scene = await stage()
  const { sentinel, sentinelPort } = scene
  const redis = new Redis({
    sentinels: [{ host: '127.0.0.1', port: sentinelPort }],
    name: 'mymaster',
    failoverDetector: true,
    retryStrategy: () => 10,
    sentinelRetryStrategy: () => 10,
  })
  redis.on('error', () => undefined)
  onTestFinished(() => redis.disconnect())
  await until('it is ready and listens', 5_000, () => {
    return redis.status === 'ready' && sentinel.listeners.size > 0
  })
  await announceWhileAsked(scene)
  // Mended: it is `ready` again, because the Sentinel names a master that answers.
  await until('it gives up', 5_000, () => redis.status === 'end')
  const asked = sentinel.asked.length
  await sleep(300)
  expect([redis.status, sentinel.asked.length]).toEqual(['end', asked])
})

test('ioredis 6.0 forgets commands without an answer when it may not send them again: their promises stay open', async () => {
  const { master } = await stage('INCR')
  const address = master.server.address()
  const redis = new Redis({
    port: typeof address === 'object' && address !== null ? address.port : 0,
    retryStrategy: () => 10,
    maxRetriesPerRequest: null,
    autoResendUnfulfilledCommands: false,
  })
  redis.on('error', () => undefined)
  onTestFinished(() => redis.disconnect())
  let outcome = 'open'
  redis.incr('n').then(
    () => {
      outcome = 'answered'
    },
    () => {
      outcome = 'rejected'
    },
  )
  await until('the master has the command', 5_000, () => {
    return master.asked.some(([command]) => command?.toUpperCase() === 'INCR')
  })
  const cutAtMs = performance.now()
  master.cut()
  await until('it is ready again', 5_000, () => {
    return master.connectedAtMs > cutAtMs && redis.status === 'ready'
  })
  await sleep(300)
  // Mended: rejected, as the connection on which it was sent is gone.
  expect(outcome).toBe('open')
})
