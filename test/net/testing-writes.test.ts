/** The recorder of writes of `vedette/testing`. */
import { expect, test } from 'vitest'
import { type Cluster, startCluster } from '../../src/exports/testing.ts'

const SMALL = { replicas: 1, sentinels: 1, downAfterMs: 60_000, detection: 'ping' } as const

async function write(cluster: Cluster, count: number): Promise<void> {
  const writes = cluster.writes()
  const before = writes.acknowledged
  writes.start({ perSecond: 1_000 })
  await cluster.until.true(`${count} more writes`, () => {
    return writes.acknowledged < before + count ? [`${writes.acknowledged - before}`] : []
  })
  await writes.stop()
}

test('a second load brings back nothing that was lost before it', async () => {
  await using cluster = await startCluster({ ...SMALL, replicas: 0 })
  await write(cluster, 20)
  const { acknowledged } = cluster.writes()
  cluster.master.loseData()
  cluster.master.restart()
  await cluster.until.settled()
  await write(cluster, acknowledged + 1)
  expect(cluster.writes().acknowledged).toBeGreaterThan(2 * acknowledged)
  expect(await cluster.writes().lost()).toHaveLength(acknowledged)
})
