/**
 * Ours beside Redis' own, as while a fleet is migrated: our Sentinels over redis-servers, redis-sentinels
 * over our data nodes, and both in one quorum. Each time the master is killed, and comes back.
 */
import { describe, expect, test } from 'vitest'
import {
  agreedMaster,
  type ClusterPlan,
  cli,
  follows,
  HAS_REDIS,
  masterField,
  type Program,
  type RealCluster,
  startCluster,
  until,
  writeThrough,
} from '../support/processes.ts'

/** A redis-sentinel opens connections once a second; with less than this it takes that for a death. */
const DOWN_AFTER_WITH_REAL_MS = 2_500
/** Redis-sentinels often split their votes, and try again after twice this time. */
const FAILOVER_TIMEOUT_MS = 2_000

const GROUPS: Readonly<Record<string, ClusterPlan>> = {
  'our Sentinels over redis-servers': { hasRealNodes: true },
  'redis-sentinels over our nodes': { realSentinels: 3, downAfterMs: DOWN_AFTER_WITH_REAL_MS },
  'two of our Sentinels and a redis-sentinel over redis-servers': {
    hasRealNodes: true,
    realSentinels: 1,
    downAfterMs: DOWN_AFTER_WITH_REAL_MS,
  },
}

describe.skipIf(!HAS_REDIS)('needs redis-server and redis-sentinel', () => {
  for (const [name, plan] of Object.entries(GROUPS)) {
    test.concurrent(`${name} replace a killed master, which returns as a replica`, async ({
      onTestFinished,
    }) => {
      // Settled means that every Sentinel knows the two others.
      const cluster = await startCluster({ ...plan, failoverTimeoutMs: FAILOVER_TIMEOUT_MS })
      onTestFinished(() => cluster.stop())
      const [master, ...replicas] = cluster.nodes as [Program, Program, Program]
      await writeThrough(master, replicas, 'key', 'replicated')

      await master.kill()
      const promoted = await agreedMaster(cluster, master.port, 20_000)
      expect(promoted).not.toBe(master.port)
      expect(cli(promoted, 'GET', 'key')).toEqual(['replicated'])
      const sibling = replicas.find(({ port }) => port !== promoted) as Program
      await until('the sibling follows', 25_000, () => follows(sibling, promoted))
      // A redis-sentinel chooses by offsets that may be seconds old: the sibling may be further then.
      if (plan.realSentinels === undefined) expect(fullCopies(promoted)).toBe('sync_full:0')

      master.start()
      await expectAllToFollow(cluster, promoted)
      await expectAgreement(cluster, promoted)
    })
  }
})

/** The replicas that could not go on where they were. */
function fullCopies(port: number): string | undefined {
  const lines = cli(port, 'INFO', 'stats').map((line) => line.trim())
  return lines.find((line) => line.startsWith('sync_full:'))
}

async function expectAllToFollow(cluster: RealCluster, promoted: number): Promise<void> {
  for (const node of cluster.nodes.filter(({ port }) => port !== promoted)) {
    await until(`${node.port} follows the new master`, 25_000, () => follows(node, promoted))
  }
  expect(cli(promoted, 'ROLE')[0]).toBe('master')
}

/**
 * No Sentinel has changed its mind meanwhile, and all hold the same configuration. A redis-sentinel opens
 * connections once a second: until then the master it has just switched to is `disconnected` there.
 */
async function expectAgreement(cluster: RealCluster, promoted: number): Promise<void> {
  const rest = { port: String(promoted), flags: 'master', others: '2', replicas: '2' }
  await until('every Sentinel is at rest with the new master', 10_000, () => {
    const views = cluster.sentinels.map(viewOf)
    const epoch = views[0]?.epoch
    expect(views).toEqual(views.map(() => ({ ...rest, epoch })))
    return true
  })
}

function viewOf(sentinel: Program) {
  return {
    port: masterField(sentinel, 'port'),
    epoch: masterField(sentinel, 'config-epoch'),
    flags: masterField(sentinel, 'flags'),
    others: masterField(sentinel, 'num-other-sentinels'),
    replicas: masterField(sentinel, 'num-slaves'),
  }
}
