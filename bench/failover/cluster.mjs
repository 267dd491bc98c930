/**
 * One cluster on loopback: a master, two replicas, three Sentinels with a quorum of two. All contenders
 * read the same redis.conf and the same sentinel.conf, and a run begins when everybody knows everybody.
 */
import { until } from '../support/clock.mjs'
import { connect, withConnection } from '../support/connection.mjs'
import { NODE_LINES, startDaemon } from '../support/daemon.mjs'
import { freePorts, HOST } from '../support/ports.mjs'

export const GROUP = 'mymaster'
export const DOWN_AFTER_MS = 1_000
const FAILOVER_TIMEOUT_MS = 10_000
const REPLICAS = 2
const SENTINELS = 3
const QUORUM = 2
const START_BOUND_MS = 30_000
const KEYS = 1_000
const VALUE_BYTES = 100

/** Gives `{ master, replicas, sentinels, members }`; whoever calls it ends the members. */
export async function startCluster(workshop, contender, name) {
  const [masterPort, ...others] = await freePorts(1 + REPLICAS + SENTINELS)
  const place = { workshop, contender, name, masterPort }
  const nodes = [masterPort, ...others.slice(0, REPLICAS)].map((port) => startNode(place, port))
  const members = nodes.map(({ member }) => member)
  try {
    await preload(nodes)
    await Promise.all(nodes.slice(1).map(inSync))
    // Only now: a C Sentinel that meets a replica which is not in sync yet looks again after ten seconds.
    const sentinels = others.slice(REPLICAS).map((port) => startSentinel(place, port))
    members.push(...sentinels.map(({ member }) => member))
    await Promise.all(sentinels.map(acquainted))
    const [master, ...replicas] = nodes
    return { master, replicas, sentinels, members }
  } catch (error) {
    await workshop.end(members)
    throw error
  }
}

function startNode({ workshop, contender, name, masterPort }, port) {
  const lines = [...NODE_LINES]
  if (port !== masterPort) lines.push(`replicaof ${HOST} ${masterPort}`)
  return startDaemon(workshop, { family: contender.node, role: 'server', port, name, lines })
}

function startSentinel({ workshop, contender, name, masterPort }, port) {
  const lines = [
    `sentinel monitor ${GROUP} ${HOST} ${masterPort} ${QUORUM}`,
    `sentinel down-after-milliseconds ${GROUP} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${GROUP} ${FAILOVER_TIMEOUT_MS}`,
    `sentinel parallel-syncs ${GROUP} 1`,
  ]
  return startDaemon(workshop, { family: contender.sentinel, role: 'sentinel', port, name, lines })
}

/** A little data, so that a resynchronisation has something to carry. */
async function preload([{ port, member }]) {
  const pairs = Array.from({ length: KEYS }, (_, at) => [`data:${at}`, 'x'.repeat(VALUE_BYTES)])
  await withConnection(port, (client) =>
    until(`${member.title} takes writes`, START_BOUND_MS, async () => {
      member.assertRunning()
      return (await client.mset(...pairs.flat())) === 'OK'
    }),
  )
}

async function inSync({ port, member }) {
  await withConnection(port, (client) =>
    until(`${member.title} is in sync`, START_BOUND_MS, async () => {
      member.assertRunning()
      const [role, , , state] = await client.role()
      return role === 'slave' && state === 'connected'
    }),
  )
}

/** It sees the whole cluster, connected and healthy. */
async function acquainted({ port, member }) {
  const client = connect(port)
  try {
    await until(`${member.title} knows everybody`, START_BOUND_MS, async () => {
      member.assertRunning()
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
  return peers.length === SENTINELS - 1 && peers.every(isHealthy)
}

async function knowsReplicas(client) {
  const replicas = (await client.sentinel('REPLICAS', GROUP)).map(toFields)
  const isHealthy = (replica) =>
    replica.get('flags') === 'slave' && replica.get('master-link-status') === 'ok'
  return replicas.length === REPLICAS && replicas.every(isHealthy)
}

/** A flat list of names and values, as RESP2 tells it. */
function toFields(list) {
  const fields = new Map()
  for (let at = 0; at < list.length; at += 2) fields.set(list[at], list[at + 1])
  return fields
}
