/** `vedette/testing` with processes of their own, ours and Redis', behind doors that a test can close. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, createServer, type ListenOptions, type Server } from 'node:net'
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

test.each(['process-lite', 'redis'] as const)(
  '%s: a member that cannot start says why, at once',
  async (engine) => {
    if (engine === 'redis' && !HAS_REDIS) return
    const startedMs = performance.now()
    const options = { engine, replicas: 0, sentinels: 1, directives: { maxmemry: '1' } }
    const refused = await startCluster(options).catch((error: Error) => error)
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    expect(String(refused)).toMatch(/n1 could not start \(exit status \d\)\. It said last:/)
    expect(String(refused)).toContain('maxmemry')
  },
)

test('a port that somebody has taken meanwhile is told, and the next start may succeed', async () => {
  const options = { engine: 'process-lite', replicas: 1, sentinels: 1 } as const
  const cluster = await startCluster({ ...options, directives: { save: '' } })
  const [replica] = cluster.replicas
  const taker = createServer()
  try {
    replica?.kill()
    const place = { host: `127.77.0.${replica?.name.slice(1)}`, port: replica?.port }
    await until('a free port', 5_000, () => listening(taker, place))
    replica?.restart()
    const late = await cluster.until.settled().catch((error: Error) => error)
    expect(String(late)).toContain(`${replica?.name} could not start`)
    expect(String(late)).toContain(`${place.host}:${place.port}`)
    taker.close()
    replica?.restart()
    await cluster.until.settled()
  } finally {
    taker.close()
    await cluster.stop()
  }
})

function listening(server: Server, place: ListenOptions): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(place, () => resolve(true))
  })
}
