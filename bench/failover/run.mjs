/** One failover, measured: a settled cluster, a client at work, a fault, and what came of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { nowMs } from '../support/clock.mjs'
import { withConnection } from '../support/connection.mjs'
import { Client, countMissing } from './client.mjs'
import { GROUP, startCluster } from './cluster.mjs'
import { Listener, WriteProbe } from './witnesses.mjs'

/** Enough for a second attempt of a C Sentinel, which follows after twice the failover-timeout. */
const FAILOVER_BOUND_MS = 45_000
const WATCH_PERIOD_MS = 5

/**
 * Strikes `waitMs` after everything has settled. Gives one sample, times in milliseconds; what did not
 * happen within the bound is undefined.
 */
export async function runFailover(workshop, { contender, fault, name, waitMs }) {
  const cluster = await startCluster(workshop, contender, name)
  const { members, replicas, sentinels } = cluster
  const witnesses = []
  try {
    const listener = await Listener.open(sentinels)
    witnesses.push(listener)
    const probes = await Promise.all(replicas.map((replica) => WriteProbe.open(replica)))
    witnesses.push(...probes)
    const client = await Client.start(workshop, sentinels)
    members.push(client.member)
    await sleep(waitMs)
    return await strike(cluster, fault, { listener, probes, client })
  } finally {
    for (const witness of witnesses) witness.close()
    await workshop.end(members)
  }
}

async function strike({ master, sentinels }, fault, witnesses) {
  const faultAtMs = nowMs()
  master.member.child.kill(fault.signal)
  for (const probe of witnesses.probes) probe.start()
  const times = await watch(faultAtMs, witnesses)
  const acknowledged = await witnesses.client.stop()
  const lost = isComplete(times) ? await countLost(sentinels, acknowledged) : undefined
  return { ...toDurations(faultAtMs, times), lost, acknowledged: acknowledged.length }
}

async function watch(faultAtMs, witnesses) {
  for (;;) {
    const times = observe(faultAtMs, witnesses)
    if (isComplete(times) || nowMs() > faultAtMs + FAILOVER_BOUND_MS) return times
    await sleep(WATCH_PERIOD_MS)
  }
}

function observe(faultAtMs, { listener, probes, client }) {
  const accepted = probes.map(({ acceptedAtMs }) => acceptedAtMs).filter((ms) => ms !== undefined)
  return {
    down: listener.firstDownMs(faultAtMs),
    writable: accepted.length === 0 ? undefined : Math.min(...accepted),
    switched: listener.lastSwitchMs(faultAtMs),
    resumed: client.resumedMs(faultAtMs),
  }
}

function isComplete(times) {
  return Object.values(times).every((ms) => ms !== undefined)
}

function toDurations(faultAtMs, { down, writable, switched, resumed }) {
  return {
    detectedMs: between(faultAtMs, down),
    writableMs: between(down, writable),
    switchedMs: between(down, switched),
    resumedMs: between(faultAtMs, resumed),
  }
}

function between(fromMs, toMs) {
  return fromMs === undefined || toMs === undefined ? undefined : toMs - fromMs
}

/** Acknowledged writes the master that the Sentinels name does not have. */
async function countLost([sentinel], numbers) {
  const [, port] = await withConnection(sentinel.port, (client) =>
    client.sentinel('GET-MASTER-ADDR-BY-NAME', GROUP),
  )
  return countMissing(Number(port), numbers)
}
