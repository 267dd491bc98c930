/**
 * Client libraries and redis-cli use what our node tells them: ioredis watches its commands,
 * node-redis keeps a cache that the node invalidates.
 */
import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { BasicClientSideCache, createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isInstalled } from '../support/processes.ts'
import { HOST, type RealNode, startOurs } from '../support/real-nodes.ts'
import { until } from '../support/until.ts'

const REDIS_CLI = 'redis-cli'

describe('clients of our node', () => {
  let node: RealNode

  beforeAll(async () => {
    node = await startOurs({ 'notify-keyspace-events': 'KEA', 'slowlog-log-slower-than': '0' })
  })
  afterAll(() => node?.stop())

  test('ioredis is shown the commands of others', async () => {
    // It makes a connection of its own for that.
    const monitor = await node.client.monitor()
    onTestFinished(() => monitor.disconnect())
    const seen: string[][] = []
    monitor.on('monitor', (_time, args: string[]) => seen.push(args))
    await node.client.set('k', 'a b')
    await until(async () => seen.some((args) => args.join('|') === 'set|k|a b'))
  })

  test('node-redis reads from its cache until another client changes the key', async () => {
    const cache = new BasicClientSideCache({ ttl: 0, maxEntries: 0, evictPolicy: 'LRU' })
    const reader = createClient({
      url: `redis://${HOST}:${node.port}`,
      RESP: 3,
      clientSideCache: cache,
    })
    await reader.connect()
    onTestFinished(() => reader.destroy())
    await node.client.set('cached', '1')
    expect(await reader.get('cached')).toBe('1')
    expect(await reader.get('cached')).toBe('1')
    expect(cache.stats().hitCount).toBe(1)
    await node.client.set('cached', '2')
    await until(async () => (await reader.get('cached')) === '2')
  })

  test('ioredis hears of a key that expires', async () => {
    const listener = node.client.duplicate()
    onTestFinished(() => listener.disconnect())
    const heard: string[] = []
    listener.on('message', (_channel, key: string) => heard.push(key))
    await listener.subscribe('__keyevent@0__:expired')
    await node.client.set('soon', '1', 'PX', 5)
    await until(async () => heard.includes('soon'))
  })

  test.skipIf(!isInstalled(REDIS_CLI))('redis-cli shows commands as they come', async () => {
    const cli = spawn(REDIS_CLI, ['-p', String(node.port), 'MONITOR'])
    onTestFinished(() => void cli.kill())
    let shown = ''
    cli.stdout.on('data', (bytes) => {
      shown += String(bytes)
    })
    await until(async () => shown.includes('OK'))
    await node.client.get('something')
    await until(async () => /\d+\.\d{6} \[0 127\.0\.0\.1:\d+\] "get" "something"/.test(shown))
  })

  test.skipIf(!isInstalled(REDIS_CLI))('redis-cli reads SLOWLOG and LATENCY', async () => {
    const ask = async (...words: string[]) => {
      const { stdout } = await promisify(execFile)(REDIS_CLI, ['-p', String(node.port), ...words])
      return stdout
    }
    await node.client.get('measured')
    expect(await ask('SLOWLOG', 'GET', '-1')).toContain('measured')
    expect(await ask('LATENCY', 'HISTOGRAM', 'get')).toContain('histogram_usec')
    expect(await ask('INFO', 'latencystats')).toMatch(/latency_percentiles_usec_get:p50=\d+\.\d{3}/)
  })
})
