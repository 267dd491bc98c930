import type { Cluster } from './api.ts'
import type { StartClusterOptions } from './start-options.ts'

export interface ClusterFixture {
  /** At rest when the test begins; its timeline is printed if the test fails. */
  readonly cluster: Cluster
}

export interface ClusterTestOptions extends StartClusterOptions {
  /**
   * Which tests share a cluster: those of a `file` (by default), of a `worker`, or none (`test`). A shared one is
   * reset for each test.
   */
  readonly scope?: 'test' | 'file' | 'worker' | undefined
}

/** What tests find by `inject('vedette')`: plain data, since they run in other processes. */
export interface ProvidedCluster {
  readonly sentinels: { host: string; port: number }[]
  readonly groups: readonly string[]
  readonly password: string | undefined
}

/** What Vitest hands to a globalSetup. */
export interface VitestProject {
  provide(key: 'vedette', value: ProvidedCluster): void
}
