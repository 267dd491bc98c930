/**
 * One cluster: a master, two replicas, three Sentinels with a quorum of two, and a host for the
 * application. All contenders get the same configuration, except that `replication: 'strict'` makes the
 * nodes voters. A run begins when all processes know each other.
 */
import { until } from '../support/clock.mjs'
import { connectTo, withConnectionTo } from '../support/connection.mjs'
import { NODE_LINES, startDaemon, startSentinel } from '../support/daemon.mjs'
import { freePorts } from '../support/ports.mjs'

export const GROUP = 'mymaster'
export const DOWN_AFTER_MS = 1_000
const FAILOVER_TIMEOUT_MS = 10_000
const NODES = ['master', 'replica-1', 'replica-2']
const SENTINELS = ['sentinel-1', 'sentinel-2', 'sentinel-3']
const APPLICATION = 'application'
const QUORUM = 2
const START_BOUND_MS = 30_000
const KEYS = 1_000
const VALUE_BYTES = 100

/** Each process on its own host, where hosts are real ones. */
export const HOSTS = [...NODES, ...SENTINELS, APPLICATION]

/** Returns `{ place, application, master, replicas, sentinels, members }`; the caller ends the members. */
export async function startCluster(workshop, { place, contender, name }) {
  const ports = await freePorts(NODES.length + SENTINELS.length)
  const setting = { workshop, place, contender, name, masterPort: ports[0] }
  const nodes = NODES.map((host, at) => startNode(setting, host, ports[at]))
  const members = nodes.map(({ member }) => member)
  const settle = async () => {
    await preload(nodes[0])
    await Promise.all(nodes.slice(1).map(inSync))
  }
  try {
    // Not earlier: a C Sentinel that finds a replica which is not in sync yet looks again only after ten
    // seconds. A strict group takes nothing before its Sentinels have begun the first term.
    if (contender.replication !== 'strict') await settle()
    const voters = nodes.map(({ port, host }) => `${host.ip}:${port}`)
    const sentinels = SENTINELS.map((host, at) =>
      watch({ ...setting, voters }, host, ports[NODES.length + at]),
    )
    members.push(...sentinels.map(({ member }) => member))
    if (contender.replication === 'strict') await settle()
    await Promise.all(sentinels.map(acquainted))
    const [master, ...replicas] = nodes
    return { place, application: place.hostOf(APPLICATION), master, replicas, sentinels, members }
  } catch (error) {
    await workshop.end(members)
    throw error
  }
}

function startNode({ workshop, place, contender, name, masterPort }, host, port) {
  const lines = [...NODE_LINES]
  if (contender.replication === 'strict') lines.push('sync-replication yes')
  if (port !== masterPort) lines.push(`replicaof ${place.hostOf(NODES[0]).ip} ${masterPort}`)
  const daemon = { family: contender.node, role: 'server', port, name, host: place.hostOf(host) }
  return startDaemon(workshop, { ...daemon, lines })
}

function watch({ workshop, place, contender, name, masterPort, voters }, host, port) {
  const group = {
    name: GROUP,
    ip: place.hostOf(NODES[0]).ip,
    port: masterPort,
    quorum: QUORUM,
    downAfterMs: DOWN_AFTER_MS,
    failoverTimeoutMs: FAILOVER_TIMEOUT_MS,
    replication: contender.replication,
    voters,
  }
  const daemon = { contender, port, name, host: place.hostOf(host) }
  return startSentinel(workshop, { ...daemon, groups: [group] })
}

/** A little data, so that a resynchronisation has something to transfer. */
async function preload(node) {
  const pairs = Array.from({ length: KEYS }, (_, at) => [`data:${at}`, 'x'.repeat(VALUE_BYTES)])
  await withConnectionTo(node, (client) =>
    until(`${node.member.title} takes writes`, START_BOUND_MS, async () => {
      node.member.assertRunning()
      return (await client.mset(...pairs.flat())) === 'OK'
    }),
  )
}

async function inSync(node) {
  await withConnectionTo(node, (client) =>
    until(`${node.member.title} is in sync`, START_BOUND_MS, async () => {
      node.member.assertRunning()
      const [role, , , state] = await client.role()
      return role === 'slave' && state === 'connected'
    }),
  )
}

/** Whether it sees the whole cluster, connected and healthy. */
async function acquainted(sentinel) {
  const client = connectTo(sentinel)
  try {
    await until(`${sentinel.member.title} knows everybody`, START_BOUND_MS, async () => {
      sentinel.member.assertRunning()
      return (await knowsMaster(client)) && (await knowsPeers(client)) && knowsReplicas(client)
    })
  } finally {
    client.disconnect()
  }
}

async function knowsMaster(client) {
  return toFields(await client.sentinel('MASTER', GROUP)).get('flags') === 'master'
}

async function knowsPeers(client) {
  const peers = (await client.sentinel('SENTINELS', GROUP)).map(toFields)
  const isHealthy = (peer) => peer.get('flags') === 'sentinel'
  return peers.length === SENTINELS.length - 1 && peers.every(isHealthy)
}

async function knowsReplicas(client) {
  const replicas = (await client.sentinel('REPLICAS', GROUP)).map(toFields)
  const isHealthy = (replica) =>
    replica.get('flags') === 'slave' && replica.get('master-link-status') === 'ok'
  return replicas.length === NODES.length - 1 && replicas.every(isHealthy)
}

/** A flat list of names and values, as in RESP2. */
function toFields(list) {
  const fields = new Map()
  for (let at = 0; at < list.length; at += 2) fields.set(list[at], list[at + 1])
  return fields
}
