/** Bull Board: the page over BullMQ's queues, asked as its own page in a browser asks it. */
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { HonoAdapter } from '@bull-board/hono'
import { serveStatic } from '@hono/node-server/serve-static'
import { type Job, Queue, Worker } from 'bullmq'
import { Hono } from 'hono'
import { until } from '../../support/processes.ts'
import type { Application } from './application.ts'
import { type Deployment, ioredisOptions } from './deployment.ts'

const QUEUE = 'board'
const JOBS = 'api/queues?activeQueue=board&page=1&jobsPerPage=10&status='

export const board: Application = {
  name: 'Bull Board',
  async use(place) {
    const { queue, ask } = await open(place)
    try {
      return await operate(place, queue, ask)
    } finally {
      await queue.close()
    }
  },
}

async function operate(place: Deployment, queue: Queue, ask: Ask): Promise<unknown> {
  const waiting = await ask('GET', `${JOBS}waiting`)
  const work = async ({ name }: Job) => {
    if (name === 'fails') throw new Error('on purpose')
    return name
  }
  const worker = new Worker(QUEUE, work, { connection: ioredisOptions(place) })
  worker.on('error', () => undefined)
  await until('the jobs are done', 15_000, async () => (await queue.getFailedCount()) === 1)
  await until('the jobs are done', 15_000, async () => (await queue.getCompletedCount()) === 2)
  await worker.close()
  const failed = await ask('GET', `${JOBS}failed`)
  const id = (await queue.getFailed())[0]?.id ?? ''
  const facts = {
    waiting,
    failed,
    one: await ask('GET', `api/queues/${QUEUE}/${id}`),
    logs: await ask('GET', `api/queues/${QUEUE}/${id}/logs`),
    retried: await ask('PUT', `api/queues/${QUEUE}/${id}/retry/failed`),
    paused: await ask('PUT', `api/queues/${QUEUE}/pause`),
    isPaused: await queue.isPaused(),
    cleaned: await ask('PUT', `api/queues/${QUEUE}/clean/completed`),
    left: await queue.getJobCounts(),
    page: (await ask('GET', '')).status,
  }
  await queue.obliterate({ force: true })
  return facts
}

type Ask = (method: string, path: string) => Promise<{ status: number; body: unknown }>

async function open(place: Deployment) {
  const queue = new Queue(QUEUE, { connection: ioredisOptions(place) })
  queue.on('error', () => undefined)
  await queue.add('works', { n: 1 }, { jobId: 'works' })
  await queue.add('fails', { n: 2 }, { jobId: 'fails', delay: 1 })
  await queue.add('waits', { n: 3 }, { jobId: 'waits' })
  const serverAdapter = new HonoAdapter(serveStatic)
  createBullBoard({ queues: [new BullMQAdapter(queue)], serverAdapter })
  const app = new Hono().route('/', serverAdapter.registerPlugin())
  const ask: Ask = async (method, path) => {
    const answer = await app.request(`/${path}`, { method })
    const text = await answer.text()
    return { status: answer.status, body: text.startsWith('{') ? shown(JSON.parse(text)) : '' }
  }
  return { queue, ask }
}

/** Without moments and places, and what the machine does meanwhile. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown)
  if (value === null || typeof value !== 'object') return value
  const own = Object.entries(value).filter(
    ([name]) =>
      !/^(timestamp|processedOn|finishedOn|stacktrace|stats|delay|processedBy)$/.test(name),
  )
  return Object.fromEntries(own.map(([name, part]) => [name, shown(part)]))
}
