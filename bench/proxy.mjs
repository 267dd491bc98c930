/**
 * What stands between an application and its master: `vedette proxy`, HAProxy with the usual recipe, or a direct
 * ioredis. In each run all of them write to one cluster at the same time, so they meet the same fault. Then what
 * the proxy, HAProxy and a bare forwarder let through, taken in turns, and what a client costs that says nothing.
 */
import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { HOSTS, startCluster } from './failover/cluster.mjs'
import { networkRefusal, openLoopback, prepareNetworks } from './failover/place.mjs'
import { Application } from './proxy/application.mjs'
import { FORWARDER, WAYS } from './proxy/ways.mjs'
import { until } from './support/clock.mjs'
import { withConnectionTo } from './support/connection.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { readOptions, someOf } from './support/options.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { medianOf } from './support/statistics.mjs'
import { renderTable, whole } from './support/table.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 3
const BOUND_MS = 45_000
/** Longer than any way that moves at all takes. */
const MOVE_MS = 15_000
const CONTENDER = { id: 'vedette', node: 'vedette', sentinel: 'vedette', detection: 'evidence' }
const LOADS = [
  { clients: 100, pipeline: 1 },
  { clients: 100, pipeline: 16 },
  { clients: 100, pipeline: 64 },
  { clients: 1_000, pipeline: 1 },
]
const REQUESTS = 40_000
const SPEED_WAYS = [...WAYS.slice(0, 2), FORWARDER]
/** Opened first: with them the heap of a process grows to its working size, whatever comes after. */
const FIRST_CLIENTS = 500
const IDLE_CLIENTS = 1_000

const FAULTS = [
  { id: 'kill', strike: ({ master }) => master.member.kill() },
  { id: 'stop', strike: ({ master }) => master.member.child.kill('SIGSTOP') },
  { id: 'cut', needsNetwork: true, strike: ({ place }) => place.isolate('master') },
  { id: 'coordinated', strike: (cluster) => handOver(cluster) },
  { id: 'rolling', strike: (cluster) => restartAll(cluster) },
]

const IDS = FAULTS.map(({ id }) => id)
const options = readOptions('proxy', 'compares the ways to a master', DEFAULT_ROUNDS, (command) =>
  command
    .option('--faults <id,…>', `of ${IDS}; all by default`, someOf(IDS), IDS)
    .option('--no-speed', 'leave throughput and memory out'),
)
if (isBuilt()) await main(options)
else process.exitCode = 2

async function main({ rounds, json, docs, faults: wanted, speed }) {
  const { versions, missing } = findPrograms(['redis-server', 'redis-benchmark'])
  const setting = describeSetting(versions)
  const refusal = await networkRefusal()
  const faults = FAULTS.filter(
    ({ id, needsNetwork }) => wanted.includes(id) && !(needsNetwork && refusal !== undefined),
  )
  const samples = await inWorkshop(async (workshop) => ({
    faults: await faultSamples(workshop, rounds, faults),
    speed: speed ? await speedSamples(workshop, rounds) : [],
  }))
  const leftOut = missing.map((command) => `${command} is not installed`)
  if (refusal !== undefined) leftOut.push(`cut: ${refusal}`)
  if (wanted.length < FAULTS.length || !speed) leftOut.push('only a part was asked for')
  finish({ name: 'proxy', setting, rounds, samples, text: report(samples), leftOut, json, docs })
}

async function faultSamples(workshop, rounds, faults) {
  const samples = []
  const openNetwork = faults.some(({ needsNetwork }) => needsNetwork)
    ? await prepareNetworks(workshop)
    : undefined
  for (let round = 0; round < rounds; round++) {
    for (const fault of faults) {
      const place = fault.needsNetwork ? await openNetwork(HOSTS) : openLoopback()
      const name = `${fault.id}-${round}`
      samples.push(...(await underFault(workshop, fault, { place, name })))
      place.close()
    }
  }
  return samples
}

async function underFault(workshop, fault, { place, name }) {
  const cluster = await startCluster(workshop, { place, contender: CONTENDER, name })
  const ways = []
  try {
    for (const way of WAYS) {
      ways.push({ way, ...(await way.open(workshop, { name: `${name}-${way.id}`, ...cluster })) })
    }
    const running = ways.map(({ way, client }) => ({ way, is: new Application(client(), way.id) }))
    await until('all write', BOUND_MS, () => running.every(({ is }) => is.acknowledged > 2_000))
    for (const { is } of running) is.begin()
    await fault.strike(cluster)
    const to = await replaced(cluster)
    const stored = (key) => withConnectionTo(to, async (client) => Number(await client.get(key)))
    const counts = () => Promise.all(WAYS.map(({ id }) => stored(id)))
    const before = await counts()
    // In a cut they are still served by the old master: only what the new one has says that they have left it. Whoever
    // stays for so long (HAProxy keeps a connection whose server answers) has lost all that it writes there.
    await until('all write to the new master', MOVE_MS, async () =>
      (await counts()).every((count, at) => count > before[at] + 200),
    ).catch(() => undefined)
    const met = await Promise.all(running.map(({ is }) => is.met(stored)))
    return running.map(({ way }, at) => ({ fault: fault.id, way: way.id, ...met[at] }))
  } finally {
    const members = ways.map(({ member }) => member).filter((member) => member !== undefined)
    await workshop.end([...members, ...cluster.members])
  }
}

