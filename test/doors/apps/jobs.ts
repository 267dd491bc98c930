/**
 * BullMQ: queues with priorities, delays, retries and progress, flows, rate limits and repeated jobs; and
 * two workers that work off orders while the master dies. A job may be done twice if a worker had it in hand
 * and lost its master, which BullMQ says of itself; never lost once a replica has it.
 */
import { FlowProducer, Queue, QueueEvents, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { until } from '../../support/processes.ts'
import { type Application, type LongWork, pause, Repeated } from './application.ts'
import { type Deployment, ioredisOptions } from './deployment.ts'

/** A worker that does not renew them owns its jobs for so long: longer than a busy machine stands still. */
const LOCK_MS = 10_000
const STALLED_MS = 400
/** How long before the death of its master a job may have ended and be done again. */
const IN_HAND_MS = 1_500
const PATIENCE_MS = 30_000

export const jobs: Application = {
  name: 'BullMQ',
  use: async (place) => ({
    states: await atDesk(place, states),
    flow: await atDesk(place, flow),
    limited: await atDesk(place, limited),
    repeated: await atDesk(place, repeated),
  }),
  begin: (place) => Orders.begin(place),
}

/** Connections that are closed when the work is over. */
class Desk {
  readonly #connections: { close(): Promise<unknown> }[] = []
  readonly #place: Deployment

  constructor(place: Deployment) {
    this.#place = place
  }

  get connection() {
    return ioredisOptions(this.#place)
  }

  add<Part extends { close(): Promise<unknown> }>(part: Part): Part {
    this.#connections.unshift(part)
    if ('on' in part) (part as unknown as Worker).on('error', () => undefined)
    return part
  }

  async close(): Promise<void> {
    for (const one of this.#connections) await one.close()
  }
}

async function atDesk(place: Deployment, work: (desk: Desk) => Promise<unknown>): Promise<unknown> {
  const desk = new Desk(place)
  try {
    return await work(desk)
  } finally {
    await desk.close()
  }
}

async function states(desk: Desk): Promise<unknown> {
  const { connection } = desk
  const queue = desk.add(new Queue('states', { connection }))
  const events = desk.add(new QueueEvents('states', { connection }))
  await events.waitUntilReady()
  const seen: string[] = []
  await queue.pause()
  await queue.add('third', {}, { priority: 3 })
  await queue.add('first', {})
  await queue.add('second', {}, { priority: 1 })
  await queue.add('fails once', {}, { attempts: 3, backoff: 10, priority: 5 })
  await queue.add('fails', {}, { attempts: 2, priority: 6 })
  await queue.add('later', {}, { delay: 100 })
  await queue.addBulk([1, 2, 3].map((n) => ({ name: 'bulk', data: { n }, opts: { priority: 9 } })))
  const before = await queue.getJobCounts()
  const work = async (job: { name: string; attemptsMade: number }) => {
    seen.push(job.name)
    if (job.name === 'fails' || (job.name === 'fails once' && job.attemptsMade === 0)) {
      throw new Error('on purpose')
    }
    return job.name.length
  }
  const worker = desk.add(new Worker('states', work, { connection }))
  await queue.resume()
  await until('all jobs are done', PATIENCE_MS, async () => {
    const { completed, failed } = await queue.getJobCounts()
    return completed === 8 && failed === 1
  })
  const failed = await queue.getFailed()
  const kept = await queue.getCompleted()
  const facts = {
    before,
    // What is delayed or waits for its next attempt comes at a time of its own.
    inOrder: seen.filter((name) => !/fails|later/.test(name)),
    count: seen.length,
    failed: failed.map(({ name, failedReason, attemptsMade }) => [
      name,
      failedReason,
      attemptsMade,
    ]),
    results: kept.map(({ name, returnvalue }) => `${name}=${returnvalue}`).sort(),
    retried: await failed[0]?.retry().then(() => 'ok'),
    metrics: (await queue.getMetrics('completed')).meta.count,
    cleaned: (await queue.clean(0, 100, 'completed')).length,
  }
  await worker.close()
  await queue.obliterate({ force: true })
  const redis = new Redis(connection)
  desk.add({ close: async () => redis.disconnect() })
  const left = await redis.keys('bull:states:*')
  return { ...facts, left: left.sort() }
}

async function flow(desk: Desk): Promise<unknown> {
  const { connection } = desk
  const queueName = 'flow'
  const queue = desk.add(new Queue(queueName, { connection }))
  const producer = desk.add(new FlowProducer({ connection }))
  const seen: string[] = []
  desk.add(
    new Worker(
      queueName,
      async (job) => {
        seen.push(job.name)
        const values = await job.getChildrenValues<number>()
        return Object.values(values).reduce((sum, value) => sum + value, 1)
      },
      { connection },
    ),
  )
  const leaf = (name: string) => ({ name, queueName, data: {} })
  const children = [{ ...leaf('middle'), children: [leaf('a'), leaf('b')] }, leaf('c')]
  const tree = await producer.add({ ...leaf('top'), children })
  const { id = '' } = tree.job
  await until('the flow is done', PATIENCE_MS, () => tree.job.isCompleted())
  const result = (await queue.getJob(id))?.returnvalue
  const dependencies = await tree.job.getDependenciesCount()
  return { result, dependencies, last: seen.at(-1), count: seen.length }
}

async function limited(desk: Desk): Promise<unknown> {
  const { connection } = desk
  const queue = desk.add(new Queue('limited', { connection }))
  await queue.addBulk(Array.from({ length: 9 }, (_, n) => ({ name: 'one', data: { n } })))
  const moments: number[] = []
  const take = async () => void moments.push(performance.now())
  desk.add(new Worker('limited', take, { connection, limiter: { max: 3, duration: 250 } }))
  await until('the limited jobs are done', PATIENCE_MS, () => moments.length === 9)
  await desk.close()
  const [first = 0, last = 0] = [moments[0], moments.at(-1)]
  // Three windows: the last one begins two durations after the first.
  return { tookLongEnough: last - first > 450, count: moments.length }
}

async function repeated(desk: Desk): Promise<unknown> {
  const { connection } = desk
  const queue = desk.add(new Queue('repeated', { connection }))
  await queue.upsertJobScheduler('tick', { every: 150 }, { name: 'tick', data: { from: 'one' } })
  await queue.upsertJobScheduler('daily', { pattern: '0 3 * * *' }, { name: 'daily' })
  let ticks = 0
  desk.add(new Worker('repeated', async () => void ticks++, { connection }))
  await until('it has ticked', PATIENCE_MS, () => ticks >= 4)
  const schedulers = await queue.getJobSchedulers()
  const facts = {
    schedulers: schedulers.map(({ key, every, pattern }) => [key, every, pattern]).sort(),
    removed: await queue.removeJobScheduler('tick'),
    removedTwice: await queue.removeJobScheduler('tick'),
  }
  return facts
}

/** Orders that are put in all the time, and carried out by two workers. */
class Orders implements LongWork {
  readonly #desk: Desk
  readonly #queue: Queue
  readonly #producer: Repeated
  readonly #waiting: Redis
  /** Orders that a replica has. */
  readonly #kept = new Set<number>()
  /** When each order was carried out. */
  readonly #done = new Map<number, number[]>()
  readonly #deaths: number[] = []

  static async begin(place: Deployment): Promise<Orders> {
    const orders = new Orders(place)
    await until('orders are carried out', PATIENCE_MS, () => orders.successes > 10)
    return orders
  }

  private constructor(place: Deployment) {
    this.#desk = new Desk(place)
    const { connection } = this.#desk
    this.#waiting = new Redis(connection)
    this.#waiting.on('error', () => undefined)
    this.#queue = this.#desk.add(new Queue('orders', { connection: this.#waiting }))
    const options = {
      connection,
      concurrency: 4,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_MS,
      maxStalledCount: 20,
    }
    for (const _ of [1, 2]) {
      const work = async ({ data }: { data: { n: number } }) => {
        await pause(5)
        this.#done.set(data.n, [...(this.#done.get(data.n) ?? []), performance.now()])
      }
      this.#desk.add(new Worker('orders', work, options))
    }
    this.#producer = new Repeated(10, (n) => this.#order(n))
  }

  /** The same order twice is one job: so it can be repeated until it is acknowledged. */
  async #order(n: number): Promise<void> {
    await this.#queue.add('order', { n }, { jobId: `order-${n}` })
    if ((await this.#waiting.wait(1, 500)) > 0) this.#kept.add(n)
  }

  get successes(): number {
    return this.#done.size
  }

  readonly masterDied = (): void => {
    this.#deaths.push(performance.now())
  }

  async finish(): Promise<readonly string[]> {
    await this.#producer.stop()
    const undone = () => [...this.#kept].filter((n) => !this.#done.has(n))
    await until('all orders are done', PATIENCE_MS, () => undone().length === 0).catch(() => 0)
    const counts = await this.#queue.getJobCounts()
    await this.#desk.close()
    this.#waiting.disconnect()
    const twice = [...this.#done].filter(([, times]) => times.length > 1)
    const without = twice.filter(([, [first = 0]]) => !this.#isExcused(first))
    const { failed = 0 } = counts
    console.log(
      `BullMQ: ${this.#kept.size} orders kept, ${this.#done.size} done, ${twice.length} of them again; errors`,
      Object.fromEntries(this.#producer.errors),
    )
    return [
      ...undone().map((n) => `order ${n} was kept by a replica and is lost`),
      ...without.map(([n, times]) => `order ${n} was done ${times.length} times`),
      ...(failed > 0 ? [`${failed} jobs have failed`] : []),
    ]
  }

  #isExcused(doneAtMs: number): boolean {
    return this.#deaths.some((death) => doneAtMs > death - IN_HAND_MS && doneAtMs < death + 3_000)
  }
}
