/**
 * A fleet moves, one Sentinel at a time, with applications writing all the while: three redis-sentinels,
 * whose configuration files they have rewritten themselves, are replaced by ours on the very same files,
 * and later, by way of export-conf, by redis-sentinels again. After each step a failover; no step loses
 * the group.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ioredis, NumberedWriter } from '../support/numbered-writer.ts'
import {
  agreedMaster,
  cli,
  follows,
  HAS_REDIS,
  masterField,
  masterPort,
  type Program,
  type RealCluster,
  sentinelOn,
  startCluster,
  until,
  vedette,
} from '../support/processes.ts'

const TIMES = { downAfterMs: 2_500, failoverTimeoutMs: 3_000 }
const BOUND_MS = 40_000

test.skipIf(!HAS_REDIS)(
  'needs redis-sentinel: a fleet under load moves to ours one by one, and back, with a failover after each step',
  async ({ onTestFinished }) => {
    const started = await startCluster({ hasRealNodes: true, realSentinels: 3, ...TIMES })
    const fleet = new Fleet(started)
    const writer = new NumberedWriter(ioredis(started.sentinels.map(({ port }) => port)))
    onTestFinished(async () => {
      writer.stop()
      await fleet.stop()
    })
    for (const at of [0, 1, 2]) {
      await fleet.replace(at, fleet.confOf(at), false)
      await fleet.failOver(at, writer)
    }
    for (const at of [0, 1, 2]) {
      await fleet.replace(at, await fleet.exported(at), true)
      await fleet.failOver(at, writer)
    }
    expect(fleet.lostIds).toEqual([])
  },
)

/** The cluster with Sentinels that change places. */
class Fleet {
  /** Ids of Sentinels that came back as somebody else. */
  readonly lostIds: string[] = []
  readonly #start: RealCluster
  readonly #sentinels: Program[]

  constructor(start: RealCluster) {
    this.#start = start
    this.#sentinels = [...start.sentinels]
  }

  /** The file a redis-sentinel was started with and has rewritten since. */
  confOf(at: number): string {
    return join(this.#start.folder, String(this.#at(at).port), 'sentinel.conf')
  }

  /** What export-conf makes of our Sentinel's file and state. */
  async exported(at: number): Promise<string> {
    const path = join(this.#start.folder, String(this.#at(at).port), 'exported.conf')
    const outcome = await vedette('export-conf', this.confOf(at), '--out', path)
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
    return path
  }

  /** Stops one Sentinel as its service would, and starts the other make in its place. */
  async replace(at: number, path: string, isRedis: boolean): Promise<void> {
    const old = this.#at(at)
    const [id] = cli(old.port, 'SENTINEL', 'MYID')
    old.signal('SIGTERM')
    await until(`${old.port} has ended`, 10_000, () => !old.isRunning)
    const next = sentinelOn(path, old.port, old.logPath, isRedis)
    this.#sentinels[at] = next
    next.start()
    await until(`${next.port} answers`, 10_000, () => masterPort(next) > 0)
    if (cli(next.port, 'SENTINEL', 'MYID')[0] !== id) this.lostIds.push(id ?? '')
    await this.#atRest(this.#master())
  }

  /** Led by the newcomer; the application goes on, and what it was promised is there. */
  async failOver(at: number, writer: NumberedWriter): Promise<void> {
    const sentinel = this.#at(at)
    const before = this.#master()
    await until(`${sentinel.port} takes the order`, BOUND_MS, () => {
      return cli(sentinel.port, 'SENTINEL', 'FAILOVER', 'mymaster')[0] === 'OK'
    })
    const promoted = await agreedMaster(this.#cluster(), before, BOUND_MS)
    const switchedAtMs = Date.now()
    await until('the application writes again', BOUND_MS, () => writer.firstAfter(switchedAtMs))
    await this.#atRest(promoted)
    await until('two replicas have all that was acknowledged', BOUND_MS, () => writer.replicated(2))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sentinels.map((sentinel) => sentinel.kill()))
    await this.#start.stop()
  }

  #at(at: number): Program {
    return this.#sentinels[at] as Program
  }

  #master(): number {
    return masterPort(this.#at(0))
  }

  #cluster(): RealCluster {
    return { ...this.#start, sentinels: this.#sentinels }
  }

  /** All name this master, know each other, could fail it over, and the nodes follow it. */
  async #atRest(master: number): Promise<void> {
    for (const node of this.#start.nodes.filter(({ port }) => port !== master)) {
      await until(`${node.port} follows ${master}`, BOUND_MS, () => follows(node, master))
    }
    const rest = [String(master), 'master', '2', '2']
    await until(`the fleet is at rest with ${master}`, BOUND_MS, () =>
      this.#sentinels.every((sentinel) => {
        const [quorum = ''] = cli(sentinel.port, 'SENTINEL', 'CKQUORUM', 'mymaster')
        return quorum.startsWith('OK 3 usable') && viewOf(sentinel).join() === rest.join()
      }),
    )
  }
}

function viewOf(sentinel: Program): readonly string[] {
  const fields = ['port', 'flags', 'num-other-sentinels', 'num-slaves']
  return fields.map((field) => masterField(sentinel, field))
}
