/** `vedette/testing` with passwords that a configuration file has to quote. */
import { Redis } from 'ioredis'
import { expect, onTestFailed, test } from 'vitest'
import { startCluster } from '../../src/exports/testing.ts'
import { HAS_REDIS_SENTINEL, HAS_REDIS_SERVER } from '../support/processes.ts'

const ODD = ` # a "quoted" 'word' \\ größe 🔑 `
const CLAIM = 'a password of any characters lets members and clients in, after a restart too'

test(`tcp: ${CLAIM}`, () => fail('tcp'))

test(`process-lite: ${CLAIM}`, () => fail('process-lite'))

test.skipIf(!HAS_REDIS_SERVER || !HAS_REDIS_SENTINEL)(`redis: ${CLAIM}`, () => fail('redis'))

async function fail(engine: 'tcp' | 'process-lite' | 'redis'): Promise<void> {
  const cluster = await startCluster({ engine, replicas: 1, password: ODD })
  onTestFailed(() => void process.stderr.write(`${cluster.timeline({ withLogs: true })}\n`))
  const client = new Redis({
    ...{ sentinels: cluster.addresses, name: 'mymaster' },
    ...{ password: ODD, sentinelPassword: ODD, retryStrategy: () => 50 },
  })
  client.on('error', () => undefined)
  try {
    await client.set('before', '1')
    await cluster.until.replicated()
    const old = cluster.master
    old.kill()
    await cluster.until.switched({ withinMs: 30_000 })
    expect(await client.get('before')).toBe('1')
    old.restart()
    // They have written their files anew meanwhile.
    for (const one of cluster.sentinels) {
      one.kill()
      one.restart()
    }
    await cluster.until.settled({ withinMs: 30_000 })
  } finally {
    client.disconnect()
    await cluster.stop()
  }
}
