/**
 * Real processes on loopback, for tests that must not trust the simulator: the built programs and
 * Redis' own, their state in a temporary folder, free ports, and waiting on conditions with a bound.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from './free-ports.ts'
import { scratchFolder } from './scratch.ts'

export { freePorts } from './free-ports.ts'

/** The built program. */
export const MAIN = fileURLToPath(new URL('../../dist/launch/vedette.cjs', import.meta.url))

export const HAS_REDIS_CLI = isInstalled('redis-cli')
export const HAS_REDIS_SERVER = isInstalled('redis-server')
export const HAS_REDIS_SENTINEL = isInstalled('redis-sentinel')
/** All three of them. */
export const HAS_REDIS = HAS_REDIS_CLI && HAS_REDIS_SERVER && HAS_REDIS_SENTINEL

/** Programs that a test could not end are ended with the test process. */
const running = new Set<ChildProcess>()
for (const event of ['exit', 'disconnect', 'SIGTERM'] as const) process.once(event, endAll)

function endAll(reason: unknown): void {
  for (const child of running) child.kill('SIGKILL')
  // Vitest ends its workers with this signal; our handler only runs before its default action.
  if (reason === 'SIGTERM') process.kill(process.pid, 'SIGTERM')
}

/** Waits for a condition; the error names the claim that never came true. */
export async function until<T>(
  claim: string,
  boundMs: number,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const startMs = Date.now()
  let lastError: unknown
  for (;;) {
    try {
      const value = await probe()
      if (value !== undefined && value !== false) return value
    } catch (error) {
      lastError = error
    }
    const waitedMs = Date.now() - startMs
    if (waitedMs > boundMs) throw new Error(`not within ${boundMs} ms: ${claim} ${lastError ?? ''}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs(waitedMs)))
  }
}

/** Many probes start a program: probing too often would slow down what we wait for. */
function pauseMs(waitedMs: number): number {
  return Math.min(100, Math.max(20, waitedMs / 10))
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

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end, which must come within the bound. */
export async function run(
  command: string,
  argv: readonly string[],
  boundMs = 10_000,
): Promise<Outcome> {
  const child = track(
    spawn(command, argv, {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: boundMs,
      killSignal: 'SIGKILL',
    }),
  )
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text
    })
  }
  await new Promise((resolve) => child.once('close', resolve))
  return { status: child.exitCode, ...output }
}

/** The built program, run to its end. */
export function vedette(...argv: string[]): Promise<Outcome> {
  return run(process.execPath, [MAIN, ...argv])
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

  /** The folder of its configuration and state. */
  get folder(): string {
    return this.logPath.replace(/\.log$/, '')
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Redis' own program, not ours. */
  get isRedis(): boolean {
    return this.#command !== process.execPath
  }

  get isRunning(): boolean {
    const child = this.#child
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** The exit code, if the process has ended by itself. */
  get exitCode(): number | null {
    return this.#child?.exitCode ?? null
  }

  start(): void {
    // Its own folder, with the files it keeps and finds.
    const cwd = existsSync(this.folder) ? this.folder : dirname(this.logPath)
    // Straight into the file: this process waits for its probes, for seconds on a busy machine, and would
    // pass on late what a program has said.
    const log = openSync(this.logPath, 'a')
    this.#child = track(spawn(this.#command, this.#argv, { stdio: ['ignore', log, log], cwd }))
    closeSync(log)
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name)
  }

  /** Kills it and waits until the kernel has removed it. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || !this.isRunning) return
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
  readonly failoverTimeoutMs?: number
  /** [http-port] One for each program, the nodes first; with the lines below for the Sentinels. */
  readonly httpPorts?: readonly number[]
  /** Where the Sentinels listen beside 127.0.0.1. */
  readonly alsoOn?: string
  /** More lines for every Sentinel's sentinel.yml. */
  readonly sentinelLines?: readonly string[]
  /** [replication: strict] All nodes are voters. */
  readonly isStrict?: boolean
  /** More lines for every node's redis.conf. */
  readonly nodeLines?: readonly string[]
  /** Data nodes are Redis' own. */
  readonly hasRealNodes?: boolean
  /** How many of the Sentinels, counted from the last, are Redis' own. */
  readonly realSentinels?: number
}

/**
 * A whole cluster, settled: replicas in sync, Sentinels knowing each other. Ours unless the plan says
 * otherwise.
 */
export async function startCluster(plan: ClusterPlan = {}): Promise<RealCluster> {
  const { replicas = 2, sentinels = 3, realSentinels = 0 } = plan
  const ports = await freePorts(1 + replicas + sentinels)
  const master = ports[0] as number
  const folder = scratchFolder('test')
  const nodes = ports.slice(0, 1 + replicas).map((port, index) => {
    const replicaOf = index === 0 ? [] : [`replicaof 127.0.0.1 ${master}`]
    const create = plan.hasRealNodes ? realNode : node
    const http = httpLine(plan, index, ' ')
    const strict = plan.isStrict ? ['sync-replication yes'] : []
    return create(folder, port, [...(plan.nodeLines ?? []), ...strict, ...http, ...replicaOf])
  })
  const peers = ports.slice(1 + replicas).map((port, index) => {
    const create = index >= sentinels - realSentinels ? realSentinel : sentinel
    const lines = [...httpLine(plan, 1 + replicas + index, ': '), ...(plan.sentinelLines ?? [])]
    const voters = plan.isStrict ? ports.slice(0, 1 + replicas) : []
    return create(folder, port, { ...plan, master, lines, voters })
  })
  const programs = [...nodes, ...peers]
  const cluster = { folder, nodes, sentinels: peers, stop: () => stopAll(folder, programs) }
  try {
    for (const one of programs) one.start()
    await settled(cluster)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}

function httpLine({ httpPorts }: ClusterPlan, index: number, sign: string): string[] {
  const port = httpPorts?.[index]
  return port === undefined ? [] : [`http-port${sign}${port}`]
}

export async function stopAll(folder: string, programs: readonly Program[]): Promise<void> {
  await Promise.all(programs.map((one) => one.kill()))
  rmSync(folder, { recursive: true, force: true })
}

/**
 * Writes a key and waits until the replicas have it. WAIT does not help here: redis-cli opens a
 * connection for each command, and a connection that has written nothing has nothing to wait for.
 */
export async function writeThrough(
  master: Program,
  replicas: readonly Program[],
  key: string,
  value: string,
): Promise<void> {
  cli(master.port, 'SET', key, value)
  for (const { port } of replicas) {
    await until(`${port} has ${key}`, 10_000, () => cli(port, 'GET', key)[0] === value)
  }
}

/** The port of the master that a Sentinel names. */
export function masterPort(sentinel: Program): number {
  return Number(cli(sentinel.port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')[1])
}

/** The master that all running Sentinels name, once they agree and it is not the old one. */
export function agreedMaster(
  cluster: RealCluster,
  old = cluster.nodes[0]?.port,
  boundMs = 5_000,
): Promise<number> {
  return until('all Sentinels name the same new master', boundMs, () => {
    const ports = new Set(cluster.sentinels.filter((one) => one.isRunning).map(masterPort))
    const [port] = ports
    return ports.size === 1 && port !== old && port
  })
}

/** One field of a SENTINEL MASTER reply. */
export function masterField(sentinel: Program, field: string): string {
  const lines = cli(sentinel.port, 'SENTINEL', 'MASTER', 'mymaster')
  return lines[lines.indexOf(field) + 1] ?? ''
}

/** Whether a node is a replica of that master and its link is up. */
export function follows(node: Program, masterPort: number): boolean {
  const [role, , port, state] = cli(node.port, 'ROLE')
  return role === 'slave' && port === String(masterPort) && state === 'connected'
}

/** All Sentinels know each other, and the replicas are in sync. */
export async function settled(cluster: RealCluster): Promise<void> {
  const [master, ...replicas] = cluster.nodes
  const others = String(cluster.sentinels.length - 1)
  for (const sentinel of cluster.sentinels) {
    await until(`${sentinel.port} knows everybody`, 15_000, () => {
      const known = masterField(sentinel, 'num-other-sentinels') === others
      return known && masterField(sentinel, 'num-slaves') === String(replicas.length)
    })
  }
  for (const replica of replicas) {
    await until(`${replica.port} is in sync`, 15_000, () => follows(replica, master?.port ?? 0))
  }
}

/** One of our data nodes, not started yet. */
export function node(folder: string, port: number, lines: readonly string[] = []): Program {
  const dir = join(folder, String(port))
  const path = writeConfig(folder, port, 'redis.conf', [...nodeLines(port), `dir ${dir}`, ...lines])
  return new Program(port, `${dir}.log`, process.execPath, [MAIN, 'server', path])
}

function realNode(folder: string, port: number, lines: readonly string[]): Program {
  const dir = join(folder, String(port))
  const path = writeConfig(folder, port, 'redis.conf', [...nodeLines(port), `dir ${dir}`, ...lines])
  return new Program(port, `${dir}.log`, 'redis-server', [path])
}

/** Lines that our nodes and Redis' own both understand. */
function nodeLines(port: number): string[] {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    'save ""',
    'enable-debug-command yes',
    // By default a master waits five seconds for more replicas to arrive before it sends a copy.
    'repl-diskless-sync-delay 0',
  ]
}

export interface Watch {
  readonly master: number
  readonly quorum?: number
  readonly downAfterMs?: number
  readonly failoverTimeoutMs?: number
  /** Where it listens beside 127.0.0.1. */
  readonly alsoOn?: string
  /** More lines for sentinel.yml. */
  readonly lines?: readonly string[]
  /** [replication: strict] Their ports. */
  readonly voters?: readonly number[]
}

function localName(port: number): string {
  return `"127.0.0.1:${port}"`
}

/** One of our Sentinels, not started yet. */
export function sentinel(folder: string, port: number, watch: Watch): Program {
  const { master, quorum = 2, downAfterMs = 1_000, failoverTimeoutMs = 180_000 } = watch
  const { voters = [] } = watch
  const path = writeConfig(folder, port, 'sentinel.yml', [
    `port: ${port}`,
    `bind: [127.0.0.1${watch.alsoOn === undefined ? '' : `, ${watch.alsoOn}`}]`,
    ...(watch.lines ?? []),
    'groups:',
    '  mymaster:',
    `    master: 127.0.0.1:${master}`,
    `    quorum: ${quorum}`,
    `    down-after: ${downAfterMs}`,
    `    failover-timeout: ${failoverTimeoutMs}`,
    ...(voters.length === 0 ? [] : ['    replication: strict']),
    ...(voters.length === 0 ? [] : [`    voters: [${voters.map(localName).join(', ')}]`]),
  ])
  return new Program(port, `${join(folder, String(port))}.log`, process.execPath, [
    MAIN,
    'sentinel',
    path,
  ])
}

/** One of our Sentinels, or Redis' own, on a sentinel.conf that is there already; not started yet. */
export function sentinelOn(path: string, port: number, logPath: string, isRedis: boolean): Program {
  return isRedis
    ? new Program(port, logPath, 'redis-sentinel', [path])
    : new Program(port, logPath, process.execPath, [MAIN, 'sentinel', path])
}

function realSentinel(folder: string, port: number, watch: Watch): Program {
  const { master, quorum = 2, downAfterMs = 1_000, failoverTimeoutMs = 180_000 } = watch
  const dir = join(folder, String(port))
  const path = writeConfig(folder, port, 'sentinel.conf', [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `sentinel monitor mymaster 127.0.0.1 ${master} ${quorum}`,
    `sentinel down-after-milliseconds mymaster ${downAfterMs}`,
    `sentinel failover-timeout mymaster ${failoverTimeoutMs}`,
  ])
  return new Program(port, `${dir}.log`, 'redis-sentinel', [path])
}

function writeConfig(folder: string, port: number, name: string, lines: readonly string[]): string {
  const dir = join(folder, String(port))
  mkdirSync(dir)
  writeFileSync(join(dir, name), `${lines.join('\n')}\n`)
  return join(dir, name)
}

function track<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

export function isInstalled(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined
}
