/**
 * What does the black box cost? Three idle groups of a master and two replicas (Redis' own) are watched by four
 * Sentinels in one run: two of them keep a record, two do not. In the first minutes after a start the engine compiles
 * what a record adds, which says nothing of a day.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nowMs, until } from './support/clock.mjs'
import { withConnectionTo } from './support/connection.mjs'
import { cpuMsOf } from './support/cpu.mjs'
import { NODE_LINES, startDaemon } from './support/daemon.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { positive, readOptions } from './support/options.mjs'
import { freePorts, HOST } from './support/ports.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { measureAll, withoutResult } from './support/rounds.mjs'
import { ratioOf, summarise } from './support/statistics.mjs'
import { decimals, renderTable } from './support/table.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 1
const DEFAULT_SECONDS = 780
const GROUPS = ['one', 'two', 'three']
const NODES_PER_GROUP = 3
const SENTINELS = 4
const BOUND_MS = 60_000
/** By then the engine has compiled what runs often. */
const CALM_MS = 240_000
const DAY_MS = 86_400_000

const KINDS = [
  { id: 'with', title: 'with a record' },
  { id: 'without', title: 'without' },
]
const MEASURES = [
  { id: 'cpuMs', title: 'processor time, ms a minute', digits: 0 },
  { id: 'recordMb', title: 'record, MB a day', digits: 1 },
]

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
      work: ({ round }, name) => measureRound(workshop, { round, seconds, name }),
    }),
  )
  const text = report(
    samples.flatMap(({ sentinels = [] }) => sentinels),
    seconds,
  )
  const leftOut = withoutResult(samples, () => 'Sentinels')
  finish({ name: 'recorder', setting, rounds, samples, text, leftOut, json, docs })
}

async function measureRound(workshop, { round, seconds, name }) {
  const masters = await startNodes(workshop, name)
  const sentinels = await startSentinels(workshop, { round, masters, name })
  for (const sentinel of sentinels) await settled(sentinel)
  await sleep(CALM_MS)
  const before = sentinels.map(seen)
  const startedMs = nowMs()
  await sleep(seconds * 1_000)
  const passedMs = nowMs() - startedMs
  const measured = sentinels.map((sentinel, at) => {
    const now = seen(sentinel)
    const cpuMs = ((now.cpuMs - before[at].cpuMs) * 60_000) / passedMs
    const recordMb = ((now.bytes - before[at].bytes) * DAY_MS) / passedMs / 1e6
    return { kind: sentinel.kind, cpuMs, ...(sentinel.kind === 'with' ? { recordMb } : {}) }
  })
  await workshop.endAll()
  return { sentinels: measured }
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

/** They take turns, and every round begins with another kind: it matters who was there first. */
async function startSentinels(workshop, { round, masters, name }) {
  const ports = await freePorts(SENTINELS)
  return ports.map((port, at) => {
    const kind = KINDS[(at + round) % KINDS.length].id
    const groups = masters.map(
      (master, which) => `sentinel monitor ${GROUPS[which]} ${HOST} ${master} 2`,
    )
    const lines = [...groups, `black-box ${kind === 'with' ? 'yes' : 'no'}`]
    const daemon = { family: 'vedette', role: 'sentinel', port, name, lines }
    const folder = join(workshop.createFolder(join(name, String(port))))
    return { ...startDaemon(workshop, daemon), kind, folder }
  })
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

/** Milliseconds of processor time, and bytes of its record. */
function seen({ member, folder }) {
  const files = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.vbb'))
  const bytes = files.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
  return { cpuMs: cpuMsOf(member.child.pid), bytes }
}

function report(sentinels, seconds) {
  const summaryOf = (kind, id) =>
    summarise(sentinels.filter((one) => one.kind === kind).map((one) => one[id]))
  const rows = MEASURES.map(({ id, title, digits }) => {
    const [with_, without] = KINDS.map(({ id: kind }) => summaryOf(kind, id))
    const more = ratioOf(with_, without)
    return [
      title,
      spread(with_, digits),
      spread(without, digits),
      more === undefined ? decimals(undefined, 0) : `${decimals(100 * (more - 1), 1)} %`,
    ]
  })
  const headings = ['min / median / max', ...KINDS.map(({ title }) => title), 'more']
  const what =
    `**${GROUPS.length} idle groups of ${NODES_PER_GROUP} redis-servers, ${SENTINELS} Sentinels, ` +
    `${seconds} seconds a round.**`
  return `${what}\n\n${renderTable(headings, rows)}`
}

function spread(summary, digits) {
  if (summary === undefined) return decimals(undefined, digits)
  return [summary.min, summary.median, summary.max].map((one) => decimals(one, digits)).join(' / ')
}
