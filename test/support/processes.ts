/**
 * Real processes on loopback, for tests that must not take the simulator's word: the built programs,
 * their state in a temporary folder, free ports, and waiting on conditions with a bound.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

export const HAS_REDIS_CLI = isInstalled('redis-cli')
export const HAS_REDIS_SERVER = isInstalled('redis-server')
export const HAS_REDIS_SENTINEL = isInstalled('redis-sentinel')

/** Waits for a condition; the error says what never came true. */
export async function until<T>(
  claim: string,
  boundMs: number,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const endMs = Date.now() + boundMs
  let lastError: unknown
  for (;;) {
    try {
      const value = await probe()
      if (value !== undefined && value !== false) return value
    } catch (error) {
      lastError = error
    }
    if (Date.now() > endMs) throw new Error(`not within ${boundMs} ms: ${claim} ${lastError ?? ''}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** redis-cli as an operator uses it; one reply as lines. */
export function cli(port: number, ...argv: string[]): string[] {
  const output = execFileSync('redis-cli', ['-p', String(port), ...argv], {
    encoding: 'utf8',
    timeout: 5_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return output.trimEnd().split('\n')
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, '127.0.0.1', () => {
            const address = server.address()
            resolve(typeof address === 'object' && address !== null ? address.port : 0)
          }),
        ),
    ),
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/** One program that can be started again with what it left on disk. */
export class Program {
  readonly port: number
  readonly logPath: string
  readonly #command: string
  readonly #argv: readonly string[]
  #child: ChildProcess | undefined

  constructor(port: number, logPath: string, command: string, argv: readonly string[]) {
    this.port = port
    this.logPath = logPath
    this.#command = command
    this.#argv = argv
  }

  start(): void {
    const child = spawn(this.#command, this.#argv, { stdio: ['ignore', 'pipe', 'pipe'] })
    const log = createWriteStream(this.logPath, { flags: 'a' })
    child.stdout?.pipe(log, { end: false })
    child.stderr?.pipe(log, { end: false })
    child.once('exit', () => log.end())
    this.#child = child
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name)
  }

  /** Ends it at once and waits for the kernel to have taken it away. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  log(): string {
    return readFileSync(this.logPath, 'utf8')
  }
}

export interface RealCluster {
  readonly folder: string
  readonly nodes: readonly Program[]
  readonly sentinels: readonly Program[]
  stop(): Promise<void>
}

export interface ClusterPlan {
  readonly replicas?: number
  readonly sentinels?: number
  readonly quorum?: number
  readonly downAfterMs?: number
  /** More lines for every node's redis.conf. */
  readonly nodeLines?: readonly string[]
}

/** A whole cluster of our own programs, settled: replicas in sync, Sentinels acquainted. */
export async function startCluster(plan: ClusterPlan = {}): Promise<RealCluster> {
  const { replicas = 2, sentinels = 3, quorum = 2, downAfterMs = 1_000, nodeLines = [] } = plan
  const folder = mkdtempSync(join(tmpdir(), 'vedette-test-'))
  const ports = await freePorts(1 + replicas + sentinels)
  const nodePorts = ports.slice(0, 1 + replicas)
  const nodes = nodePorts.map((port, index) => {
    const lines = [`port ${port}`, 'bind 127.0.0.1', 'enable-debug-command yes', ...nodeLines]
    if (index > 0) lines.push(`replicaof 127.0.0.1 ${nodePorts[0]}`)
    return program(folder, 'server', port, `${port}.conf`, lines.join('\n'))
  })
  const peers = ports.slice(1 + replicas).map((port) => {
    const text = sentinelYml(port, nodePorts[0] as number, quorum, downAfterMs)
    return program(folder, 'sentinel', port, `${port}.yml`, text)
  })
  for (const one of [...nodes, ...peers]) one.start()
  const cluster = {
    folder,
    nodes,
    sentinels: peers,
    stop: () => stopAll(folder, [...nodes, ...peers]),
  }
  await settled(cluster, sentinels, replicas).catch(async (error) => {
    await cluster.stop()
    throw error
  })
  return cluster
}

export async function stopAll(folder: string, programs: readonly Program[]): Promise<void> {
  await Promise.all(programs.map((one) => one.kill()))
  rmSync(folder, { recursive: true, force: true })
}

/** Where a Sentinel says the master is. */
export function masterPort(sentinel: Program): number {
  return Number(cli(sentinel.port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')[1])
}

/** One field of a SENTINEL MASTER reply. */
export function masterField(sentinel: Program, field: string): string {
  const lines = cli(sentinel.port, 'SENTINEL', 'MASTER', 'mymaster')
  return lines[lines.indexOf(field) + 1] ?? ''
}

async function settled(cluster: RealCluster, sentinels: number, replicas: number): Promise<void> {
  for (const sentinel of cluster.sentinels) {
    await until(`${sentinel.port} knows everybody`, 15_000, () => {
      const known = masterField(sentinel, 'num-other-sentinels') === String(sentinels - 1)
      return known && masterField(sentinel, 'num-slaves') === String(replicas)
    })
  }
  for (const replica of cluster.nodes.slice(1)) {
    await until(
      `${replica.port} is in sync`,
      15_000,
      () => cli(replica.port, 'ROLE')[3] === 'connected',
    )
  }
}

function program(folder: string, kind: string, port: number, file: string, text: string): Program {
  mkdirSync(join(folder, String(port)))
  const path = join(folder, String(port), file)
  writeFileSync(path, `${text}\n`)
  return new Program(port, join(folder, `${port}.log`), process.execPath, [MAIN, kind, path])
}

function sentinelYml(port: number, master: number, quorum: number, downAfterMs: number): string {
  return [
    `port: ${port}`,
    'bind: 127.0.0.1',
    'groups:',
    '  mymaster:',
    `    master: 127.0.0.1:${master}`,
    `    quorum: ${quorum}`,
    `    down-after: ${downAfterMs}`,
  ].join('\n')
}

function isInstalled(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined
}
