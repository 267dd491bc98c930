/**
 * `vedette/vitest`: tests of Vitest that get a cluster.
 *
 * @example
 * ```ts
 * import { clusterTest } from 'vedette/vitest'
 *
 * const test = clusterTest({ replicas: 2, downAfterMs: 100 })
 *
 * test('a killed master is replaced', async ({ cluster }) => {
 *   cluster.master.kill()
 *   await cluster.until.switched()
 * })
 * ```
 *
 * @packageDocumentation
 */
import type { TestAPI } from 'vitest'
import type { StartClusterOptions } from '../testing/start-options.ts'
import { clusterTest as testOfVitest } from '../testing/vitest.ts'
import { setUpCluster } from '../testing/vitest-setup.ts'
import type {
  ClusterFixture,
  ClusterTestOptions,
  ProvidedCluster,
  VitestProject,
} from '../testing/vitest-types.ts'

export type * from '../testing/api.ts'
export type * from '../testing/start-options.ts'
export type * from '../testing/vitest-types.ts'

/**
 * A `test` whose tests get a cluster: at rest, empty and with everything running. If one fails, the timeline of its
 * cluster is printed.
 *
 * @param options - Those of `startCluster`, and `scope`: which tests share a cluster.
 */
export function clusterTest(options: ClusterTestOptions = {}): TestAPI<ClusterFixture> {
  return testOfVitest(options)
}

/**
 * A `globalSetup`: one cluster for a whole run, in Vitest's main process. Tests find it by `inject('vedette')`; they
 * cannot kill its members, and share its data.
 *
 * @example
 * ```ts
 * // vedette.setup.ts, named in the configuration as globalSetup
 * export default clusterSetup({ replicas: 1 })
 *
 * // in a test
 * const client = new Redis({ sentinels: inject('vedette').sentinels, name: 'mymaster' })
 * ```
 */
export function clusterSetup(
  options: StartClusterOptions = {},
): (project: VitestProject) => Promise<() => Promise<void>> {
  return setUpCluster(options)
}

declare module 'vitest' {
  export interface ProvidedContext {
    vedette: ProvidedCluster
  }
}
