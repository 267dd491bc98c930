/**
 * `vedette/vitest`: a test of vitest that gets a cluster.
 *
 * @example
 * const test = clusterTest({ replicas: 2 })
 * test('the application survives a killed master', async ({ cluster }) => {
 *   cluster.master.kill()
 *   await cluster.until.switched()
 * })
 */
import process from 'node:process'
import { test as base, type TestAPI } from 'vitest'
import { type Cluster, startCluster } from './cluster.ts'
import type { StartClusterOptions } from './options.ts'

export interface ClusterFixture {
  /** At rest when the test begins; its timeline is printed if the test fails. */
  readonly cluster: Cluster
}

/** Tests of one file share a cluster, which is made when the first of them asks for it, and reset for each. */
export function clusterTest(options: StartClusterOptions = {}): TestAPI<ClusterFixture> {
  return base.extend<{ sharedCluster: Cluster } & ClusterFixture>({
    sharedCluster: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures from the pattern.
      async ({}, use) => {
        const cluster = await startCluster(options)
        await use(cluster)
        await cluster.stop()
      },
      { scope: 'file' },
    ],
    cluster: async ({ sharedCluster, onTestFailed }, use) => {
      await sharedCluster.reset()
      onTestFailed(() => void process.stderr.write(`${sharedCluster.timeline()}\n`))
      await use(sharedCluster)
    },
  }) as unknown as TestAPI<ClusterFixture>
}
