/** A whole cluster that uses nothing but TLS: data nodes and Sentinels, ours or Redis' own. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Pair, tlsLines } from './certificates.ts'
import { cli, freePorts, MAIN, Program, stopAll, until } from './processes.ts'

export type Kind = 'ours' | 'real'

/** The certificate of every process, and the authority that all trust. */
export interface Identity {
  readonly own: Pair
  readonly authority: Pair
}

export interface TlsCluster {
  readonly nodes: readonly Program[]
  readonly sentinels: readonly Program[]
  /** One reply as lines, over TLS. */
  ask(port: number, ...argv: string[]): string[]
  stop(): Promise<void>
}

/**
 * A redis-sentinel opens connections once a second; with a shorter time it takes the wait for a
 * failure.
 */
const DOWN_AFTER_MS = 2_500
/** Redis-sentinels often split their votes, and try again after twice this time. */
const FAILOVER_TIMEOUT_MS = 2_000

/**
 * Started and settled: replicas in sync, Sentinels knowing each other. The first node is the
 * master.
 */
export async function startTlsCluster(
  folder: string,
  identity: Identity,
  nodeKinds: readonly Kind[],
  sentinelKinds: readonly Kind[],
): Promise<TlsCluster> {
  const ports = await freePorts(nodeKinds.length + sentinelKinds.length)
  const [master = 0] = ports
  const nodes = nodeKinds.map((kind, index) =>
    tlsNode(folder, identity, kind, ports[index] ?? 0, index === 0 ? undefined : master),
  )
  const sentinels = sentinelKinds.map((kind, index) =>
    tlsSentinel(folder, identity, kind, ports[nodeKinds.length + index] ?? 0, master),
  )
  const programs = [...nodes, ...sentinels]
  const cluster: TlsCluster = {
    nodes,
    sentinels,
    ask: (port, ...argv) => askTls(identity, port, ...argv),
    stop: () => stopAll(join(folder, String(master)), programs),
  }
  try {
    for (const one of programs) one.start()
    await settle(cluster)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}

/** redis-cli with TLS. */
export function askTls({ own, authority }: Identity, port: number, ...argv: string[]): string[] {
  const tls = ['--tls', '--cacert', authority.cert, '--cert', own.cert, '--key', own.key]
  return cli(port, ...tls, ...argv)
}

/** A data node, not started yet; `masterPort` is undefined for a master. */
export function tlsNode(
  folder: string,
  { own, authority }: Identity,
  kind: Kind,
  port: number,
  masterPort: number | undefined,
): Program {
  const replicaOf = masterPort === undefined ? [] : [`replicaof 127.0.0.1 ${masterPort}`]
  const lines = ['save ""', 'repl-diskless-sync-delay 0', 'enable-debug-command yes', ...replicaOf]
  const path = write(folder, port, 'redis.conf', [...tlsLines(port, own, authority), ...lines])
  const argv = kind === 'ours' ? [process.execPath, MAIN, 'server'] : ['redis-server']
  return program(folder, port, [...argv, path])
}

/** A Sentinel, not started yet. */
export function tlsSentinel(
  folder: string,
  { own, authority }: Identity,
  kind: Kind,
  port: number,
  masterPort: number,
): Program {
  const path = write(folder, port, 'sentinel.conf', [
    ...tlsLines(port, own, authority),
    `sentinel monitor mymaster 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds mymaster ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout mymaster ${FAILOVER_TIMEOUT_MS}`,
  ])
  const argv = kind === 'ours' ? [process.execPath, MAIN, 'sentinel'] : ['redis-sentinel']
  return program(folder, port, [...argv, path])
}

/** The master that all running Sentinels name, once they agree and it is not the old one. */
export function agreedTlsMaster(
  cluster: TlsCluster,
  old: number,
  boundMs: number,
): Promise<number> {
  return until('all Sentinels name the same new master', boundMs, () => {
    const named = cluster.sentinels.map(({ port }) =>
      Number(cluster.ask(port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')[1]),
    )
    const [port] = named
    return named.every((one) => one === port) && port !== old && port
  })
}

/** Whether a node is a replica of that master and its link is up. */
export function followsTls(cluster: TlsCluster, port: number, masterPort: number): boolean {
  const [role, , master, state] = cluster.ask(port, 'ROLE')
  return role === 'slave' && master === String(masterPort) && state === 'connected'
}

async function settle(cluster: TlsCluster): Promise<void> {
  const [master, ...replicas] = cluster.nodes
  const wanted = { others: cluster.sentinels.length - 1, replicas: replicas.length }
  for (const { port } of cluster.sentinels) {
    await until(`${port} knows everybody`, 20_000, () => {
      const lines = cluster.ask(port, 'SENTINEL', 'MASTER', 'mymaster')
      const field = (name: string) => Number(lines[lines.indexOf(name) + 1])
      return (
        field('num-other-sentinels') === wanted.others && field('num-slaves') === wanted.replicas
      )
    })
  }
  for (const { port } of replicas) {
    const masterPort = master?.port ?? 0
    await until(`${port} is in sync`, 15_000, () => followsTls(cluster, port, masterPort))
  }
}

function write(folder: string, port: number, name: string, lines: readonly string[]): string {
  const dir = join(folder, String(port))
  mkdirSync(dir)
  const path = join(dir, name)
  writeFileSync(path, `${['bind 127.0.0.1', `dir ${dir}`, ...lines].join('\n')}\n`)
  return path
}

function program(folder: string, port: number, argv: readonly string[]): Program {
  const [command = '', ...rest] = argv
  return new Program(port, `${join(folder, String(port))}.log`, command, rest)
}
