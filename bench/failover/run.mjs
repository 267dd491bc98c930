/** One failover, measured: a settled cluster, a client at work, a fault, and its consequences. */
import { setTimeout as sleep } from 'node:timers/promises'
import { nowMs } from '../support/clock.mjs'
import { withConnectionTo } from '../support/connection.mjs'
import { Client, countMissing } from './client.mjs'
import { GROUP, HOSTS, startCluster } from './cluster.mjs'
import { Listener, WriteProbe } from './witnesses.mjs'

/** Enough for a second attempt of C Sentinel, which follows after twice the failover-timeout. */
const FAILOVER_BOUND_MS = 45_000
const WATCH_PERIOD_MS = 5
/** Our Sentinels rehearse from the sixth second after their start on, for some three seconds. */
const REHEARSAL_MS = 8_000

/**
 * Strikes `waitMs` after everything has settled and failovers have been rehearsed. `openPlace(hosts)` makes a place for the cluster.
 * Returns one sample, times in milliseconds; what did not happen within the bound is undefined.
 */
export async function runFailover(workshop, { openPlace, ...run }) {
  const place = await openPlace(HOSTS)
  try {
    return await runAt(workshop, { place, ...run })
  } finally {
    place.close()
  }
}

async function runAt(workshop, { place, contender, fault, clients, name, waitMs }) {
  const cluster = await startCluster(workshop, { place, contender, name })
  const { members, replicas, sentinels, application } = cluster
  const witnesses = []
  try {
    const listener = await Listener.open(sentinels)
    witnesses.push(listener)
    const probes = await Promise.all(replicas.map((replica) => WriteProbe.open(replica)))
    witnesses.push(...probes)
    const writers = await startClients(workshop, clients, { host: application, sentinels })
    members.push(...writers.map(({ member }) => member))
    await sleep(waitMs + (contender.sentinel === 'vedette' ? REHEARSAL_MS : 0))
    return await strike(cluster, fault, { listener, probes, writers })
  } finally {
    for (const witness of witnesses) witness.close()
    await workshop.end(members)
  }
}

/** If one of them never writes, the workshop ends the others. */
function startClients(workshop, names, where) {
  return Promise.all(names.map((name) => Client.start(workshop, { name, ...where })))
}

async function strike(cluster, fault, witnesses) {
  // A signal strikes at once; a cut takes effect, as far as we know, when its tool ends.
  await fault.strike(cluster)
  const faultAtMs = nowMs()
  for (const probe of witnesses.probes) probe.start()
  const times = await watch(faultAtMs, witnesses)
  const acknowledged = (await Promise.all(witnesses.writers.map((one) => one.stop()))).flat()
  const lost = isComplete(times) ? await countLost(cluster, acknowledged) : undefined
  return { ...toDurations(faultAtMs, times), lost, acknowledged: acknowledged.length }
}

async function watch(faultAtMs, witnesses) {
  for (;;) {
    const times = observe(faultAtMs, witnesses)
    if (isComplete(times) || nowMs() > faultAtMs + FAILOVER_BOUND_MS) return times
    await sleep(WATCH_PERIOD_MS)
  }
}

/** Moments by name; those of a client under the client's name. */
function observe(faultAtMs, { listener, probes, writers }) {
  const accepted = probes.map(({ acceptedAtMs }) => acceptedAtMs).filter((ms) => ms !== undefined)
  const resumed = writers.map((writer) => [writer.name, writer.resumedMs(faultAtMs)])
  return {
    down: listener.firstDownMs(faultAtMs),
    writable: accepted.length === 0 ? undefined : Math.min(...accepted),
    switched: listener.lastSwitchMs(faultAtMs),
    ...Object.fromEntries(resumed),
  }
}

function isComplete(times) {
  return Object.values(times).every((ms) => ms !== undefined)
}

function toDurations(faultAtMs, { down, writable, switched, ...resumed }) {
  const outages = Object.entries(resumed).map(([name, ms]) => [name, between(faultAtMs, ms)])
  return {
    detectedMs: between(faultAtMs, down),
    writableMs: between(down, writable),
    switchedMs: between(down, switched),
    resumedMs: Object.fromEntries(outages),
  }
}

function between(fromMs, toMs) {
  return fromMs === undefined || toMs === undefined ? undefined : toMs - fromMs
}

/** How many acknowledged writes the master that the Sentinels name does not have. */
async function countLost({ sentinels, replicas }, writes) {
  const [, port] = await withConnectionTo(sentinels[0], (client) =>
    client.sentinel('GET-MASTER-ADDR-BY-NAME', GROUP),
  )
  const promoted = replicas.find((one) => one.port === Number(port))
  return promoted === undefined ? undefined : countMissing(promoted, writes)
}
