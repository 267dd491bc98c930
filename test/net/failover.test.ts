/**
 * The main job on real processes: three Sentinels, one master, two replicas, a stock redis-cli, and a
 * stock ioredis Sentinel client that writes numbered keys all the time.
 */
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ioredis, NumberedWriter } from '../support/numbered-writer.ts'
import {
  agreedMaster,
  cli,
  follows,
  HAS_REDIS_CLI,
  masterField,
  masterPort,
  type Program,
  type RealCluster,
  startCluster,
  until,
} from '../support/processes.ts'

const DOWN_AFTER_MS = 1_000
const GRACE_MS = 500

describe.skipIf(!HAS_REDIS_CLI)('three Sentinels keep a master alive (needs redis-cli)', () => {
  let cluster: RealCluster
  let writer: NumberedWriter

  beforeEach(async () => {
    cluster = await startCluster({ downAfterMs: DOWN_AFTER_MS })
    writer = new NumberedWriter(ioredis(cluster.sentinels.map(({ port }) => port)))
    await until('the first writes are acknowledged', 5_000, () => writer.acknowledged.length > 20)
  })

  afterEach(async () => {
    writer?.stop()
    await cluster?.stop()
  })

  test('a killed master is replaced within down-after + 500 ms, and comes back as a replica', async () => {
    const [master] = cluster.nodes as [Program]
    const promised = await writer.replicated(2)
    // Operators kill by what INFO says, and 0 would be their own process group.
    expect(cli(master.port, 'INFO', 'server').map((line) => line.trim())).toContain(
      `process_id:${master.pid}`,
    )
    const killedAtMs = Date.now()
    await master.kill()

    const next = await until('a write is acknowledged again', 5_000, () =>
      writer.firstAfter(killedAtMs + 100),
    )
    expect(next.atMs - killedAtMs).toBeLessThan(DOWN_AFTER_MS + GRACE_MS)

    const promoted = await agreedMaster(cluster)
    expect(promoted).not.toBe(master.port)
    expect(missing(promoted, promised)).toEqual([])

    master.start()
    await until('the old master follows the new one', 15_000, () => follows(master, promoted))
  })

  test('a frozen master is replaced, and thawed it acknowledges no more than a moment', async () => {
    const [master] = cluster.nodes as [Program]
    const promised = await writer.replicated(2)
    const frozenAtMs = Date.now()
    master.signal('SIGSTOP')
    const next = await until('a write is acknowledged again', 5_000, () =>
      writer.firstAfter(frozenAtMs + 100),
    )
    expect(next.atMs - frozenAtMs).toBeLessThan(DOWN_AFTER_MS + GRACE_MS)
    const promoted = await agreedMaster(cluster)
    expect(missing(promoted, promised)).toEqual([])

    const stray = new Redis({ port: master.port, retryStrategy: () => 20, maxRetriesPerRequest: 0 })
    stray.on('error', () => undefined)
    const thawedAtMs = Date.now()
    master.signal('SIGCONT')
    const lastStrayMs = await writeUntilRefused(stray, master, promoted)
    stray.disconnect()
    // Two reconnection intervals of a Sentinel: one that just failed, one to succeed.
    expect(lastStrayMs - thawedAtMs).toBeLessThan(1_000)
  })

  test('with one Sentinel of three left nobody fails over, and CKQUORUM says why', async () => {
    const [survivor, ...others] = cluster.sentinels as [Program, Program, Program]
    const [master] = cluster.nodes as [Program]
    await Promise.all(others.map((one) => one.kill()))
    await master.kill()
    await until(
      'the survivor sees everybody down',
      5_000,
      () =>
        masterField(survivor, 'flags').includes('s_down') &&
        cli(survivor.port, 'SENTINEL', 'CKQUORUM', 'mymaster')[0]?.startsWith('NOQUORUM 1 usable'),
    )
    expect(cli(survivor.port, 'SENTINEL', 'CKQUORUM', 'mymaster')[0]).toBe(
      'NOQUORUM 1 usable Sentinels. Not enough available Sentinels to reach the specified quorum ' +
        'for this master. Not enough available Sentinels to reach the majority and authorize a failover',
    )
    await new Promise((resolve) => setTimeout(resolve, 3 * DOWN_AFTER_MS))
    expect(masterPort(survivor)).toBe(master.port)
    expect(survivor.log()).not.toContain('+try-failover')
  })

  test('Sentinels restarted from their state files are who they were and know what they knew', async () => {
    const [master] = cluster.nodes as [Program]
    await master.kill()
    const promoted = await agreedMaster(cluster)
    const before = cluster.sentinels.map(identity)
    await Promise.all(cluster.sentinels.map((one) => one.kill()))
    for (const sentinel of cluster.sentinels) sentinel.start()
    for (const [index, sentinel] of cluster.sentinels.entries()) {
      await until('it answers again', 5_000, () => cli(sentinel.port, 'PING')[0] === 'PONG')
      const now = identity(sentinel)
      expect(now.myid).toBe(before[index]?.myid)
      expect(now.configEpoch).toBeGreaterThanOrEqual(before[index]?.configEpoch ?? 0)
      expect(masterPort(sentinel)).toBe(promoted)
      expect(masterField(sentinel, 'num-other-sentinels')).toBe('2')
    }
  })
})

function missing(port: number, keys: readonly string[]): string[] {
  const lost: string[] = []
  for (let at = 0; at < keys.length; at += 500) {
    const page = keys.slice(at, at + 500)
    const values = cli(port, 'MGET', ...page)
    lost.push(...page.filter((key, index) => values[index] !== key))
  }
  return lost
}

function identity(sentinel: Program): { myid: string; configEpoch: number } {
  return {
    myid: cli(sentinel.port, 'SENTINEL', 'MYID')[0] ?? '',
    configEpoch: Number(masterField(sentinel, 'config-epoch')),
  }
}

/** Writes to the old master until it follows the new one; when it acknowledged the last write. */
async function writeUntilRefused(stray: Redis, old: Program, promoted: number): Promise<number> {
  let lastMs = 0
  await until('the old master is a replica', 15_000, async () => {
    const reply = await stray.set('stray', 'x').catch(() => undefined)
    if (reply === 'OK') lastMs = Date.now()
    return reply === undefined && follows(old, promoted)
  })
  return lastMs
}
