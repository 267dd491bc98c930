/** Many groups and the Sentinels that watch them all. */
import { until } from '../support/clock.mjs'
import { connect } from '../support/connection.mjs'
import { startDaemon } from '../support/daemon.mjs'
import { freePorts, HOST } from '../support/ports.mjs'

export const SENTINELS = 3
const QUORUM = 2
export const DOWN_AFTER_MS = 1_000
const FAILOVER_TIMEOUT_MS = 10_000
const NODES_BOUND_MS = 120_000
export const SETTLE_BOUND_MS = 120_000

/** Two hundred of them must not keep the machine busy with housekeeping. */
const NODE_LINES = [
  'save ""',
  'repl-diskless-sync-delay 0',
  'hz 1',
  'databases 1',
  'loglevel warning',
]

/** Gives `{ groups: [{ name, master, replica }], members }`, replicas in sync. */
export async function startNodes(workshop, count, name) {
  const ports = await freePorts(2 * count)
  const groups = Array.from({ length: count }, (_, at) => {
    const [masterPort, replicaPort] = ports.slice(2 * at, 2 * at + 2)
    const start = (port, lines) =>
      startDaemon(workshop, { family: 'redis', role: 'server', port, name, lines })
    const master = start(masterPort, NODE_LINES)
    const replica = start(replicaPort, [...NODE_LINES, `replicaof ${HOST} ${masterPort}`])
    return { name: `group-${at}`, master, replica }
  })
  for (const { replica } of groups) await inSync(replica)
  return { groups, members: groups.flatMap((one) => [one.master.member, one.replica.member]) }
}

/** Gives the Sentinels once they see everything, and how long that took. */
export async function startSentinels(workshop, contender, groups, name) {
  const ports = await freePorts(SENTINELS)
  const lines = groups.flatMap(linesOf)
  const startedMs = performance.now()
  const sentinels = ports.map((port) =>
    startDaemon(workshop, { family: contender.sentinel, role: 'sentinel', port, name, lines }),
  )
  for (const sentinel of sentinels) await settled(sentinel, groups.length)
  return { sentinels, settledMs: performance.now() - startedMs }
}

function linesOf({ name, master }) {
  return [
    `sentinel monitor ${name} ${HOST} ${master.port} ${QUORUM}`,
    `sentinel down-after-milliseconds ${name} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${name} ${FAILOVER_TIMEOUT_MS}`,
  ]
}

async function inSync({ port, member }) {
  const client = connect(port)
  try {
    await until(`${member.title} is in sync`, NODES_BOUND_MS, async () => {
      member.assertRunning()
      const [role, , , state] = await client.role()
      return role === 'slave' && state === 'connected'
    })
  } finally {
    client.disconnect()
  }
}

/** All groups are well, with their replica and all Sentinels. */
async function settled({ port, member }, count) {
  const client = connect(port)
  const line = new RegExp(`^master\\d+:.*status=ok,.*slaves=1,sentinels=${SENTINELS}$`)
  try {
    await until(`${member.title} knows everybody`, SETTLE_BOUND_MS, async () => {
      member.assertRunning()
      const lines = (await client.info('sentinel')).split('\r\n')
      return lines.filter((one) => line.test(one)).length === count
    })
  } finally {
    client.disconnect()
  }
}
