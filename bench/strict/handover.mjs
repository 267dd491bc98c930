/**
 * A planned handover as an application meets it: a stock client increments a counter all the time, and says how
 * each attempt ended.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathOf } from '../../scripts/paths.mjs'
import { readOutcomes, summarize } from '../clients/outcomes.mjs'
import { GROUP, HOSTS, startCluster } from '../failover/cluster.mjs'
import { until } from '../support/clock.mjs'
import { withConnectionTo } from '../support/connection.mjs'

const BOUND_MS = 30_000
const WARM_UP_COUNTS = 200
/** Acknowledged so often after the switch: the client has arrived at the new master. */
const ARRIVED_COUNTS = 200
const IN_FLIGHT_MS = 200
const KEY = 'counter'
const PROGRAM = pathOf('bench/clients/programs/stock.mjs')

/** Returns `{ gapMs, errors, lost, twice, kinds }` of one handover, see `summarize`. */
export async function runHandover(workshop, { openPlace, contender, fault, client, name, waitMs }) {
  const place = openPlace(HOSTS)
  const cluster = await startCluster(workshop, { place, contender, name })
  const { members, sentinels, replicas, master } = cluster
  try {
    const { member, outcomes } = startCounting(workshop, cluster, client, name)
    members.push(member)
    await counted(member, outcomes, WARM_UP_COUNTS)
    await sleep(waitMs)
    const fromMs = Date.now()
    await fault.strike(cluster, contender)
    const promoted = await replacementOf(sentinels[0], master, replicas)
    await counted(member, outcomes, outcomes().length + ARRIVED_COUNTS)
    await workshop.end([member])
    await sleep(IN_FLIGHT_MS)
    const stored = await withConnectionTo(promoted, (client) => client.get(KEY))
    return summarize(outcomes(), { fromMs, stored: Number(stored) })
  } finally {
    await workshop.end(members)
    place.close()
  }
}

function startCounting(workshop, { application, sentinels }, client, name) {
  const folder = workshop.createFolder(join(name, KEY))
  const places = sentinels.map(({ host, port }) => `${host.ip}:${port}`)
  const args = [PROGRAM, client, KEY, ...places]
  const daemon = { title: KEY, command: process.execPath, args, folder, host: application }
  const member = workshop.spawn(daemon)
  const outcomes = () => readOutcomes(readFileSync(join(folder, `${KEY}.log`), 'utf8'))
  return { member, outcomes }
}

function counted(member, outcomes, count) {
  return until(`the client has counted to ${count}`, BOUND_MS, () => {
    member.assertRunning()
    return outcomes().filter(({ error }) => error === undefined).length >= count
  })
}

function replacementOf(sentinel, master, replicas) {
  return withConnectionTo(sentinel, (client) =>
    until('there is a new master', BOUND_MS, async () => {
      const [, port] = await client.sentinel('GET-MASTER-ADDR-BY-NAME', GROUP)
      return replicas.find((one) => one.port === Number(port) && one.port !== master.port)
    }),
  )
}
