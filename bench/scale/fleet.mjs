/** Many groups and the Sentinels that watch them all. */
import { until } from '../support/clock.mjs'
import { withConnectionTo } from '../support/connection.mjs'
import { startDaemon, startSentinel } from '../support/daemon.mjs'
import { inParallel } from '../support/parallel.mjs'
import { freePorts, HOST } from '../support/ports.mjs'

export const SENTINELS = 3
const QUORUM = 2
/** For our own connections: a Sentinel that handles a thousand groups may take long to answer. */
export const PATIENT = { commandTimeout: 60_000 }
const FAILOVER_TIMEOUT_MS = 10_000
const NODES_BOUND_MS = 120_000
const SETTLE_BOUND_MS = 300_000
/** How many groups are started at the same time. */
const STARTING = 16
/** If asked more often, a Sentinel with a thousand groups would only be busy answering. */
const LOOK_MS_PER_GROUP = 0.5
const LOOK_MS_MIN = 20

/** Thousands of them must neither keep the machine busy with housekeeping, nor fill it. */
const NODE_LINES = [
  'save ""',
  'repl-diskless-sync-delay 0',
  'repl-backlog-size 16kb',
  'hz 1',
  'databases 1',
  'maxclients 100',
  'loglevel warning',
]

/** Returns `{ groups: [{ name, master, replica }], members }`, replicas in sync. */
export async function startNodes(workshop, count, name) {
  const ports = await freePorts(2 * count)
  const numbers = Array.from({ length: count }, (_, at) => at)
  const groups = await inParallel(numbers, STARTING, (at) =>
    startGroup(workshop, { name, number: at, ports: ports.slice(2 * at, 2 * at + 2) }),
  )
  return { groups, members: groups.flatMap((one) => [one.master.member, one.replica.member]) }
}

async function startGroup(workshop, { name, number, ports: [masterPort, replicaPort] }) {
  const start = (port, lines) =>
    startDaemon(workshop, { family: 'redis', role: 'server', port, name, lines })
  const master = start(masterPort, NODE_LINES)
  const replica = start(replicaPort, [...NODE_LINES, `replicaof ${HOST} ${masterPort}`])
  await inSync(replica)
  return { name: `group-${number}`, master, replica }
}

/** Returns the Sentinels at once; `settling(sentinels)` waits for them. */
export async function startSentinels(workshop, { contender, groups, downAfterMs, name }) {
  const ports = await freePorts(SENTINELS)
  const watched = groups.map((group) => ({
    name: group.name,
    ip: HOST,
    port: group.master.port,
    quorum: QUORUM,
    downAfterMs,
    failoverTimeoutMs: FAILOVER_TIMEOUT_MS,
  }))
  return ports.map((port) => startSentinel(workshop, { contender, port, name, groups: watched }))
}

/** Resolves when all Sentinels see all groups well, with their replica and all Sentinels. */
export async function settled(sentinels, count) {
  for (const sentinel of sentinels) await isSettled(sentinel, count)
}

function isSettled(sentinel, count) {
  const line = new RegExp(`^master\\d+:.*status=ok,.*slaves=1,sentinels=${SENTINELS}$`)
  const { title } = sentinel.member
  const periodMs = Math.max(LOOK_MS_MIN, LOOK_MS_PER_GROUP * count)
  const look = async (client) => {
    sentinel.member.assertRunning()
    const lines = (await client.info('sentinel')).split('\r\n')
    return lines.filter((one) => line.test(one)).length === count
  }
  const wait = (client) =>
    until(`${title} knows everybody`, SETTLE_BOUND_MS, () => look(client), periodMs)
  return withConnectionTo(sentinel, wait, PATIENT)
}

function inSync(replica) {
  const { member } = replica
  return withConnectionTo(replica, (client) =>
    until(`${member.title} is in sync`, NODES_BOUND_MS, async () => {
      member.assertRunning()
      const [role, , , state] = await client.role()
      return role === 'slave' && state === 'connected'
    }),
  )
}
