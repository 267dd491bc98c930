/**
 * Coordinated failovers on real processes: a stock ioredis writes all the time, no acknowledged write is
 * lost, and no write waits longer than the exchange of roles takes.
 */
import { describe, expect, onTestFinished, test } from 'vitest'
import { ioredis, NumberedWriter } from '../support/numbered-writer.ts'
import {
  agreedMaster,
  type ClusterPlan,
  cli,
  follows,
  HAS_REDIS_CLI,
  HAS_REDIS_SENTINEL,
  HAS_REDIS_SERVER,
  masterField,
  type Program,
  type RealCluster,
  startCluster,
  until,
} from '../support/processes.ts'

const DOWN_AFTER_MS = 1_000
const GRACE_MS = 1_000
/**
 * A redis-server learns once a second how far a replica is; ours asks it. The rest is the client's: it
 * loses its connection, asks a Sentinel, and connects again, on a machine that may be busy.
 */
const PAUSE_WITH_REDIS_MS = 3_000
const PAUSE_MS = 1_500

describe.skipIf(!HAS_REDIS_CLI)('our Sentinels over our nodes (needs redis-cli)', () => {
  test('nothing is lost, and writes wait for a moment', async () => {
    const { cluster, writer } = await written({})
    await expectLossless(cluster, writer, PAUSE_MS)
  })

  test('there and back again', async () => {
    const { cluster, writer } = await written({ replicas: 1 })
    const [first, second] = cluster.nodes as [Program, Program]
    for (const [from, to] of [
      [first, second],
      [second, first],
    ] as const) {
      const [sentinel] = cluster.sentinels as [Program]
      await until('it may hand over', 10_000, () => failOver(sentinel) === 'OK')
      expect(await agreedMaster(cluster, from.port)).toBe(to.port)
      await until('the old master follows', 10_000, () => follows(from, to.port))
    }
    writer.stop()
    expect(missing(first.port, writer)).toEqual([])
  })

  test('a master that dies while it hands over is replaced like any other', async () => {
    const { cluster, writer } = await written({ downAfterMs: DOWN_AFTER_MS })
    const [master, ...replicas] = cluster.nodes as [Program, ...Program[]]
    const promised = await writer.replicated(2)
    for (const replica of replicas) replica.signal('SIGSTOP')
    expect(failOver(cluster.sentinels[0] as Program)).toBe('OK')
    await until('it waits for a replica', 10_000, () => isWaitingForSync(master))
    const killedAtMs = Date.now()
    await master.kill()
    for (const replica of replicas) replica.signal('SIGCONT')
    const next = await until('a write is acknowledged again', 8_000, () =>
      writer.firstAfter(killedAtMs + 100),
    )
    expect(next.atMs - killedAtMs).toBeLessThan(DOWN_AFTER_MS + GRACE_MS)
    const promoted = await agreedMaster(cluster)
    const keys = new Set(cli(promoted, 'KEYS', 'key:*'))
    expect(promised.filter((key) => !keys.has(key))).toEqual([])
  })

  test('a leader that dies when it has given the order leaves no group without a master', async () => {
    const { cluster, writer } = await written({ replicas: 1, downAfterMs: DOWN_AFTER_MS })
    const [master, replica] = cluster.nodes as [Program, Program]
    const [leader] = cluster.sentinels as [Program]
    replica.signal('SIGSTOP')
    expect(failOver(leader)).toBe('OK')
    await until('it waits for the replica', 10_000, () => isWaitingForSync(master))
    await leader.kill()
    replica.signal('SIGCONT')
    expect(await agreedMaster(cluster, master.port, 15_000)).toBe(replica.port)
    const nowMs = Date.now()
    await until('a write is acknowledged again', 5_000, () => writer.firstAfter(nowMs))
    writer.stop()
    expect(missing(replica.port, writer)).toEqual([])
  })
})

