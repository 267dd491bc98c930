/**
 * An application in a network from which nobody reaches the addresses that the members have among themselves, as
 * outside of a NAT: a network namespace. It follows the master through a kill and through a planned switch, by the
 * addresses that it is told.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, type TestContext, test } from 'vitest'
import {
  agreedMaster,
  cli,
  freePorts,
  HAS_REDIS_CLI,
  MAIN,
  type Program,
  type RealCluster,
  startCluster,
  until,
} from '../support/processes.ts'

const NAMESPACE = `vedette-outside-${process.pid}`
const [HERE, THERE] = [`vo${process.pid % 10_000}h`, `vo${process.pid % 10_000}t`]
const NETWORK = '198.51.100.0/24'
const [DOOR, OUTSIDE] = ['198.51.100.1', '198.51.100.40']

function ip(...argv: string[]): boolean {
  return spawnSync('ip', argv).status === 0
}

/** False if this machine lets us make no namespaces. */
function makeOutside(): boolean {
  return (
    ip('netns', 'add', NAMESPACE) &&
    ip('link', 'add', HERE, 'type', 'veth', 'peer', 'name', THERE, 'netns', NAMESPACE) &&
    ip('addr', 'add', `${DOOR}/24`, 'dev', HERE) &&
    ip('link', 'set', HERE, 'up') &&
    ip('-n', NAMESPACE, 'addr', 'add', `${OUTSIDE}/24`, 'dev', THERE) &&
    ip('-n', NAMESPACE, 'link', 'set', THERE, 'up') &&
    ip('-n', NAMESPACE, 'link', 'set', 'lo', 'up')
  )
}

/** What runs outside: a stock client that writes a number every few milliseconds, and says each that was acknowledged. */
const APPLICATION = `
import { Redis } from 'ioredis'
const [host, ...ports] = process.argv.slice(1)
const redis = new Redis({
  sentinels: ports.map((port) => ({ host, port: Number(port) })), name: 'mymaster',
  failoverDetector: true, retryStrategy: () => 50, sentinelRetryStrategy: () => 50,
  maxRetriesPerRequest: null, connectTimeout: 500,
})
redis.on('error', () => undefined)
redis.on('end', () => redis.connect().catch(() => undefined))
setInterval(() => redis.incr('n').then((n) => {
  console.log(n + ' ' + redis.stream.remoteAddress + ':' + redis.stream.remotePort)
}, () => undefined), 5)
`

/** Another one, which asks for handoffs by itself: it says where each number was acknowledged, and every error. */
const MOVING_APPLICATION = `
import { createClient } from 'redis'
const [host, port] = process.argv.slice(1)
const client = createClient({ socket: { host, port: Number(port), reconnectStrategy: false }, RESP: 3 })
client.on('error', (error) => console.error(error.message))
await client.connect()
setInterval(() => client.multi().incr('n').addCommand(['CLIENT', 'INFO']).execAsPipeline().then(
  ([n, info]) => console.log(n + ' ' + /laddr=(\\S+)/.exec(info)[1]),
  (error) => console.error(error.message),
), 5)
`

/** A cluster whose members have other addresses in the namespace, which the Sentinels know. */
async function announcedCluster({ onTestFinished, skip }: TestContext): Promise<RealCluster> {
  onTestFinished(() => {
    ip('link', 'del', HERE)
    ip('netns', 'del', NAMESPACE)
  })
  if (!makeOutside()) return skip('no network namespaces here')
  const cluster = await startCluster({
    nodeLines: [`bind 127.0.0.1 ${DOOR}`, 'protected-mode no'],
    alsoOn: DOOR,
    sentinelLines: ['protected-mode: no'],
  })
  onTestFinished(() => cluster.stop())
  const members = [...cluster.nodes, ...cluster.sentinels]
  for (const { port } of cluster.sentinels) announceAll(port, members)
  return cluster
}

/** Starts a program outside. It is over with its first complaint. */
function startOutside({ onTestFinished }: TestContext, text: string, ...argv: string[]) {
  const words = [process.execPath, '--input-type=module', '-e', text, DOOR, ...argv]
  const application = spawn('ip', outside(...words))
  onTestFinished(() => void application.kill())
  const said = { last: '', complaints: '' }
  createInterface({ input: application.stdout }).on('line', (line) => {
    said.last = line
  })
  application.stderr.on('data', (text) => {
    said.complaints += text
  })
  const writesTo = (port: number) =>
    until(`the application writes to ${DOOR}:${port}`, 10_000, () => {
      const isThere = said.last.endsWith(` ${DOOR}:${port}`)
      return said.complaints === '' ? isThere : expect.fail(said.complaints)
    })
  return { writesTo, said }
}

test.skipIf(!HAS_REDIS_CLI)(
  'ioredis in another network follows the master by the addresses it is told (needs network namespaces)',
  async (context) => {
    const cluster = await announcedCluster(context)
    const ports = cluster.sentinels.map(({ port }) => String(port))
    const { writesTo } = startOutside(context, APPLICATION, ...ports)
    const master = cluster.nodes[0] as Program
    await writesTo(master.port)
    await readsFromReplicas(ports)
    await master.kill()
    const promoted = await agreedMaster(cluster, master.port, 10_000)
    await writesTo(promoted)
    expect(Number(cli(promoted, 'GET', 'n')[0])).toBeGreaterThan(0)
  },
)

test.skipIf(!HAS_REDIS_CLI)(
  'node-redis in another network is handed to the address that the coming master has there, without an error (needs network namespaces)',
  async (context) => {
    const cluster = await announcedCluster(context)
    const master = cluster.nodes[0] as Program
    const { writesTo, said } = startOutside(context, MOVING_APPLICATION, `${master.port}`)
    await writesTo(master.port)
    await until('a Sentinel takes the order', 20_000, () => {
      const [sentinel] = cluster.sentinels
      return cli(sentinel?.port ?? 0, 'SENTINEL', 'FAILOVER', 'mymaster', 'COORDINATED')[0] === 'OK'
    })
    const promoted = await agreedMaster(cluster, master.port, 20_000)
    await writesTo(promoted)
    expect(said.complaints).toBe('')
  },
)

/** A proxy outside: the replicas name their master by an address that it is not told, and may be read all the same. */
async function readsFromReplicas(sentinels: readonly string[]): Promise<void> {
  const [port = 0, readPort = 0] = await freePorts(2)
  const asked = sentinels.flatMap((one) => ['--sentinel', `${DOOR}:${one}`])
  const doors = ['--group', 'mymaster', '--port', `${port}`, '--read-port', `${readPort}`]
  const proxy = spawn('ip', outside(process.execPath, MAIN, 'proxy', ...asked, ...doors))
  try {
    await until('the proxy outside may read from both replicas', 20_000, () => {
      const argv = outside('redis-cli', '-p', `${readPort}`, 'PROXY', 'INFO')
      const { stdout } = spawnSync('ip', argv, { encoding: 'utf8' })
      return stdout.includes('readable_replicas=2')
    })
  } finally {
    proxy.kill()
  }
}

function outside(...argv: string[]): string[] {
  return ['netns', 'exec', NAMESPACE, ...argv]
}

/** As an operator does at run time: each member is reached outside at the same port of another host. */
function announceAll(sentinel: number, members: readonly Program[]): void {
  for (const { port } of members) {
    const words = [NETWORK, `127.0.0.1:${port}`, `${DOOR}:${port}`]
    const [answer] = cli(sentinel, 'SENTINEL', 'SET', 'mymaster', 'client-addresses', ...words)
    expect(answer).toBe('OK')
  }
}
