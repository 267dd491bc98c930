/**
 * How many commands per second fifty clients get from a master with one replica and with three: all groups
 * run at the same time, and are measured one after another, so that whatever else the machine does affects
 * all of them.
 */
import { pathOf } from '../../scripts/paths.mjs'
import { until } from '../support/clock.mjs'
import { withConnection } from '../support/connection.mjs'
import { NODE_LINES, startDaemon } from '../support/daemon.mjs'
import { freePorts, HOST } from '../support/ports.mjs'
import { openProgress } from '../support/progress.mjs'

export const REPLICAS = [1, 3]
export const CLIENTS = 50
const DEPTHS = [1, 16, 64]
const BOUND_MS = 60_000
/** What the master sends of its own accord, as PING, counts for nothing. */
const CHATTER_BYTES = 1_000
/** The bench fences the voters itself, in place of a Sentinel, which would be one more process. */
const LEADER = 'bench'

export const WAYS = [
  { id: 'async', family: 'vedette', title: 'async' },
  { id: 'strict', family: 'vedette', reads: 'normal', title: 'strict' },
  {
    id: 'linearizable',
    family: 'vedette',
    reads: 'linearizable',
    title: 'strict, linearizable reads',
  },
  { id: 'redis', family: 'redis', title: 'redis-server' },
]

/** What is measured of which ways. */
export const MEASURES = [
  ...DEPTHS.map((depth) => ({ id: `SET-${depth}`, command: 'SET', depth })),
  ...DEPTHS.map((depth) => ({ id: `GET-${depth}`, command: 'GET', depth })),
]
/** A column of the table: a way, and after what its clients send WAIT 1. */
export const COLUMNS = {
  SET: [
    { id: 'async', way: 'async' },
    { id: 'strict', way: 'strict' },
    { id: 'batch', way: 'redis', waits: 'batch' },
    { id: 'command', way: 'redis', waits: 'command' },
    { id: 'redis', way: 'redis' },
  ],
  GET: [
    { id: 'async', way: 'async' },
    { id: 'strict', way: 'strict' },
    { id: 'linearizable', way: 'linearizable' },
    { id: 'redis', way: 'redis' },
  ],
}

/** Returns a sample for each round, count of replicas, measure and column. */
export async function measureThroughput(workshop, { rounds, seconds, hasRedis }) {
  const ways = WAYS.filter(({ family }) => hasRedis || family !== 'redis')
  const perRound = MEASURES.reduce((sum, one) => sum + columnsOf(one, ways).length, 0)
  const progress = openProgress(REPLICAS.length * rounds * perRound)
  const load = await startLoad(workshop)
  const samples = []
  try {
    for (const replicas of REPLICAS) {
      const groups = await startGroups(workshop, ways, replicas)
      for (const { port } of groups.values()) await load({ port, fill: true })
      for (let round = 0; round < rounds; round++) {
        samples.push(
          ...(await measureRound({ load, groups, ways, replicas, round, seconds, progress })),
        )
      }
      await workshop.end([...groups.values()].flatMap(({ members }) => members))
    }
  } finally {
    progress.close()
  }
  return samples
}

async function measureRound({ load, groups, ways, replicas, round, seconds, progress }) {
  const samples = []
  for (const measure of MEASURES) {
    const columns = columnsOf(measure, ways)
    for (const column of round % 2 === 0 ? columns : columns.toReversed()) {
      progress.begin(
        `round ${round + 1}, ${replicas} beside the master, ${measure.id}, ${column.id}`,
      )
      const { port, nodes } = groups.get(column.way)
      const { command, depth } = measure
      const order = {
        port,
        clients: CLIENTS,
        command,
        depth,
        waits: column.waits,
        seconds,
      }
      samples.push({
        round,
        replicas,
        measure: measure.id,
        column: column.id,
        ...(await load(order)),
      })
      await evened(nodes)
    }
  }
  return samples
}

function columnsOf({ command }, ways) {
  return COLUMNS[command].filter(({ way }) => ways.some(({ id }) => id === way))
}

/** Returns a function that has the load process carry out one order. */
async function startLoad(workshop) {
  const script = pathOf('bench/strict/load.mjs')
  const member = workshop.fork({ title: 'the clients', script, args: [] })
  return (order) =>
    new Promise((resolve, reject) => {
      member.child.once('message', (result) => {
        if (result.failure === undefined) resolve(result)
        else reject(new Error(`the clients of port ${order.port}: ${result.failure}`))
      })
      member.child.send(order)
    })
}

async function startGroups(workshop, ways, replicas) {
  const groups = new Map()
  for (const way of ways) groups.set(way.id, await startGroup(workshop, way, replicas))
  return groups
}

async function startGroup(workshop, { id, family, reads }, replicas) {
  const ports = await freePorts(replicas + 1)
  const lines = [...NODE_LINES, ...(reads === undefined ? [] : ['sync-replication yes'])]
  const nodes = ports.map((port) =>
    startDaemon(workshop, { family, role: 'server', port, name: `${id}-${replicas}`, lines }),
  )
  for (const node of nodes)
    await ask(node, 'it answers', async (client) => (await client.ping()) === 'PONG')
  if (reads !== undefined) await beginTerm(nodes, reads)
  const [master, ...rest] = nodes
  for (const { port } of rest) {
    await withConnection(port, (client) => client.replicaof(HOST, master.port))
  }
  await evened(nodes)
  return { port: master.port, nodes, members: nodes.map(({ member }) => member) }
}

/** The first term: the majority that acknowledges a write includes the master. */
async function beginTerm(nodes, reads) {
  const voters = nodes.map(({ port }) => `${HOST}:${port}`)
  const needed = Math.floor(nodes.length / 2)
  const layout = [String(needed), reads, ...voters]
  for (const { port } of nodes) {
    await withConnection(port, (client) => client.call('FENCE', '1', LEADER, 'ASK', ...layout))
  }
  await withConnection(nodes[0].port, (client) => client.call('FENCE', '1', LEADER, 'PROMOTE'))
}

/** The replicas have everything. */
async function evened([master, ...replicas]) {
  for (const replica of replicas) {
    await ask(replica, 'it has what its master has', async (client) => {
      const offset = await offsetOf(client)
      const ofMaster = await withConnection(master.port, offsetOf)
      return offset !== undefined && offset >= ofMaster - CHATTER_BYTES
    })
  }
}

async function offsetOf(client) {
  const info = await client.info('replication')
  if (info.includes('master_link_status:down')) return undefined
  return Number(/(?:slave_repl_offset|master_repl_offset):(\d+)/.exec(info)?.[1])
}

function ask(node, claim, probe) {
  return withConnection(node.port, (client) =>
    until(`${node.member.title}: ${claim}`, BOUND_MS, () => {
      node.member.assertRunning()
      return probe(client)
    }),
  )
}
