/** One run of one contender, in a process of its own: `run.mjs CONTENDER TOOLS` prints what it measured as JSON. */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pathOf } from '../../scripts/paths.mjs'

const FAILOVERS = 20
const [contender, tools] = [JSON.parse(process.argv[2]), process.argv[3]]
const { startCluster, startServer } = await import(
  pathToFileURL(pathOf('dist/library/testing.js')).href
)
const require = createRequire(resolve(tools, 'package.json'))

const RUNS = {
  'vedette/testing': () => ofCluster({}),
  'vedette/testing, processes': () => ofCluster({ engine: 'process-lite' }),
  'redis-server and redis-sentinel': () => ofCluster({ engine: 'redis' }),
  'vedette/testing, one node': () =>
    ofNode(
      () => startServer(),
      (server) => server.stop(),
    ),
  'redis-memory-server': () => {
    process.env.REDISMS_SYSTEM_BINARY = 'redis-server'
    process.env.REDISMS_DISABLE_POSTINSTALL = '1'
    const { RedisMemoryServer } = require('redis-memory-server')
    const start = async () => {
      const server = new RedisMemoryServer({ binary: { systemBinary: '/usr/bin/redis-server' } })
      await server.getPort()
      return server
    }
    return ofNode(start, (server) => server.stop())
  },
  'ioredis-mock': () => {
    const Mock = require('ioredis-mock')
    const start = async () => {
      const client = new Mock()
      await client.set('key', 'value')
      return client
    }
    return ofNode(start, (client) => client.disconnect())
  },
}
console.log(JSON.stringify(await RUNS[contender.title]()))
process.exit(0)

async function timed(act) {
  const startMs = performance.now()
  const result = await act()
  return [performance.now() - startMs, result]
}

/** The first start and the tenth. */
async function startsOf(start, stop, count = 10) {
  let [firstMs, tenthMs] = []
  for (let number = 1; number <= count; number++) {
    const [tookMs, one] = await timed(start)
    if (number === 1) firstMs = tookMs
    if (number === 10) tenthMs = tookMs
    await stop(one)
  }
  return { firstMs, tenthMs }
}

function ofNode(start, stop) {
  return startsOf(start, stop)
}

async function ofCluster(options) {
  const all = { downAfterMs: 50, seed: 'bench', ...options }
  const { starts, failovers = FAILOVERS } = contender
  const started = await startsOf(
    () => startCluster(all),
    (cluster) => cluster.stop(),
    starts,
  )
  const cluster = await startCluster(all)
  const bound = { withinMs: 60_000 }
  const [failover, reset, rest] = [[], [], []]
  const beganMs = performance.now()
  for (let number = 0; number < failovers; number++) {
    const [resetMs] = await timed(() => cluster.reset())
    if (number > 0) reset.push(resetMs)
    cluster.master.kill()
    const [failoverMs] = await timed(() => cluster.until.switched(bound))
    failover.push(failoverMs)
  }
  const fileMs = failovers === FAILOVERS ? performance.now() - beganMs : undefined
  for (let number = 0; number < failovers; number++) {
    const [restMs] = await timed(() => cluster.reset())
    if (number > 0) rest.push(restMs)
  }
  await cluster.stop()
  return {
    ...started,
    restMs: medianOf(rest),
    failoverMs: medianOf(failover),
    resetMs: medianOf(reset),
    fileMs,
  }
}

function medianOf(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}
