/**
 * What does the black box cost? Three idle groups of a master and two replicas (Redis' own) are watched by four
 * Sentinels. In the first minutes after a start the engine compiles what a record adds, which says nothing of a day; they
 * tell how large a record is (recorder/size.mjs). Then each Sentinel records for ten seconds and does not for ten, in turn
 * (recorder/toggle.mjs).
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { megabytesADay } from './recorder/size.mjs'
import { countSpans, perMinute, STEADY_MS, sumOf } from './recorder/tally.mjs'
import { until } from './support/clock.mjs'
import { withConnectionTo } from './support/connection.mjs'
import { NODE_LINES, startDaemon } from './support/daemon.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { positive, readOptions } from './support/options.mjs'
import { freePorts, HOST } from './support/ports.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { measureAll, withoutResult } from './support/rounds.mjs'
import { summarise } from './support/statistics.mjs'
import { decimals, renderTable, spread } from './support/table.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 1
const DEFAULT_SECONDS = 780
const GROUPS = ['one', 'two', 'three']
const NODES_PER_GROUP = 3
const SENTINELS = 4
const BOUND_MS = 60_000
/** By then the engine has compiled what runs often. */
const CALM_MS = STEADY_MS + 60_000

const PRELOAD = new URL('recorder/toggle.mjs', import.meta.url).href

const options = readOptions(
  'recorder',
  'measures what the black box costs',
  DEFAULT_ROUNDS,
  (command) =>
    command.option('--seconds <n>', 'how long each round measures', positive, DEFAULT_SECONDS),
)
if (isBuilt()) await main(options)
else process.exitCode = 2

async function main({ rounds, seconds, json, docs }) {
  const { versions, missing } = findPrograms(['redis-server'])
  if (missing.length > 0) {
    console.error('redis-server is not installed')
    process.exitCode = 2
    return
  }
  const setting = describeSetting(versions)
  const plan = Array.from({ length: rounds }, (_, round) => ({ round }))
  const samples = await inWorkshop((workshop) =>
    measureAll(workshop, plan, {
      label: ({ round }) => ({ round }),
      work: (_, name) => measureRound(workshop, { seconds, name }),
    }),
  )
  const text = report(
    samples.flatMap(({ sentinels = [] }) => sentinels),
    seconds,
  )
  const leftOut = withoutResult(samples, () => 'Sentinels')
  finish({ name: 'recorder', setting, rounds, samples, text, leftOut, json, docs })
}

async function measureRound(workshop, { seconds, name }) {
  const masters = await startNodes(workshop, name)
  const sentinels = await startSentinels(workshop, { masters, name })
  for (const sentinel of sentinels) await settled(sentinel)
  await sleep(CALM_MS)
  const before = sentinels.map(({ folder }) => countSpans(folder))
  await sleep(seconds * 1_000)
  const measured = sentinels.map(async ({ folder }, at) => {
    const recordMb = await megabytesADay(firstSegment(folder), STEADY_MS)
    return { ...perMinute(folder, before[at]), recordMb }
  })
  const all = await Promise.all(measured)
  await workshop.endAll()
  return { sentinels: all }
}

/** Returns the ports of the masters. */
async function startNodes(workshop, name) {
  const ports = await freePorts(GROUPS.length * NODES_PER_GROUP)
  for (const [at, port] of ports.entries()) {
    const master = ports[at - (at % NODES_PER_GROUP)]
    const lines = port === master ? NODE_LINES : [...NODE_LINES, `replicaof ${HOST} ${master}`]
    startDaemon(workshop, { family: 'redis', role: 'server', port, name, lines })
  }
  return ports.filter((_, at) => at % NODES_PER_GROUP === 0)
}

async function startSentinels(workshop, { masters, name }) {
  const ports = await freePorts(SENTINELS)
  const groups = masters.map(
    (master, which) => `sentinel monitor ${GROUPS[which]} ${HOST} ${master} 2`,
  )
  const lines = [...groups, 'black-box yes']
  const daemon = { family: 'vedette', role: 'sentinel', name, lines, preload: PRELOAD }
  return ports.map((port) => startDaemon(workshop, { ...daemon, port }))
}

function settled(sentinel) {
  const line = new RegExp(`status=ok,.*slaves=${NODES_PER_GROUP - 1},sentinels=${SENTINELS}$`)
  const look = async (client) => {
    sentinel.member.assertRunning()
    const lines = (await client.info('sentinel')).split('\r\n')
    return lines.filter((one) => line.test(one)).length === GROUPS.length
  }
  const { title } = sentinel.member
  return withConnectionTo(sentinel, (client) =>
    until(`${title} knows everybody`, BOUND_MS, () => look(client)),
  )
}

function firstSegment(folder) {
  const [first] = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.vbb'))
  return join(folder, first)
}

function report(sentinels, seconds) {
  const column = (value, digits) => spread(summarise(sentinels.map(value)), digits)
  const more = (one) => 100 * (one.with / one.without - 1)
  const cpu = [column((one) => one.with, 0), column((one) => one.without, 0)]
  const together = { with: sumOf(sentinels, 'with'), without: sumOf(sentinels, 'without') }
  const all = [
    decimals(together.with, 0),
    decimals(together.without, 0),
    `${decimals(more(together), 1)} %`,
  ]
  const rows = [
    ['processor time, ms a minute', ...cpu, `${column(more, 1)} %`],
    ['of all together', ...all],
    ['record, MB a day', column(({ recordMb }) => recordMb, 1), decimals(undefined, 0), ''],
  ]
  const headings = ['min / median / max', 'with a record', 'without', 'more']
  const what =
    `**${GROUPS.length} idle groups of ${NODES_PER_GROUP} redis-servers, ${SENTINELS} Sentinels, ` +
    `${seconds} seconds a round.**`
  return `${what}\n\n${renderTable(headings, rows)}`
}
