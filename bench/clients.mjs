/**
 * What applications meet when the master changes: ioredis, node-redis, redis-py, php-redis (plain, and through the
 * proxy) and hiredis increment counters at one cluster at the same time, under a kill, a stop, a cut and a planned
 * switch; once with Vedette, once with redis-sentinel over redis-server.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readOutcomes, summarize } from './clients/outcomes.mjs'
import { isThere, PROGRAMS } from './clients/programs.mjs'
import { GROUP, HOSTS, startCluster } from './failover/cluster.mjs'
import { networkRefusal, openLoopback, prepareNetworks } from './failover/place.mjs'
import { until } from './support/clock.mjs'
import { withConnectionTo } from './support/connection.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { readOptions, someOf } from './support/options.mjs'
import { freePorts } from './support/ports.mjs'
import { builtPath, findPrograms, isBuilt } from './support/programs.mjs'
import { measureAll, withoutResult } from './support/rounds.mjs'
import { medianOf } from './support/statistics.mjs'
import { renderTable, whole } from './support/table.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 3
/** A second attempt of C Sentinel follows after twice the failover-timeout. */
const BOUND_MS = 45_000
const WARM_UP = 200
/** Acknowledged so often after the switch: it has arrived. */
const ARRIVED = 100
/** What was on its way at the switch is none of the new master's. */
const IN_FLIGHT_MS = 200

const FIELDS = ['gapMs', 'errors', 'lost', 'twice']

const CONTENDERS = [
  { id: 'vedette', title: 'Vedette', sentinel: 'vedette', detection: 'evidence', node: 'vedette' },
  { id: 'redis', title: 'redis-sentinel', sentinel: 'redis', node: 'redis' },
]

const FAULTS = [
  { id: 'kill', strike: ({ master }) => master.member.child.kill('SIGKILL') },
  { id: 'stop', strike: ({ master }) => master.member.child.kill('SIGSTOP') },
  { id: 'cut', needsNetwork: true, strike: ({ place }) => place.isolate('master') },
  { id: 'planned', strike: (cluster, contender) => handOver(cluster, contender) },
]

const IDS = FAULTS.map(({ id }) => id)
const options = readOptions('clients', 'compares client libraries', DEFAULT_ROUNDS, (command) =>
  command.option('--faults <id,…>', `of ${IDS}; all by default`, someOf(IDS), IDS),
)
if (isBuilt()) await main(options)
else process.exitCode = 2

async function main({ rounds, json, docs, faults: wanted }) {
  const { versions, missing } = findPrograms(['redis-server', 'redis-sentinel'])
  const setting = describeSetting(versions)
  const refusal = wanted.includes('cut') ? await networkRefusal() : undefined
  const faults = FAULTS.filter(
    ({ id, needsNetwork }) => wanted.includes(id) && !(needsNetwork && refusal !== undefined),
  )
  const contenders = CONTENDERS.filter(({ id }) => id !== 'redis' || missing.length === 0)
  const programs = PROGRAMS.filter(isThere)
  const samples = await inWorkshop((workshop) =>
    measure(workshop, plan(rounds, faults, contenders), programs),
  )
  const leftOut = [
    ...missing.map((command) => `${command} is not installed`),
    ...PROGRAMS.filter((one) => !programs.includes(one)).map(({ id }) => `${id} is not installed`),
    ...(refusal === undefined ? [] : [`no network cut: ${refusal}`]),
    ...(wanted.length < FAULTS.length ? ['only a part was asked for'] : []),
    ...withoutResult(samples, ({ fault, contender }) => `${fault}, ${contender}`),
  ]
  const text = report(samples, { faults, contenders, programs })
  finish({ name: 'clients', setting, rounds, samples, text, leftOut, json, docs })
}

function plan(rounds, faults, contenders) {
  return Array.from({ length: rounds }, (_, round) =>
    faults.flatMap((fault) => contenders.map((contender) => ({ round, fault, contender }))),
  ).flat()
}

async function measure(workshop, runs, programs) {
  const needsNetwork = runs.some(({ fault }) => fault.needsNetwork)
  const openNetwork = needsNetwork ? await prepareNetworks(workshop) : undefined
  return measureAll(workshop, runs, {
    label: ({ round, fault, contender }) => ({ round, fault: fault.id, contender: contender.id }),
    work: async ({ fault, contender }, name) => {
      const place = fault.needsNetwork ? await openNetwork(HOSTS) : openLoopback()
      try {
        return await underFault(workshop, { place, fault, contender, name, programs })
      } finally {
        place.close()
      }
    },
  })
}

