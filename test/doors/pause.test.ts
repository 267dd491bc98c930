/** `vedette pause`, `resume` and `forget` with real processes, a redis-sentinel among them where there is one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  HAS_REDIS_CLI,
  HAS_REDIS_SENTINEL,
  masterField,
  masterPort,
  type Program,
  type RealCluster,
  startCluster,
  until,
  vedette,
} from '../support/processes.ts'

describe.skipIf(!HAS_REDIS_CLI)('a paused group (need redis-cli)', () => {
  let cluster: RealCluster
  let ours: readonly Program[] = []
  let address = ''

  beforeAll(async () => {
    const realSentinels = HAS_REDIS_SENTINEL ? 1 : 0
    cluster = await startCluster({ realSentinels, downAfterMs: 2_500, failoverTimeoutMs: 60_000 })
    ours = cluster.sentinels.filter(({ isRedis }) => !isRedis)
    address = `127.0.0.1:${ours[0]?.port}`
  }, 60_000)
  afterAll(() => cluster.stop())

  function asked(...argv: readonly string[]) {
    return vedette(...argv, '--sentinel', address)
  }

  test('is not failed over when its master dies, and at once when it is resumed', async () => {
    const [master] = cluster.nodes as [Program]
    const paused = await asked(
      'pause',
      'mymaster',
      '--for',
      '5m',
      '--reason',
      'new kernel',
      '--json',
    )
    const said = JSON.parse(paused.stdout)
    expect(paused.status).toBe(0)
    expect(said).toMatchObject({ ok: true, agreed: ours.length, of: 3, reason: 'new kernel' })
    await master.kill()
    await until('all see the master down', 20_000, () =>
      cluster.sentinels.every((one) => masterField(one, 'flags').includes('o_down')),
    )
    // Long enough for a redis-sentinel to stand for election, and to ask for votes in vain.
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    expect(cluster.sentinels.map(masterPort)).toEqual([master.port, master.port, master.port])
    const status = await asked('status', 'mymaster')
    expect(status.status).toBe(3)
    expect(status.stdout).toContain('paused by default@127.0.0.1: new kernel')

    const resumed = await asked('resume', 'mymaster')
    expect(resumed).toMatchObject({ status: 0, stderr: '' })
    await until('there is a new master', 5_000, () =>
      ours.every((one) => masterPort(one) !== master.port),
    )
  }, 60_000)

  test('is not paused by those that cannot agree, and forgets what is gone', async () => {
    const dead = `127.0.0.1:${cluster.nodes[0]?.port}`
    await until('the old master is down as a replica', 20_000, async () => {
      const { status } = await asked('forget', 'mymaster', dead)
      return status === 0
    })
    const { stdout } = await asked('status', 'mymaster', '--json')
    const views = JSON.parse(stdout).groups[0].views
    const replicas = views.flatMap((view: { sentinel: string; replicas: { port: string }[] }) =>
      ours.some(({ port }) => view.sentinel.endsWith(`:${port}`)) ? view.replicas : [],
    )
    expect(replicas.map(({ port }: { port: string }) => port)).not.toContain(dead.split(':')[1])
    const unknown = await asked('forget', 'mymaster', '127.0.0.1:1')
    expect(unknown.stderr).toContain('`vedette status` lists the replicas and Sentinels')
    for (const one of cluster.sentinels.slice(1)) await one.kill()
    const refused = await asked('pause', 'mymaster', '--for', '1h')
    expect(refused.status).toBe(1)
    expect(refused.stderr).toMatch(/refuses: NOMAJORITY/)
  }, 60_000)
})

test('without a Sentinel there is nobody to tell', async () => {
  const outcome = await vedette('pause', 'mymaster', '--for', '5m', '--sentinel', '127.0.0.1:1')
  expect(outcome.status).toBe(4)
  expect(outcome.stderr).toContain('127.0.0.1:1 does not answer')
})

test('a time without a unit, or too long, is refused with what is wanted', async () => {
  for (const time of ['30', '25h', '0s']) {
    const { status, stderr } = await vedette('pause', 'mymaster', '--for', time)
    expect(status).toBe(2)
    expect(stderr).toContain('expected a time from 1s to 24h')
  }
})