describe.skipIf(!HAS_REDIS_CLI || !HAS_REDIS_SERVER)('over redis-servers', () => {
  test('nothing is lost, and writes wait for the second a replica takes to answer', async () => {
    const { cluster, writer } = await written({ hasRealNodes: true })
    await expectLossless(cluster, writer, PAUSE_WITH_REDIS_MS)
  })

  test('a master that does not know the command says so, and writes go on', async () => {
    const { cluster, writer } = await written({
      hasRealNodes: true,
      nodeLines: ['rename-command FAILOVER ""'],
    })
    const [master] = cluster.nodes as [Program]
    const [sentinel] = cluster.sentinels as [Program]
    expect(failOver(sentinel)).toBe('OK')
    await until('the reason is in the log', 10_000, () =>
      sentinel.log().includes("the master refused to hand over: ERR unknown command 'FAILOVER'"),
    )
    await until('it is given up', 10_000, () =>
      sentinel.log().includes('-failover-abort-master-timeout'),
    )
    const nowMs = Date.now()
    await until('writes go on', 5_000, () => writer.firstAfter(nowMs))
    expect(masterField(sentinel, 'flags')).toBe('master')
    expect(cli(master.port, 'ROLE')[0]).toBe('master')
  })

  test.skipIf(!HAS_REDIS_SENTINEL)('two redis-sentinels elect ours and follow it', async () => {
    // A redis-sentinel opens connections once a second; with less than this it takes that for a death.
    const plan = { hasRealNodes: true, realSentinels: 2, downAfterMs: 2_500 }
    const { cluster, writer } = await written(plan)
    await expectLossless(cluster, writer, PAUSE_WITH_REDIS_MS)
    const epochs = cluster.sentinels.map((one) => masterField(one, 'config-epoch'))
    expect(new Set(epochs).size).toBe(1)
  })
})

/** A cluster somebody has been writing to for a while. */
async function written(
  plan: ClusterPlan,
): Promise<{ readonly cluster: RealCluster; readonly writer: NumberedWriter }> {
  const cluster = await startCluster({ failoverTimeoutMs: 20_000, ...plan })
  onTestFinished(() => cluster.stop())
  const writer = new NumberedWriter(ioredis(cluster.sentinels.map(({ port }) => port)))
  onTestFinished(() => writer.stop())
  await until('the first writes are acknowledged', 5_000, () => writer.acknowledged.length > 50)
  return { cluster, writer }
}

async function expectLossless(
  cluster: RealCluster,
  writer: NumberedWriter,
  pauseMs: number,
): Promise<void> {
  const [old] = cluster.nodes as [Program]
  expect(failOver(cluster.sentinels[0] as Program)).toBe('OK')
  const promoted = await agreedMaster(cluster, old.port, 10_000)
  const nowMs = Date.now()
  await until('writes go on', 5_000, () => writer.firstAfter(nowMs + 500))
  writer.stop()
  expect(missing(promoted, writer)).toEqual([])
  expect(longestPauseMs(writer)).toBeLessThan(pauseMs)
  for (const node of cluster.nodes.filter(({ port }) => port !== promoted)) {
    await until(`${node.port} follows the new master`, 15_000, () => follows(node, promoted))
  }
  // Nobody needed a full copy from the new master.
  expect(cli(promoted, 'INFO', 'stats').map((line) => line.trim())).toContain('sync_full:0')
}

function failOver(sentinel: Program): string | undefined {
  return cli(sentinel.port, 'SENTINEL', 'FAILOVER', 'mymaster', 'COORDINATED')[0]
}

function isWaitingForSync(node: Program): boolean {
  const lines = cli(node.port, 'INFO', 'replication').map((line) => line.trim())
  return lines.includes('master_failover_state:waiting-for-sync')
}

/** What was acknowledged and is not there. */
function missing(port: number, writer: NumberedWriter): readonly string[] {
  const keys = new Set(cli(port, 'KEYS', 'key:*'))
  return writer.acknowledged.map(({ key }) => key).filter((key) => !keys.has(key))
}

function longestPauseMs({ acknowledged }: NumberedWriter): number {
  const gaps = acknowledged.slice(1).map(({ atMs }, index) => {
    return atMs - (acknowledged[index]?.atMs ?? atMs)
  })
  return Math.max(...gaps)
}
