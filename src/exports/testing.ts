/**
 * `vedette/testing`: a whole high-availability cluster inside a test runner, on free ports of this process. It can be
 * killed, stopped, cut off and put out of time, and it names the acknowledged writes that a failover lost.
 * docs/testing.md leads from the first import to a partition.
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis'
 * import { startCluster } from 'vedette/testing'
 *
 * const cluster = await startCluster({ replicas: 2, downAfterMs: 100 })
 * const client = new Redis({ sentinels: cluster.addresses, name: 'mymaster' })
 * cluster.master.kill()
 * await cluster.until.switched()
 * await client.set('key', 'value')
 * client.disconnect()
 * await cluster.stop()
 * ```
 *
 * @packageDocumentation
 */
import type { Cluster, TestSentinel, TestServer } from '../testing/api.ts'
import { startCluster as startRunning } from '../testing/cluster.ts'
import { startSentinel as startAlone } from '../testing/sentinel.ts'
import { startServer as startNode } from '../testing/server.ts'
import type {
  StartClusterOptions,
  StartSentinelOptions,
  StartServerOptions,
} from '../testing/start-options.ts'

export type * from '../testing/api.ts'
export { NotInTime } from '../testing/not-in-time.ts'
export type * from '../testing/start-options.ts'

/**
 * Starts a cluster and waits until it is at rest: every Sentinel knows every other and every node.
 *
 * @param options - By default one master, two replicas and three Sentinels, `downAfterMs: 250`.
 * @returns The cluster, which `stop()` ends; `await using` does it by itself.
 * @throws TypeError for an option that is wrong, with what is right.
 */
export function startCluster(options: StartClusterOptions = {}): Promise<Cluster> {
  return startRunning(options)
}

/**
 * Starts a data node alone on a free port of 127.0.0.1, in milliseconds.
 *
 * @throws Error for a directive that is wrong.
 *
 * @example
 * const server = await startServer({ directives: { maxmemory: '1mb' } })
 * const client = new Redis(server.port)
 */
export function startServer(options: StartServerOptions = {}): Promise<TestServer> {
  return startNode(options)
}

/**
 * Starts only a Sentinel, over nodes that run already. It finds their replicas by itself.
 *
 * @throws TypeError if no master is named.
 *
 * @example
 * const sentinel = await startSentinel({ masters: { mymaster: { host: '127.0.0.1', port: 6379 } } })
 * const client = new Redis({ sentinels: [sentinel], name: 'mymaster' })
 */
export function startSentinel(options: StartSentinelOptions): Promise<TestSentinel> {
  return startAlone(options)
}
