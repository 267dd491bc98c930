/** Everything that is measured for one program in one round, on one data set. */
import { once } from 'node:events'
import { copyFileSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathOf } from '../../scripts/paths.mjs'
import { nowMs, until } from '../support/clock.mjs'
import { withConnection } from '../support/connection.mjs'
import { NODE_LINES, startDaemon } from '../support/daemon.mjs'
import { freePorts, HOST } from '../support/ports.mjs'
import { Clients } from './clients.mjs'
import { fill } from './dataset.mjs'
import { MemoryWatch } from './memory.mjs'

const BOUND_MS = 120_000
const POLL_MS = 5
/** Long enough to see the clients' waits without any saving as well. */
const QUIET_MS = 3_000

export async function measureContender(workshop, { contender, name, keys }) {
  const master = await startNode(workshop, { contender, name: `${name}-master` })
  await fill(master, keys)
  const clients = Clients.start(workshop, master, keys)
  const quiet = await clients.during(() => sleep(QUIET_MS))
  const save = await watched(clients, master, () => saveNow(master))
  const elsewhere = await clients.during(() => readAll(workshop, master))
  const replica = await startNode(workshop, { contender, name: `${name}-replica` })
  const copy = await watched(clients, master, () => copyTo(master, replica, keys))
  await clients.stop()
  const partialMs = await reconnect(master, replica)
  await workshop.end([replica.member])
  const loadMs = await reload(workshop, { contender, name, master })
  return {
    quietMaxMs: quiet.waits.maxMs,
    saveMs: save.result,
    saveMaxMs: save.waits.maxMs,
    saveP999Ms: save.waits.p999Ms,
    saveMib: save.mib,
    readMaxMs: elsewhere.waits.maxMs,
    readP999Ms: elsewhere.waits.p999Ms,
    copyMs: copy.result,
    copyMaxMs: copy.waits.maxMs,
    copyP999Ms: copy.waits.p999Ms,
    copyMib: copy.mib,
    partialMs,
    loadMs,
  }
}

async function watched(clients, node, work) {
  const watch = new MemoryWatch(node.member.child.pid)
  const { result, waits } = await clients.during(work)
  const copied = await withConnection(node.port, (client) => fieldOf(client, 'rdb_last_cow_size'))
  return { result, waits, mib: watch.stop(Number(copied ?? 0)) }
}

function saveNow({ port, member }) {
  return withConnection(port, async (client) => {
    const startedMs = nowMs()
    await client.bgsave()
    await until(
      'the data are saved',
      BOUND_MS,
      async () => {
        member.assertRunning()
        return (await fieldOf(client, 'rdb_bgsave_in_progress')) === '0'
      },
      POLL_MS,
    )
    const status = await fieldOf(client, 'rdb_last_bgsave_status')
    if (status !== 'ok') throw new Error(`saving ended with ${status}`)
    return nowMs() - startedMs
  })
}

/** A full resynchronisation to a replica that puts no load on this machine, see reader.mjs. */
async function readAll(workshop, { port }) {
  const reader = workshop.fork({
    title: 'the reader',
    script: pathOf('bench/data/reader.mjs'),
    args: [String(port)],
  })
  await Promise.race([once(reader.child, 'message'), failAtExit(reader)])
}

async function failAtExit({ child, title }) {
  await once(child, 'exit')
  throw new Error(`${title} ended before it had everything`)
}

function copyTo(master, replica, keys) {
  return withConnection(replica.port, async (client) => {
    const startedMs = nowMs()
    await client.replicaof(HOST, master.port)
    await until(
      'the replica is in sync',
      BOUND_MS,
      async () => {
        replica.member.assertRunning()
        return (await isConnected(client)) && (await client.dbsize()) === keys
      },
      POLL_MS,
    )
    return nowMs() - startedMs
  })
}

/**
 * A replica does not trust a link at once: one that is lost in its first second is not reopened immediately.
 */
const LINK_PROVEN_MS = 1_500

/** From the loss of the connection until the replica has what it missed, a hundred writes. */
function reconnect(master, replica) {
  return withConnection(master.port, (client) =>
    withConnection(replica.port, async (observer) => {
      await sleep(LINK_PROVEN_MS)
      const before = Number(await fieldOf(client, 'sync_partial_ok'))
      const startedMs = nowMs()
      await client.client('KILL', 'TYPE', 'replica')
      await client.mset(Array.from({ length: 100 }, (_, at) => [`missed:${at}`, at]).flat())
      await until(
        'the replica has what it missed',
        BOUND_MS,
        async () => {
          return (await observer.get('missed:99')) === '99'
        },
        1,
      )
      const after = Number(await fieldOf(client, 'sync_partial_ok'))
      if (after !== before + 1) throw new Error('the resynchronisation was not a partial one')
      return nowMs() - startedMs
    }),
  )
}

/** From the start of the process to the first answer that needs the data. */
async function reload(workshop, { contender, name, master }) {
  const dump = join(master.folder, 'dump.rdb')
  await workshop.end([master.member])
  if (!existsSync(dump)) throw new Error('there is no dump to load')
  const startedMs = nowMs()
  const node = await startNode(workshop, { contender, name: `${name}-load`, dump })
  const durationMs = nowMs() - startedMs
  await workshop.end([node.member])
  return durationMs
}

async function startNode(workshop, { contender, name, dump }) {
  const [port] = await freePorts(1)
  const place = { family: contender.family, role: 'server', port, name, lines: NODE_LINES }
  if (dump !== undefined) {
    copyFileSync(dump, join(workshop.createFolder(join(name, String(port))), 'dump.rdb'))
  }
  const node = startDaemon(workshop, place)
  const folder = dirname(join(workshop.createFolder(join(name, String(port))), 'x'))
  await withConnection(port, (client) =>
    until(
      `${node.member.title} answers`,
      BOUND_MS,
      async () => {
        node.member.assertRunning()
        return (await client.ping()) === 'PONG'
      },
      POLL_MS,
    ),
  )
  return { ...node, folder }
}

async function isConnected(client) {
  const [, , , state] = await client.role()
  return state === 'connected'
}

async function fieldOf(client, name) {
  const line = (await client.info()).split('\r\n').find((one) => one.startsWith(`${name}:`))
  return line?.slice(name.length + 1)
}
