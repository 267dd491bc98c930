/** Fills a fresh node with one kind of data, and asks what it uses. */
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/clock.mjs'
import { withConnection } from '../support/connection.mjs'
import { NODE_LINES, startDaemon } from '../support/daemon.mjs'
import { freePorts } from '../support/ports.mjs'

const BOUND_MS = 60_000
const PAGE = 500
/** A node collects garbage for MEMORY PURGE a tenth of the time at most, and once a second. */
const REST_MS = 1_500

export async function measureShape(workshop, { shape, contender, name }) {
  const [port] = await freePorts(1)
  const lines = [...NODE_LINES, 'enable-debug-command yes']
  const { member } = await startDaemon(workshop, {
    ...{ family: contender.family, role: 'server', name, port, lines },
  })
  const measure = async (client) => {
    await until('it answers', BOUND_MS, async () => (await client.ping()) === 'PONG')
    const before = await uses(client)
    await fill(client, shape.commands())
    const written = difference(await uses(client), before)
    await client.debug('RELOAD')
    const loaded = difference(await uses(client), before)
    return { written, loaded }
  }
  const result = await withConnection(port, measure, { commandTimeout: BOUND_MS })
  await workshop.end([member])
  return result
}

async function fill(client, commands) {
  let page = client.pipeline()
  for (const [name, ...words] of commands) {
    page.call(name, ...words)
    if (page.length < PAGE) continue
    await page.exec()
    page = client.pipeline()
  }
  await page.exec()
}

/** What it counts, and what its allocator holds; of ours, after all garbage is collected. */
async function uses(client) {
  // Numbers in arrays stand outside of the heap: they go when the collection after the one that misses them begins.
  for (let times = 0; times < 2; times++) await collectGarbage(client)
  const text = await client.info('memory')
  const field = (name) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text)?.[1])
  return { counted: field('used_memory'), held: field('allocator_allocated') }
}

function collectGarbage(client) {
  return until('garbage is collected', BOUND_MS, async () => {
    await sleep(REST_MS)
    const before = await collections(client)
    await client.memory('PURGE')
    return (await collections(client)) !== before || before === undefined
  })
}

/** How many there have been; undefined: nothing is collected there. */
async function collections(client) {
  return /of (\d+) full collections/.exec(await client.memory('MALLOC-STATS'))?.[1]
}

function difference(after, before) {
  return { counted: after.counted - before.counted, held: after.held - before.held }
}
