/** `vedette/vitest`: what src/exports/vitest.ts gives to tests. */
import type { RunnerTestCase, RunnerTestSuite, TestAPI } from 'vitest'
import type { Cluster } from './api.ts'
import { startCluster } from './cluster.ts'
import { printTimeline } from './print-timeline.ts'
import type { ClusterFixture, ClusterTestOptions } from './vitest-types.ts'

/** Vitest before 4 refuses to be imported in its main process, where a globalSetup runs and needs no tests. */
const vitest = await import('vitest').catch((error: unknown) => ({ error }))

function baseTest(): TestAPI {
  if ('error' in vitest) throw vitest.error
  return vitest.test
}

export function clusterTest({
  scope = 'file',
  ...options
}: ClusterTestOptions): TestAPI<ClusterFixture> {
  if (!['test', 'file', 'worker'].includes(scope)) {
    throw new TypeError(`scope: one of test, file, worker, not '${scope}'`)
  }
  return baseTest().extend<{ sharedCluster: Cluster } & ClusterFixture>({
    sharedCluster: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures from the pattern.
      async ({}, use) => {
        const cluster = await startCluster(options)
        await use(cluster)
        await cluster.stop()
      },
      // Before 3.2 Vitest has no scopes; it knows by `auto` that these are options, and gives each test a cluster.
      { scope, auto: false },
    ],
    cluster: async ({ sharedCluster, onTestFailed, task }, use) => {
      await alone(sharedCluster, async () => {
        // What `test.fails` expects is no news.
        if (task.fails !== true)
          onTestFailed(() => printTimeline(sharedCluster, namesOf(task).join(' > ')))
        if (scope !== 'test') await sharedCluster.reset()
        await use(sharedCluster)
      })
    },
  }) as unknown as TestAPI<ClusterFixture>
}

/** As Vitest names it: the file, the groups around the test, the test. */
function namesOf({ file, suite, name }: RunnerTestCase | RunnerTestSuite): string[] {
  const around = suite === undefined || suite === file ? [file.name] : namesOf(suite)
  // Vitest before 2 puts the tests of a file into a group without a name.
  return name === '' ? around : [...around, name]
}

const inUse = new WeakSet<Cluster>()

/** Concurrent tests would reset and kill what the others need, and time out. */
async function alone(cluster: Cluster, run: () => Promise<void>): Promise<void> {
  if (inUse.has(cluster)) {
    throw new Error(
      "another test is using this cluster; for concurrent tests, start one for each: clusterTest({ scope: 'test' })",
    )
  }
  inUse.add(cluster)
  try {
    await run()
  } finally {
    inUse.delete(cluster)
  }
}
