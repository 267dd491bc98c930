/** What the tests of the proxy share: applications that write all the time, the proxy, and the faults they meet. */
import { join } from 'node:path'
import { ask } from '../support/adversary.ts'
import {
  agreedMaster,
  cli,
  follows,
  freePorts,
  MAIN,
  Program,
  type RealCluster,
  until,
} from '../support/processes.ts'

/** What a writing application met. */
export interface Met {
  readonly acknowledged: number
  readonly gapMs: number
  readonly errors: readonly string[]
}

/** Increments one key about a thousand times a second, whether answers come or not. */
export class Application {
  readonly #add: () => Promise<unknown>
  readonly #timer: NodeJS.Timeout
  #acknowledged = 0
  #open = 0
  #lastMs = performance.now()
  #gapMs = 0
  #errors: string[] = []

  constructor(add: () => Promise<unknown>) {
    this.#add = add
    this.#timer = setInterval(() => this.#once(), 1)
  }

  begin(): void {
    this.#gapMs = 0
    this.#errors = []
    this.#lastMs = performance.now()
  }

  met(): Met {
    return {
      acknowledged: this.#acknowledged,
      gapMs: Math.round(this.#gapMs),
      errors: this.#errors,
    }
  }

  /** Resolves when everything that was asked has an answer. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await until('every command has an answer', 20_000, () => this.#open === 0)
  }

  #once(): void {
    this.#open++
    this.#add()
      .then(
        () => {
          this.#acknowledged++
          const nowMs = performance.now()
          this.#gapMs = Math.max(this.#gapMs, nowMs - this.#lastMs)
          this.#lastMs = nowMs
        },
        (error: Error) => this.#errors.push(error.message),
      )
      .finally(() => this.#open--)
  }
}

export async function startProxy(
  cluster: RealCluster,
  more: readonly string[] = [],
): Promise<Program> {
  const [port = 0] = await freePorts(1)
  const sentinels = cluster.sentinels.flatMap((one) => ['--sentinel', `127.0.0.1:${one.port}`])
  const argv = [MAIN, 'proxy', ...sentinels, '--group', 'mymaster', '--port', `${port}`, ...more]
  const proxy = new Program(port, join(cluster.folder, `proxy-${port}.log`), process.execPath, argv)
  proxy.start()
  await until('the proxy leads to the master', 10_000, () => cli(port, 'PING')[0] === 'PONG')
  return proxy
}

/** The master's process, as the Sentinels name it. */
export async function masterOf(cluster: RealCluster): Promise<Program> {
  const port = await agreedMaster(cluster, 0, 20_000)
  return cluster.nodes.find((node) => node.port === port) as Program
}

/** Nodes that were down or hung follow again, so that the next fault has somewhere to go. */
export async function healed(cluster: RealCluster): Promise<Program> {
  const master = await masterOf(cluster)
  for (const node of cluster.nodes) {
    if (node === master) continue
    await until(`${node.port} follows`, 30_000, () => follows(node, master.port))
  }
  return master
}

/**
 * `begin` is called when all is well and the order is about to go out. From then on nothing here holds up an
 * application that lives in this process: redis-cli, which is waited for, would be part of its gap.
 */
export async function handOver(
  cluster: RealCluster,
  begin: () => void = () => undefined,
): Promise<void> {
  const before = await healed(cluster)
  const [sentinel] = cluster.sentinels
  begin()
  await until('a Sentinel takes the order', 20_000, async () => {
    const order = ['SENTINEL', 'FAILOVER', 'mymaster', 'COORDINATED']
    return (await ask(sentinel?.port ?? 0, ...order)) === 'OK'
  })
  await until('all Sentinels name the same new master', 20_000, async () => {
    const question = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster']
    const named = new Set(
      await Promise.all(cluster.sentinels.map(({ port }) => ask(port, ...question))),
    )
    return named.size === 1 && !named.has(`127.0.0.1 ${before.port}`)
  })
}
