/**
 * `vedette/jest`: a test of Jest that gets a cluster. All tests of a file share one, which is reset for each of them;
 * if a test fails, the timeline of its cluster is printed.
 *
 * @example
 * ```js
 * const { clusterTest } = require('vedette/jest')
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

import { clusterTest as testOfJest } from '../testing/jest.ts'
import type { JestClusterOptions, JestClusterTest } from '../testing/jest-types.ts'

export type * from '../testing/api.ts'
export type * from '../testing/jest-types.ts'
export type * from '../testing/start-options.ts'

/**
 * Declares that the tests of this file share a cluster, and returns their `test`.
 *
 * @param options - Those of `startCluster`, and `globals` where Jest's are not injected.
 * @throws TypeError outside of a test file of Jest.
 */
export function clusterTest(options: JestClusterOptions = {}): JestClusterTest {
  return testOfJest(options)
}
