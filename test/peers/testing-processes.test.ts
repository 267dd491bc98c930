/** `vedette/testing` with processes of their own, ours and Redis', behind doors that a test can close. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { Redis } from 'ioredis'
import { expect, onTestFailed, test } from 'vitest'
import { startCluster } from '../../src/exports/testing.ts'
import { HAS_REDIS_SENTINEL, HAS_REDIS_SERVER, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const HAS_REDIS = HAS_REDIS_SERVER && HAS_REDIS_SENTINEL

const CLAIM = 'killed, cut off and brought back, it says which writes are gone'

test(`process-lite: ${CLAIM}`, () => harm('process-lite'))

test.skipIf(!HAS_REDIS)(`redis: ${CLAIM}`, () => harm('redis'))

async function harm(engine: 'process-lite' | 'redis'): Promise<void> {
  const cluster = await startCluster({ engine, replicas: 1, password: 'secret' })
  onTestFailed(() => void process.stderr.write(`${cluster.timeline()}\n`))
  const client = new Redis({
    ...{ sentinels: cluster.addresses, name: 'mymaster' },
    ...{ password: 'secret', sentinelPassword: 'secret', retryStrategy: () => 50 },
  })
  client.on('error', () => undefined)
  try {
    await client.set('before', '1')
    await cluster.until.replicated()
    const old = cluster.master
    old.kill()
    const next = await cluster.until.switched()
    expect(await client.get('before')).toBe('1')
    old.restart()
    await cluster.until.settled({ withinMs: 30_000 })
    expect(old.replication).toMatchObject({ role: 'replica', masterPort: next.port })

    next.partition({ to: cluster.members.filter((member) => member !== next) })
    await client.set('mine', 'written behind the cut')
    cluster.writes().note('mine', 'written behind the cut', next)
    await cluster.until.switched({ withinMs: 30_000 })
    cluster.heal()
    await cluster.until.settled({ withinMs: 30_000 })
    const [lost] = await cluster.writes().lost()
    expect(lost).toMatchObject({ key: 'mine', by: next.name, cause: 'split-brain' })
    expect(cluster.history.map(({ name }) => name)).toContain('+switch-master')
    expect(() => next.fillDisk()).toThrow("engine 'tcp' can")
    expect(() => next.clock.jump(1)).toThrow("engine 'tcp' has clocks that jump")
  } finally {
    client.disconnect()
    await cluster.stop()
  }
  expect(cluster.members.map(({ status }) => status)).toEqual(Array(5).fill('down'))
}

const ENDS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGKILL']

test.each(ENDS)('a test that is ended by %s leaves no process and no folder', async (signal) => {
  const folder = scratchFolder('ended-test')
  const library = new URL('../../dist/library/testing.js', import.meta.url)
  const program = `
    const { startCluster } = await import(${JSON.stringify(library.href)})
    const cluster = await startCluster({ engine: 'process-lite', replicas: 0, sentinels: 1 })
    console.log(cluster.master.port)
    await new Promise(() => setInterval(() => undefined, 1_000))`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(child.stdout, 'data')
  // Behind its door, the first member has an address of its own.
  expect(await isListening('127.77.0.1', Number(port))).toBe(true)
  expect(readdirSync(folder)).toHaveLength(1)
  child.kill(signal)
  await once(child, 'exit')
  await until('no member', 5_000, async () => !(await isListening('127.77.0.1', Number(port))))
  await until('no folder', 5_000, () => readdirSync(folder).length === 0)
})

async function isListening(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

test('a program that is not there is missed in words', async () => {
  const path = process.env.PATH
  process.env.PATH = '/nowhere'
  try {
    await expect(startCluster({ engine: 'redis', replicas: 0, sentinels: 1 })).rejects.toThrow(
      'redis-server is not installed',
    )
  } finally {
    process.env.PATH = path
  }
})