/** The new master, once a Sentinel names it. */
function replaced({ sentinels, master, replicas }) {
  return withConnectionTo(sentinels[0], (client) =>
    until('there is a new master', BOUND_MS, async () => {
      const port = await namedPort(client)
      return port !== master.port && replicas.find((one) => one.port === port)
    }),
  )
}

async function namedPort(sentinel) {
  const [, port] = await sentinel.sentinel('GET-MASTER-ADDR-BY-NAME', 'mymaster')
  return Number(port)
}

/** As an operator does it: SIGTERM, started again, and the next one when all is well; the master is the last node. */
async function restartAll({ master, replicas, sentinels, members }) {
  for (const one of [...replicas, master]) {
    await restart(one, members)
    await until(`${one.port} follows`, BOUND_MS, () => withConnectionTo(one, isInSync))
  }
  for (const one of sentinels) {
    await restart(one, members)
    await until(`${one.port} names the new master`, BOUND_MS, () =>
      withConnectionTo(one, async (client) => (await namedPort(client)) !== master.port),
    )
  }
}

async function restart(daemon, members) {
  const { child } = daemon.member
  child.kill('SIGTERM')
  await until(`${daemon.port} ends`, BOUND_MS, () => child.exitCode !== null)
  members.push(daemon.again())
}

async function isInSync(client) {
  const [role, , , state] = await client.role()
  return role === 'slave' && state === 'connected'
}

function handOver({ sentinels }) {
  return withConnectionTo(sentinels[0], (client) =>
    until('the Sentinel takes the order', BOUND_MS, () =>
      client.sentinel('FAILOVER', 'mymaster', 'COORDINATED').catch(() => undefined),
    ),
  )
}

async function speedSamples(workshop, rounds) {
  const contender = { ...CONTENDER, node: 'redis' }
  const cluster = await startCluster(workshop, { place: openLoopback(), contender, name: 'speed' })
  const members = [...cluster.members]
  try {
    const samples = []
    for (const way of SPEED_WAYS) {
      const { member, port } = await way.open(workshop, { name: `speed-${way.id}`, ...cluster })
      members.push(member)
      samples.push({ way: way.id, port, idleBytes: await idleBytes(member, port), runs: [] })
    }
    for (let round = 0; round < rounds; round++) {
      for (const load of LOADS) {
        for (const sample of samples) sample.runs.push({ load, ...benchmark(sample.port, load) })
      }
    }
    return samples
  } finally {
    await workshop.end(members)
  }
}

/** Resident bytes for each of many more clients that have asked once and say nothing more. */
async function idleBytes({ child }, port) {
  const first = await idleClients(port, FIRST_CLIENTS)
  const before = residentBytes(child.pid)
  const more = await idleClients(port, IDLE_CLIENTS)
  const after = residentBytes(child.pid)
  for (const socket of [...first, ...more]) socket.destroy()
  return (after - before) / IDLE_CLIENTS
}

async function idleClients(port, count) {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
  await Promise.all(sockets.map(answered))
  await sleep(1_000)
  return sockets
}

function answered(socket) {
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('data', resolve)
    socket.write('PING\r\n')
  })
}

function residentBytes(pid) {
  return (
    Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) * 1024
  )
}

function benchmark(port, { clients, pipeline }) {
  const count = REQUESTS * Math.max(1, pipeline / 4)
  const args = [
    '-p',
    `${port}`,
    '-c',
    `${clients}`,
    '-n',
    `${count}`,
    '-P',
    `${pipeline}`,
    '-t',
    'set',
    '--csv',
  ]
  const { stdout } = spawnSync('redis-benchmark', args, { encoding: 'utf8', timeout: 120_000 })
  const [, row = ''] = stdout.trim().split('\n')
  const cells = row.split(',').map((cell) => Number(cell.replaceAll('"', '')))
  return { perSecond: cells[1], p99Ms: cells[6] }
}

function report({ faults, speed }) {
  const played = FAULTS.filter(({ id }) => faults.some((one) => one.fault === id))
  const rows = played.flatMap(({ id }) =>
    WAYS.map((way) => {
      const those = faults.filter((one) => one.fault === id && one.way === way.id)
      const cell = (field) => whole(medianOf(those.map((one) => one[field])))
      return [`${id}, ${way.title}`, ...['gapMs', 'errors', 'lost', 'doubled'].map(cell)]
    }),
  )
  const speeds = LOADS.flatMap((load) =>
    speed.map(({ way, idleBytes: bytes, runs }) => {
      const those = runs.filter((one) => one.load === load)
      const { title } = SPEED_WAYS.find(({ id }) => id === way)
      const cells = [
        medianOf(those.map((one) => one.perSecond)),
        medianOf(those.map((one) => one.p99Ms)),
        bytes,
      ]
      return [`${load.clients} clients, pipeline ${load.pipeline}, ${title}`, ...cells.map(whole)]
    }),
  )
  return [
    renderTable(['fault, way', 'longest gap ms', 'errors', 'lost', 'done twice'], rows),
    renderTable(['SET', 'per second', 'p99 ms', 'bytes per idle client'], speeds),
  ].join('\n\n')
}
