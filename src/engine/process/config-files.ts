/**
 * The configuration of each process, as an operator would write it. Sentinels of both kinds get the
 * same rules, nodes of both kinds the same directives; what a file does not say is each one's default.
 */
import type { Address } from '../../sim/happening.ts'
import type { GroupSpec, NodeSpec, SentinelSpec } from '../../sim/topology.ts'

export type AddressOf = (process: string) => Address

/** A redis.conf that redis-server and our data node both take. */
export function redisConf(spec: NodeSpec, folder: string, addressOf: AddressOf): string {
  const lines = [
    `port ${spec.port}`,
    `dir ${folder}`,
    // Every host is a stranger to every other one.
    'protected-mode no',
    // Nothing is kept on disk unless the scenario says so: both kinds of nodes are compared alike.
    'save ""',
    ...[...spec.directives].map(([name, value]) => `${name} ${value === '' ? '""' : value}`),
  ]
  if (spec.replicaOf !== undefined) {
    const { host, port } = addressOf(spec.replicaOf)
    lines.push(`replicaof ${host} ${port}`)
  }
  return `${lines.join('\n')}\n`
}

export function sentinelYml(
  spec: SentinelSpec,
  groups: readonly GroupSpec[],
  addressOf: AddressOf,
): string {
  const lines = [
    `port: ${spec.port}`,
    'bind: 0.0.0.0',
    'protected-mode: no',
    'groups:',
    ...groups.flatMap((group) => {
      const { host, port } = addressOf(group.master)
      return [
        `  ${JSON.stringify(group.name)}:`,
        `    master: ${host}:${port}`,
        `    quorum: ${group.quorum}`,
        `    down-after: ${group.downAfterMs}ms`,
        `    failover-timeout: ${group.failoverTimeoutMs}ms`,
        `    parallel-syncs: ${group.parallelSyncs}`,
        `    detection: ${group.detection}`,
        `    refused-after: ${group.refusedAfterMs}ms`,
      ]
    }),
  ]
  return `${lines.join('\n')}\n`
}

/** redis-sentinel writes what it learns into this very file. */
export function sentinelConf(
  spec: SentinelSpec,
  groups: readonly GroupSpec[],
  paths: { readonly folder: string; readonly addressOf: AddressOf },
): string {
  const lines = [
    `port ${spec.port}`,
    `dir ${paths.folder}`,
    'protected-mode no',
    ...groups.flatMap((group) => {
      const { host, port } = paths.addressOf(group.master)
      const { name } = group
      return [
        `sentinel monitor ${name} ${host} ${port} ${group.quorum}`,
        `sentinel down-after-milliseconds ${name} ${group.downAfterMs}`,
        `sentinel failover-timeout ${name} ${group.failoverTimeoutMs}`,
        `sentinel parallel-syncs ${name} ${group.parallelSyncs}`,
      ]
    }),
  ]
  return `${lines.join('\n')}\n`
}
