/**
 * A strict group whose nodes all ended together: none has a vote, so no Sentinel may promote one, and docs/strict.md says
 * how an operator chooses. The steps are those of the page.
 */
import { afterEach, describe, expect, test } from 'vitest'
import {
  agreedMaster,
  cli,
  HAS_REDIS_CLI,
  type RealCluster,
  startCluster,
  until,
  vedette,
} from '../support/processes.ts'

const STALL_MS = 15_000

let cluster: RealCluster | undefined
afterEach(async () => {
  await cluster?.stop()
  cluster = undefined
})

function replication(port: number): string {
  return cli(port, 'INFO', 'replication').join('\n')
}

function numberIn(text: string, field: string): number {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN)
}

describe.skipIf(!HAS_REDIS_CLI)('a strict group without votes (needs redis-cli)', () => {
  test('goes on with the data of the master that an operator names', async () => {
    cluster = await startCluster({
      ...{ isStrict: true, downAfterMs: 500 },
      nodeLines: ['appendonly yes', 'appendfsync always'],
    })
    const { nodes, sentinels } = cluster
    const ports = nodes.map(({ port }) => port)
    const [master = 0] = ports
    const at = `127.0.0.1:${sentinels[0]?.port}`
    await until('a write is acknowledged', STALL_MS, () => cli(master, 'SET', 'a', '1')[0] === 'OK')
    await Promise.all(nodes.map((one) => one.kill()))
    for (const one of nodes) one.start()
    await until('it is told what to do', STALL_MS, async () => {
      const { stdout } = await vedette('status', '--sentinel', at)
      return /0 of 3 voters have a vote/.test(stdout) && /docs\/strict\.md/.test(stdout)
    })
    expect(cli(master, 'FENCE', '9', 'me', 'FORCE')[0]).toMatch(/<term> <name> FORCE <replicas>/)

    // While the Sentinel that is asked tries a failover in vain, it refuses.
    await until('a pause is held', STALL_MS, async () => {
      const { status } = await vedette('pause', 'mymaster', '--for', '10m', '--sentinel', at)
      return status === 0
    })
    const voters = ports.map((port) => `127.0.0.1:${port}`)
    await until('the Sentinels have let go, and it is forced', STALL_MS, () => {
      const term = Math.max(...ports.map((port) => numberIn(replication(port), 'sync_term')))
      cli(master, 'FENCE', `${term + 1}`, 'by-hand', 'FORCE', '1', 'normal', ...voters)
      return /^sync_state:master/m.test(replication(master))
    })
    for (const port of ports.slice(1)) cli(port, 'REPLICAOF', '127.0.0.1', `${master}`)
    await until('a voter acknowledges', STALL_MS, () => cli(master, 'GET', 'a')[0] === '1')
    const resumed = await vedette('resume', 'mymaster', '--sentinel', at)
    expect(resumed).toMatchObject({ status: 0 })
    await until('all is well', 30_000, async () => {
      return (await vedette('status', '--sentinel', at)).status === 0
    })
    const named = await agreedMaster(cluster, 0)
    expect(cli(named, 'GET', 'a')).toEqual(['1'])
  }, 90_000)
})

test.skipIf(!HAS_REDIS_CLI)(
  'a voter that was fenced by hand, in a far term, is followed by the Sentinels and votes again',
  async () => {
    cluster = await startCluster({ isStrict: true, downAfterMs: 500 })
    const ports = cluster.nodes.map(({ port }) => port)
    const [master = 0, replica = 0] = ports
    const voters = ports.map((port) => `127.0.0.1:${port}`)
    const fence = (term: number) =>
      cli(replica, 'FENCE', `${term}`, 'by-hand', 'ASK', '1', 'normal', ...voters)
    await until('a write is acknowledged', STALL_MS, () => cli(master, 'SET', 'a', '1')[0] === 'OK')
    expect(fence(Date.now())[0]).toMatch(/no election reaches term/)
    expect(fence(2 ** 38)[0]).toBe(`${2 ** 38}`)
    await until('every voter votes in a later term', 90_000, () =>
      ports.every((port) => {
        const told = replication(port)
        return numberIn(told, 'sync_term') > 2 ** 38 && numberIn(told, 'sync_voter') === 1
      }),
    )
    const now = await agreedMaster(cluster, 0)
    await until('a write is acknowledged', STALL_MS, () => cli(now, 'SET', 'a', '2')[0] === 'OK')
  },
  150_000,
)
