/**
 * Where an application of these tests runs: a group of three nodes and three Sentinels, all ours or all
 * Redis' own, and how its clients are told of it.
 */
import type { RedisOptions } from 'ioredis'
import { type ClusterPlan, cli, type RealCluster, startCluster } from '../../support/processes.ts'

export const GROUP = 'mymaster'
const HOST = '127.0.0.1'

/** Long enough that no master is given up because the machine is busy; and short, once one is dead. */
const PATIENT_MS = 20_000
const QUICK_MS = 500

export interface Deployment {
  readonly name: 'ours' | "Redis'"
  readonly cluster: RealCluster
  readonly sentinels: readonly { readonly host: string; readonly port: number }[]
}

export async function deploy(name: Deployment['name']): Promise<Deployment> {
  const theirs: ClusterPlan = { hasRealNodes: true, realSentinels: 3 }
  const cluster = await startCluster({
    ...(name === 'ours' ? {} : theirs),
    downAfterMs: PATIENT_MS,
    failoverTimeoutMs: 10_000,
  })
  const sentinels = cluster.sentinels.map(({ port }) => ({ host: HOST, port }))
  return { name, cluster, sentinels }
}

/** While this works, a master that does not answer is soon given up. */
export async function hurrying<Result>(
  { cluster }: Deployment,
  work: () => Promise<Result>,
): Promise<Result> {
  const set = (ms: number) => {
    for (const { port } of cluster.sentinels) {
      cli(port, 'SENTINEL', 'SET', GROUP, 'down-after-milliseconds', String(ms))
    }
  }
  set(QUICK_MS)
  const result = await work()
  set(PATIENT_MS)
  return result
}

/**
 * As libraries use it: without `failoverDetector`, with which ioredis 6 gives up for good when a switch is
 * announced while it asks a Sentinel (README), and libraries do not take their connections up again.
 */
export function ioredisOptions({ sentinels }: Deployment) {
  return {
    sentinels: [...sentinels],
    name: GROUP,
    protocol: 2 as const,
    maxRetriesPerRequest: null,
    retryStrategy: () => 50,
    sentinelRetryStrategy: () => 50,
  } satisfies RedisOptions
}
