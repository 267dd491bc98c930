/**
 * Nodes that live on IPv6, and nodes that are known by name: ours over redis-servers, with a failover.
 * The name is one every machine has in its hosts file.
 */
import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { failOver, replicaNames, startNamed, told } from '../support/named-cluster.ts'
import {
  cli,
  HAS_REDIS_CLI,
  HAS_REDIS_SERVER,
  type Program,
  type RealCluster,
} from '../support/processes.ts'

const HAS_ALL = HAS_REDIS_CLI && HAS_REDIS_SERVER
const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1')

describe.skipIf(!HAS_ALL || !HAS_IPV6)('on IPv6', () => {
  test('a master on ::1 is replaced, and returns as a replica', async ({ onTestFinished }) => {
    const cluster = await startNamed({ host: '::1', sentinels: three('::1', []) })
    onTestFinished(() => cluster.stop())
    const [master, ...replicas] = cluster.nodes as [Program, Program, Program]
    const names = replicas.map(({ port }) => `[::1]:${port}`).sort()
    for (const one of cluster.sentinels) expect(replicaNames(one)).toEqual(names)

    const promoted = await failOver(cluster, master)
    expectAll(cluster, '::1', promoted)
    const change = `+switch-master mymaster ::1 ${master.port} ::1 ${promoted}`
    for (const one of cluster.sentinels) expect(one.log()).toContain(change)
  })
})

describe.skipIf(!HAS_ALL)('by name', () => {
  const nodeLines = ['replica-announce-ip localhost']
  const resolve = ['sentinel resolve-hostnames yes']

  test('with announce-hostnames a master is replaced, and everything is told by name', async ({
    onTestFinished,
  }) => {
    const lines = [...resolve, 'sentinel announce-hostnames yes', 'sentinel announce-ip localhost']
    const sentinels = three('localhost', lines)
    const cluster = await startNamed({ host: 'localhost', nodeLines, sentinels })
    onTestFinished(() => cluster.stop())
    const [master, ...replicas] = cluster.nodes as [Program, Program, Program]
    expectAll(cluster, 'localhost', master.port)
    const names = replicas.map(({ port }) => `localhost:${port}`).sort()
    for (const one of cluster.sentinels) expect(replicaNames(one)).toEqual(names)

    for (const one of cluster.sentinels) {
      expect(hostsOf(cli(one.port, 'SENTINEL', 'SENTINELS', 'mymaster'))).toEqual(BOTH_BY_NAME)
    }

    const promoted = await failOver(cluster, master)
    expectAll(cluster, 'localhost', promoted)
    expect(cli(master.port, 'ROLE').slice(0, 3)).toEqual(['slave', 'localhost', String(promoted)])
  })

  test('without it the names of the file are told as addresses', async ({ onTestFinished }) => {
    const sentinels = three('localhost', resolve)
    const cluster = await startNamed({ host: 'localhost', nodeLines, sentinels })
    onTestFinished(() => cluster.stop())
    const [master] = cluster.nodes as [Program]
    const [[ip = ''] = []] = told(cluster)
    expect(ip).toMatch(/^(127\.0\.0\.1|::1)$/)

    const promoted = await failOver(cluster, master)
    expectAll(cluster, ip, promoted)
    expect(cli(master.port, 'ROLE').slice(0, 3)).toEqual(['slave', ip, String(promoted)])
  })
})

const BOTH_BY_NAME = ['localhost', 'localhost']

/** The `ip` fields of a list of instances. */
function hostsOf(words: readonly string[]): string[] {
  return words.filter((_, index) => words[index - 1] === 'ip')
}

function three(host: string, lines: readonly string[]) {
  return [1, 2, 3].map(() => ({ host, lines }))
}

function expectAll(cluster: RealCluster, host: string, port: number): void {
  for (const one of told(cluster)) expect(one).toEqual([host, String(port)])
}
