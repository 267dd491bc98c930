/**
 * A rolling restart as operators do it: SIGTERM to one process after the other, each started again once it has ended.
 * A master that is asked to end has its Sentinels arrange a handover first, so the applications notice nothing.
 */
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cli,
  freePorts,
  HAS_REDIS_CLI,
  HAS_REDIS_SERVER,
  type Program,
  type RealCluster,
  settled,
  startCluster,
  until,
  vedette,
} from '../support/processes.ts'
import { Application, healed, masterOf, startProxy } from './through-proxy.ts'

async function restart(program: Program): Promise<void> {
  program.signal('SIGTERM')
  await until(`${program.port} ends`, 20_000, () => !program.isRunning)
  expect(program.exitCode).toBe(0)
  program.start()
  await until(`${program.port} answers`, 10_000, () => cli(program.port, 'PING')[0] === 'PONG')
}

/** The replicas first, as everybody should, and then the master. */
async function restartNodes(cluster: RealCluster): Promise<void> {
  const master = await healed(cluster)
  const replicas = cluster.nodes.filter((node) => node !== master)
  for (const node of [...replicas, master]) {
    await restart(node)
    await healed(cluster)
  }
}

async function restartSentinels(cluster: RealCluster): Promise<void> {
  const master = await masterOf(cluster)
  const others = cluster.nodes.filter((node) => node !== master)
  for (const sentinel of cluster.sentinels) {
    await restart(sentinel)
    await settled({ ...cluster, nodes: [master, ...others] })
  }
}

test.skipIf(!HAS_REDIS_CLI)(
  'a rolling restart of all nodes and all Sentinels: no error through the proxy, nothing lost, nothing done twice',
  async ({ onTestFinished }) => {
    const cluster = await startCluster({ downAfterMs: 5_000 })
    onTestFinished(() => cluster.stop())
    const proxy = await startProxy(cluster)
    onTestFinished(() => proxy.kill())
    const client = new Redis({ port: proxy.port, maxRetriesPerRequest: null })
    onTestFinished(() => client.disconnect())
    const application = new Application(() => client.incr('counter'))
    await until('it writes', 10_000, () => application.met().acknowledged > 100)
    application.begin()

    const before = await masterOf(cluster)
    await restartNodes(cluster)
    expect(await masterOf(cluster)).not.toBe(before)
    await restartSentinels(cluster)
    await restartNodes(cluster)

    await application.stop()
    const { acknowledged, errors, gapMs } = application.met()
    console.log(`rolling restart: longest gap ${gapMs} ms, ${acknowledged} writes`)
    expect([errors, Number(cli(proxy.port, 'GET', 'counter')[0])]).toEqual([[], acknowledged])
  },
)

describe.skipIf(!HAS_REDIS_CLI || !HAS_REDIS_SERVER)('vedette drain (needs redis-server)', () => {
  let cluster: RealCluster
  beforeAll(async () => {
    cluster = await startCluster({ hasRealNodes: true, downAfterMs: 5_000 })
  })
  afterAll(() => cluster?.stop())

  const drain = (port: number, ...more: readonly string[]) => {
    const sentinels = cluster.sentinels.flatMap((one) => ['--sentinel', `127.0.0.1:${one.port}`])
    return vedette('drain', '--node', `127.0.0.1:${port}`, ...sentinels, '--json', ...more)
  }

  test('before each SIGTERM, redis-servers are restarted one by one without an error or a lost write', async ({
    onTestFinished,
  }) => {
    const proxy = await startProxy(cluster)
    onTestFinished(() => proxy.kill())
    const client = new Redis({ port: proxy.port, maxRetriesPerRequest: null })
    onTestFinished(() => client.disconnect())
    // A second attempt finds what the first one has counted.
    await client.del('counter')
    const application = new Application(() => client.incr('counter'))
    await until('it writes', 10_000, () => application.met().acknowledged > 100)
    for (const node of cluster.nodes) {
      const master = await healed(cluster)
      const { status, stdout } = await drain(node.port)
      expect([status, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ done: true })])
      expect(await masterOf(cluster)).not.toBe(node)
      if (master !== node) expect(await masterOf(cluster)).toBe(master)
      await healed(cluster)
      await restart(node)
    }
    await application.stop()
    const { acknowledged, errors } = application.met()
    expect([errors, Number(cli(proxy.port, 'GET', 'counter')[0])]).toEqual([[], acknowledged])
  })

  test('says by its exit status why it has not been done', async () => {
    const master = await healed(cluster)
    const [nobody = 0] = await freePorts(1)
    expect(await drain(nobody)).toMatchObject({
      status: 4,
      stdout: expect.stringContaining('"done":false'),
    })
    const alone = ['--node', `127.0.0.1:${master.port}`, '--sentinel', `127.0.0.1:${nobody}`]
    expect(await vedette('drain', ...alone)).toMatchObject({ status: 4 })
    expect(await vedette('drain', '--node', 'nowhere')).toMatchObject({ status: 2 })
    for (const node of cluster.nodes) cli(node.port, 'CONFIG', 'SET', 'replica-priority', '0')
    const refused = await drain(master.port, '--timeout', '1s')
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/refuses|given up/) })
    expect(await masterOf(cluster)).toBe(master)
  })
})
