/** One cluster for a whole run of Vitest, in its main process. */
import { startCluster } from './cluster.ts'
import type { StartClusterOptions } from './start-options.ts'
import type { VitestProject } from './vitest-types.ts'

export function setUpCluster(
  options: StartClusterOptions,
): (project: VitestProject) => Promise<() => Promise<void>> {
  return async (project) => {
    const cluster = await startCluster(options)
    project.provide('vedette', {
      sentinels: cluster.addresses,
      groups: options.groups ?? ['mymaster'],
      password: options.password,
    })
    return () => cluster.stop()
  }
}
