/**
 * Clusters whose nodes are known by a host of the test's choice: a name or an IPv6 address. They listen on
 * both loopback addresses, whichever a name means on this machine.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  agreedMaster,
  cli,
  follows,
  freePorts,
  Program,
  type RealCluster,
  sentinelOn,
  stopAll,
  until,
} from './processes.ts'
import { scratchFolder } from './scratch.ts'

export interface NamedPlan {
  /** The host of the master, as the replicas are told. */
  readonly host: string
  readonly nodeLines?: readonly string[]
  readonly sentinels: readonly NamedSentinel[]
  readonly downAfterMs?: number
}

export interface NamedSentinel {
  /** The host of the master, as the Sentinel is told. */
  readonly host: string
  readonly lines?: readonly string[]
  /** Whether it is Redis' own. */
  readonly isRedis?: boolean
}

/** A redis-server and two replicas of it, and Sentinels over them; settled. */
export async function startNamed(plan: NamedPlan): Promise<RealCluster> {
  const [a = 0, b = 0, c = 0, ...rest] = await freePorts(3 + plan.sentinels.length)
  const folder = scratchFolder('names')
  const nodes = [a, b, c].map((port) => redis(folder, port, port === a ? 0 : a, plan))
  const sentinels = plan.sentinels.map((one, at) => sentinel(folder, rest[at] ?? 0, a, one, plan))
  const cluster = {
    folder,
    nodes,
    sentinels,
    stop: () => stopAll(folder, [...nodes, ...sentinels]),
  }
  try {
    for (const one of [...nodes, ...sentinels]) one.start()
    await settle(cluster)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}

async function settle({ nodes, sentinels }: RealCluster): Promise<void> {
  const [master, ...replicas] = nodes
  for (const replica of replicas) {
    await until('the replicas are in sync', 15_000, () => follows(replica, master?.port ?? 0))
  }
  for (const one of sentinels) {
    await until('everybody knows everybody', 20_000, () => {
      const peers = cli(one.port, 'SENTINEL', 'SENTINELS', 'mymaster')
      const known = peers.filter((word) => word === 'runid').length
      return known === sentinels.length - 1 && replicaNames(one).length === replicas.length
    })
  }
}

/** Kills the master, and starts it again once another one has taken its place. */
export async function failOver(cluster: RealCluster, master: Program): Promise<number> {
  await master.kill()
  const promoted = await agreedMaster(cluster, master.port, 40_000)
  master.start()
  for (const node of cluster.nodes.filter(({ port }) => port !== promoted)) {
    await until('all follow the new master', 40_000, () => follows(node, promoted))
  }
  return promoted
}

function redis(folder: string, port: number, master: number, plan: NamedPlan): Program {
  const dir = join(folder, String(port))
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1 -::1',
    `dir ${dir}`,
    'save ""',
    'repl-diskless-sync-delay 0',
    ...(plan.nodeLines ?? []),
    ...(master === 0 ? [] : [`replicaof ${plan.host} ${master}`]),
  ]
  const path = write(dir, 'redis.conf', lines)
  return new Program(port, `${dir}.log`, 'redis-server', [path])
}

function sentinel(
  folder: string,
  port: number,
  master: number,
  { host, lines = [], isRedis = false }: NamedSentinel,
  { downAfterMs = 1_000 }: NamedPlan,
): Program {
  const dir = join(folder, String(port))
  const all = [
    `port ${port}`,
    'bind 127.0.0.1 -::1',
    `dir ${dir}`,
    ...lines,
    `sentinel monitor mymaster ${host} ${master} 2`,
    `sentinel down-after-milliseconds mymaster ${downAfterMs}`,
    'sentinel failover-timeout mymaster 3000',
  ]
  return sentinelOn(write(dir, 'sentinel.conf', all), port, `${dir}.log`, isRedis)
}

function write(dir: string, name: string, lines: readonly string[]): string {
  mkdirSync(dir)
  const path = join(dir, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** The master's address from every Sentinel, in its own words. */
export function told({ sentinels }: RealCluster): string[][] {
  return sentinels.map(({ port }) => cli(port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster'))
}

export function replicaNames({ port }: Program): string[] {
  const words = cli(port, 'SENTINEL', 'REPLICAS', 'mymaster')
  return words.filter((_, index) => words[index - 1] === 'name').sort()
}
