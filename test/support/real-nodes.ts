/** Real servers on the loopback interface: ours, and Redis' own if it is installed. */

import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { Redis } from 'ioredis'
import { createRng } from '../../src/base/rng.ts'
import { NodeFiles } from '../../src/io/files/node-files.ts'
import { bareLogger } from '../../src/io/log/bare-logger.ts'
import { NodeHost } from '../../src/io/node-host.ts'
import { readClock } from '../../src/io/process/clock.ts'
import { DataNode } from '../../src/server/node.ts'
import type { NodePort } from '../../src/server/port.ts'
import { Settings } from '../../src/server/settings/settings.ts'
import { freePorts } from './free-ports.ts'
import { isInstalled } from './processes.ts'
import { scratchFolder } from './scratch.ts'
import { until } from './until.ts'

export const HOST = '127.0.0.1'
const REDIS_SERVER = 'redis-server'
export const hasRedisServer = isInstalled(REDIS_SERVER)

/** A server under test, and a client of it. */
export interface RealNode {
  readonly port: number
  readonly client: Redis
  /** How many full and partial resynchronisations it has served. */
  syncs(): Promise<[full: number, partial: number]>
  stop(): Promise<void>
}

export async function startOurs(directives: Record<string, string> = {}): Promise<RealNode> {
  let host: NodeHost | undefined
  const server = createServer((socket) => host?.accept(socket))
  const port = await listen(server, Number(directives.port ?? (await freePorts(1))[0]))
  const settings = new Settings()
  const logs: string[] = []
  const dir = scratchFolder('node')
  const all = { port: String(port), dir, save: '', ...directives }
  for (const [name, value] of Object.entries(all)) settings.load(name, [value])
  let started: () => void = () => undefined
  const isStarted = new Promise<void>((resolve) => {
    started = resolve
  })
  host = new NodeHost({
    createNode: (nodePort: NodePort) =>
      new DataNode({
        settings,
        port: nodePort,
        rng: createRng(`node ${port}`),
        now: readClock(),
        hasConfigFile: false,
      }),
    logger: bareLogger((_level, text) => logs.push(text)),
    saveSettings: () => undefined,
    files: new NodeFiles(() => settings.text('dir')),
    onReady: () => started(),
    onExit: () => started(),
  })
  // Its data are loaded, or it has given up.
  await isStarted
  const client = newClient(port)
  const count = (text: string) => logs.filter((line) => line.includes(text)).length
  return {
    port,
    client,
    syncs: async () => [count('needs a full copy'), count('continues from')],
    async stop() {
      client.disconnect()
      server.close()
      host.exit(0)
    },
  }
}

export async function startRedis(directives: Record<string, string> = {}): Promise<RealNode> {
  const directory = scratchFolder('redis')
  const port = Number(directives.port ?? (await freePorts(1))[0])
  const all = { port: String(port), bind: HOST, dir: directory, save: '', ...directives }
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, ...value.split(' ')])
  const child = spawn(REDIS_SERVER, args, { stdio: 'ignore' })
  const client = newClient(port)
  await until(async () => (await client.ping()) === 'PONG')
  return {
    port,
    client,
    async syncs() {
      const text = await client.info('stats')
      const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text)?.[1])
      return [field('sync_full'), field('sync_partial_ok')]
    },
    async stop() {
      client.disconnect()
      await ended(child)
      rmSync(directory, { recursive: true })
    },
  }
}

/** A field of INFO replication. */
export async function replicationField(node: RealNode, field: string): Promise<string | undefined> {
  const text = await node.client.info('replication')
  const line = text.split('\r\n').find((candidate) => candidate.startsWith(`${field}:`))
  return line?.slice(field.length + 1)
}

function newClient(port: number): Redis {
  const client = new Redis({
    host: HOST,
    port,
    protocol: 2,
    retryStrategy: () => 50,
    maxRetriesPerRequest: 100,
    enableReadyCheck: false,
  })
  // Connections are refused while the server starts; real failures show in the test itself.
  client.on('error', () => undefined)
  return client
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: HOST, port }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}