/** Returns what each program met, under its id. */
async function underFault(workshop, { place, fault, contender, name, programs }) {
  const cluster = await startCluster(workshop, { place, contender, name })
  const { members, sentinels, replicas, master } = cluster
  try {
    const proxy = await openProxy(workshop, cluster, name)
    members.push(proxy.member)
    const running = programs.map((program) => start(workshop, { program, cluster, proxy, name }))
    members.push(...running.map(({ member }) => member))
    await until('all write', BOUND_MS, () =>
      running.every(({ member, outcomes }) => {
        member.assertRunning()
        return countSince(outcomes(), 0) > WARM_UP
      }),
    )
    const fromMs = Date.now()
    await fault.strike(cluster, contender)
    const promoted = await replaced(sentinels[0], master, replicas)
    // Until then redis-sentinel's clients may still write to the old master, and lose that.
    if (fault.id === 'planned') await demoted(master)
    const switchedMs = Date.now() + IN_FLIGHT_MS
    for (const { program, outcomes } of running) {
      await until(`${program.id} writes again`, BOUND_MS, () => {
        return countSince(outcomes(), switchedMs) > ARRIVED
      })
    }
    await workshop.end(running.map(({ member }) => member))
    await sleep(IN_FLIGHT_MS)
    const met = await withConnectionTo(promoted, (client) =>
      Promise.all(
        running.map(async ({ program, key, outcomes }) => {
          const stored = Number(await client.get(key))
          return [program.id, summarize(outcomes(), { fromMs, stored })]
        }),
      ),
    )
    return { met: Object.fromEntries(met) }
  } finally {
    await workshop.end(members)
  }
}

function countSince(outcomes, sinceMs) {
  return outcomes.filter(({ atMs, error }) => error === undefined && atMs > sinceMs).length
}

function start(workshop, { program, cluster: { application, sentinels }, proxy, name }) {
  const key = program.id.replaceAll(/\W+/g, '-')
  const folder = workshop.createFolder(join(name, key))
  const places = program.isBehindProxy
    ? [`${application.ip}:${proxy.port}`]
    : sentinels.map(({ host, port }) => `${host.ip}:${port}`)
  const { command, args } = program
  const daemon = { title: key, command, args: args(key, places), folder, host: application }
  const member = workshop.spawn(daemon)
  const outcomes = () => readOutcomes(readFileSync(join(folder, `${key}.log`), 'utf8'))
  return { program, key, member, outcomes }
}

/** Beside the application, as a sidecar is. */
async function openProxy(workshop, { application, sentinels }, name) {
  const [port] = await freePorts(1)
  const asked = sentinels.flatMap(({ host, port: at }) => ['--sentinel', `${host.ip}:${at}`])
  const door = ['--group', GROUP, '--port', `${port}`, '--bind', application.ip]
  const args = [builtPath('launch/vedette.cjs'), 'proxy', ...asked, ...door]
  const folder = workshop.createFolder(join(name, 'proxy'))
  const member = workshop.spawn({
    ...{ title: 'proxy', command: process.execPath, args, folder, host: application },
  })
  await withConnectionTo({ port, host: application }, (client) =>
    until('the proxy leads to the master', BOUND_MS, async () => {
      member.assertRunning()
      return (await client.set('ready', '1')) === 'OK'
    }),
  )
  return { member, port }
}

/** As an operator does it: redis-sentinel 7.0 knows no coordinated one. */
function handOver({ sentinels }, { sentinel }) {
  const words = sentinel === 'vedette' ? ['COORDINATED'] : []
  return withConnectionTo(sentinels[0], (client) =>
    until('the Sentinel takes the order', BOUND_MS, () =>
      client.sentinel('FAILOVER', GROUP, ...words).catch(() => undefined),
    ),
  )
}

function demoted(node) {
  return withConnectionTo(node, (client) =>
    until(
      'the old master is a replica',
      BOUND_MS,
      async () => (await client.role())[0] === 'slave',
    ),
  )
}

/** The new master, once a Sentinel names it. */
function replaced(sentinel, master, replicas) {
  return withConnectionTo(sentinel, (client) =>
    until('there is a new master', BOUND_MS, async () => {
      const [, port] = await client.sentinel('GET-MASTER-ADDR-BY-NAME', GROUP)
      return Number(port) !== master.port && replicas.find((one) => one.port === Number(port))
    }),
  )
}

function report(samples, { faults, contenders, programs }) {
  const cells = (fault, program, contender) => {
    const those = samples.filter((one) => one.fault === fault.id && one.contender === contender.id)
    const met = those.flatMap((one) => one.met?.[program.id] ?? [])
    return FIELDS.map((field) => whole(medianOf(met.map((one) => one[field]))))
  }
  const rows = faults.flatMap((fault) =>
    programs.map((program) => [
      `${fault.id}, ${program.id}`,
      ...contenders.flatMap((contender) => cells(fault, program, contender)),
    ]),
  )
  const headings = contenders.flatMap(({ title }) => [
    ...[`${title}: longest gap ms`, 'errors', 'lost', 'done twice'],
  ])
  return renderTable(['fault, client', ...headings], rows)
}
