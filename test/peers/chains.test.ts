/**
 * Chains of our nodes and redis-servers under random histories: whatever is cut, promoted, killed or
 * started again, everybody ends with the same data, and nobody copies anew what it could have continued.
 */
import type { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import {
  HOST,
  hasRedisServer,
  type RealNode,
  replicationField,
  startOurs,
  startRedis,
} from '../support/real-nodes.ts'
import { scratchFolder } from '../support/scratch.ts'
import { nodesOfTest } from '../support/test-nodes.ts'
import { until } from '../support/until.ts'

type Start = typeof startOurs

const nodes = nodesOfTest()

const COMMON = { 'repl-diskless-sync-delay': '0', 'enable-debug-command': 'yes' }

async function started(start: Start, directives: Record<string, string> = {}): Promise<RealNode> {
  const node = await start({ ...COMMON, ...directives })
  nodes.push(node)
  return node
}

async function stopped(node: RealNode): Promise<void> {
  nodes.splice(nodes.indexOf(node), 1)
  await node.stop()
}

async function below(replica: RealNode, master: RealNode): Promise<void> {
  await replica.client.replicaof(HOST, master.port)
  await inStep(master, replica)
}

async function place(node: RealNode): Promise<string> {
  const id = await replicationField(node, 'master_replid')
  return `${id} ${await replicationField(node, 'master_repl_offset')}`
}

async function inStep(master: RealNode, replica: RealNode): Promise<void> {
  await until(async () => {
    if ((await replicationField(replica, 'master_link_status')) !== 'up') return false
    return (await place(master)) === (await place(replica))
  }, 20_000)
}

/** How many have come to a real server. Our own client stays connected. */
async function connectionsTo({ client }: RealNode): Promise<number> {
  return Number(/^total_connections_received:(\d+)/m.exec(await client.info('stats'))?.[1])
}

const digest = async ({ client }: RealNode) => String(await client.call('DEBUG', 'DIGEST'))

/** Everybody holds the same, once what is due to expire has expired. */
async function agree(master: RealNode, ...replicas: RealNode[]): Promise<void> {
  for (const replica of replicas) await inStep(master, replica)
  await until(async () => {
    const digests = await Promise.all([master, ...replicas].map(digest))
    return digests.every((one) => one === digests[0])
  })
}

/** How many commands of a history go out together. */
const BURST = 200

/** Writes of every type to few keys, in three databases, some with an expiry. */
async function write({ client }: RealNode, rng: Rng, count: number): Promise<void> {
  for (let done = 0; done < count; done += BURST) {
    const pipeline = client.pipeline()
    for (let index = 0; index < BURST; index++) {
      pipeline.call(...(randomCommand(rng) as [string, ...string[]]))
    }
    await pipeline.exec()
  }
  await client.select(0)
}

function randomCommand(rng: Rng): string[] {
  const key = (type: string) => `${type}-${rng.below(8)}`
  const item = () => `${rng.below(4) === 0 ? 'x'.repeat(rng.below(200)) : ''}${rng.below(20)}`
  const number = () => String(rng.below(2000) - 1000)
  return rng.pick([
    () => ['SELECT', String(rng.below(3))],
    () => ['SET', key('s'), item()],
    () => ['SET', key('s'), item(), 'PX', String(1 + rng.below(500))],
    () => ['SET', key('s'), item(), 'EX', '1000'],
    () => ['APPEND', key('s'), item()],
    () => ['INCRBYFLOAT', key('n'), `${number()}.5`],
    () => ['GETEX', key('s'), 'PX', String(1 + rng.below(2000))],
    () => ['RPUSH', key('l'), item(), item(), item()],
    () => ['LMOVE', key('l'), key('l'), 'LEFT', 'RIGHT'],
    () => ['LPOP', key('l'), '2'],
    () => ['LTRIM', key('l'), '0', '20'],
    () => ['SADD', key('t'), item(), item(), number()],
    () => ['SPOP', key('t'), String(1 + rng.below(3))],
    () => ['SUNIONSTORE', key('t'), key('t'), key('t')],
    () => ['HSET', key('h'), item(), item(), item(), number()],
    () => ['HINCRBYFLOAT', key('h'), 'float', '0.25'],
    () => ['HDEL', key('h'), item(), item()],
    () => ['ZADD', key('z'), number(), item(), number(), item()],
    () => ['ZINCRBY', key('z'), '1.5', item()],
    () => ['ZPOPMIN', key('z'), '2'],
    () => ['ZRANGESTORE', key('z'), key('z'), '0', '10'],
    () => ['XADD', key('x'), 'MAXLEN', '~', '50', '*', 'f', item()],
    () => ['XGROUP', 'CREATE', key('x'), 'g', '0', 'MKSTREAM'],
    () => ['XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', '2', 'STREAMS', key('x'), '>'],
    () => ['EXPIRE', key('z'), String(rng.below(3))],
    () => ['PERSIST', key('h')],
    () => ['DEL', key('l'), key('t')],
    () => ['RENAME', key('s'), key('s')],
    () => ['COPY', key('h'), key('h'), 'DB', String(rng.below(3)), 'REPLACE'],
    ...(rng.below(40) === 0 ? [() => ['FLUSHDB']] : []),
  ])()
}

async function cut(master: RealNode): Promise<void> {
  await master.client.call('CLIENT', 'KILL', 'TYPE', 'replica')
}

/** The master adds nothing to its history any more, not even the end of a key; its replicas have it all. */
async function standStill(master: RealNode, ...replicas: RealNode[]): Promise<void> {
  await master.client.call('CLIENT', 'PAUSE', '60000', 'WRITE')
  for (const replica of replicas) await inStep(master, replica)
}

/** The end of that, below another one: a paused redis-server does not even take its master's writes. */
async function demote(master: RealNode, successor: RealNode): Promise<void> {
  await master.client.replicaof(HOST, successor.port)
  await master.client.call('CLIENT', 'UNPAUSE')
  await inStep(successor, master)
}

async function save(client: Redis): Promise<void> {
  await client.call('SAVE')
}

const CHAINS: readonly [string, Start, Start, Start][] = [
  ['redis, ours, redis', startRedis, startOurs, startRedis],
  ['ours, redis, ours', startOurs, startRedis, startOurs],
  ['ours, ours, redis', startOurs, startOurs, startRedis],
]

describe.skipIf(!hasRedisServer)('with redis-server', () => {
  for (const [title, first, second, third] of CHAINS) {
    test(`${title}: random writes arrive whole, through a cut as well`, async () => {
      const rng = createRng(`chain ${title}`)
      const [top, middle, bottom] = [
        await started(first),
        await started(second),
        await started(third),
      ]
      await write(top, rng, 2000)
      await below(middle, top)
      await below(bottom, middle)
      await write(top, rng, 2000)
      await cut(top)
      await cut(middle)
      await write(top, rng, 1000)
      await agree(top, middle, bottom)
      expect([await top.syncs(), await middle.syncs()]).toEqual([
        [1, 1],
        [1, 1],
      ])
    })

    test(`${title}: the middle is promoted, and everybody continues`, async () => {
      const rng = createRng(`promotion ${title}`)
      const [top, middle, bottom] = [
        await started(first),
        await started(second),
        await started(third),
      ]
      await below(middle, top)
      await below(bottom, middle)
      await write(top, rng, 1000)
      await agree(top, middle, bottom)
      await standStill(top, middle, bottom)
      await middle.client.replicaof('NO', 'ONE')
      await write(middle, rng, 1000)
      await demote(top, middle)
      await agree(middle, top, bottom)
      const [full, partial] = await middle.syncs()
      expect([full, partial]).toEqual([1, 2])
      // And back again.
      await standStill(middle, top, bottom)
      await top.client.replicaof('NO', 'ONE')
      await write(top, rng, 500)
      await demote(middle, top)
      await agree(top, middle, bottom)
      expect((await top.syncs())[0]).toBe(1)
    })
  }

  for (const [title, startMaster, startReplica] of [
    ['our replica of a real master', startRedis, startOurs],
    ['a real replica of our master', startOurs, startRedis],
    ['our replica of our master', startOurs, startOurs],
  ] as const) {
    test(`${title} is started again, and continues where its dump was`, async () => {
      const rng = createRng(`replica restart ${title}`)
      const master = await started(startMaster)
      const kept = { dir: scratchFolder('chain') }
      const replica = await started(startReplica, kept)
      await below(replica, master)
      await write(master, rng, 1000)
      await agree(master, replica)
      await save(replica.client)
      await stopped(replica)
      await write(master, rng, 1000)
      const back = await started(startReplica, {
        ...kept,
        port: String(replica.port),
        replicaof: `${HOST} ${master.port}`,
      })
      await agree(master, back)
      expect(await master.syncs()).toEqual([1, 1])
    })

    test(`${title}: the master is started again with its dump, and the replica continues`, async () => {
      const rng = createRng(`master restart ${title}`)
      const kept = { dir: scratchFolder('chain') }
      const master = await started(startMaster, kept)
      const replica = await started(startReplica)
      await below(replica, master)
      await write(master, rng, 1000)
      await agree(master, replica)
      await standStill(master, replica)
      await save(master.client)
      await stopped(master)
      const back = await started(startMaster, { ...kept, port: String(master.port) })
      await write(back, rng, 500)
      await agree(back, replica)
      expect(await back.syncs()).toEqual([0, 1])
    })
  }

  test('a promotion that is taken back costs nobody below a copy, a real one included', async () => {
    const [top, middle] = [await started(startRedis), await started(startOurs)]
    const [ours, real] = [await started(startOurs), await started(startRedis)]
    await below(middle, top)
    await below(ours, middle)
    await below(real, middle)
    await top.client.set('k', 'v')
    await agree(top, middle, ours, real)
    await standStill(top, middle, ours, real)
    await middle.client.replicaof('NO', 'ONE')
    await inStep(middle, ours)
    await inStep(middle, real)
    await below(middle, top)
    await top.client.call('CLIENT', 'UNPAUSE')
    await top.client.set('k', 'w')
    await agree(top, middle, ours, real)
    expect([await top.syncs(), (await middle.syncs())[0]]).toEqual([[1, 1], 2])
  })

  test('a real master that comes back empty does not empty our replica, until an operator wants it', async () => {
    const master = await started(startRedis)
    const replica = await started(startOurs)
    await below(replica, master)
    await master.client.set('k', 'v')
    await inStep(master, replica)
    await stopped(master)
    const back = await started(startRedis, { port: String(master.port) })
    await until(
      async () => (await replicationField(replica, 'replica_empty_master_guard')) === '1',
      20_000,
    )
    expect(await replica.client.get('k')).toBe('v')
    // Not one snapshot after the other, while it is asked again and again.
    const [before] = await back.syncs()
    const asked = await connectionsTo(back)
    await until(async () => (await connectionsTo(back)) >= asked + 3)
    expect((await back.syncs())[0]).toBe(before)
    await replica.client.config('SET', 'replica-empty-master-guard', 'no')
    await inStep(back, replica)
    expect(await replica.client.dbsize()).toBe(0)
  })

  for (const [title, startOther] of [
    ['a real one', startRedis],
    ['ours', startOurs],
  ] as const) {
    test(`our demoted master below ${title} keeps exactly what that never had`, async () => {
      const master = await started(startOurs, { dir: scratchFolder('chain') })
      const other = await started(startOther)
      await below(other, master)
      await master.client.set('common', 'x')
      await inStep(master, other)
      await other.client.replicaof('NO', 'ONE')
      await master.client.set('lost', '1')
      await master.client.incr('lost')
      await other.client.set('kept', 'x'.repeat(1000))
      await below(master, other)
      expect([
        await replicationField(master, 'lost_writes_ledgers'),
        await replicationField(master, 'last_ledger_commands'),
      ]).toEqual(['1', '2'])
      expect(await master.client.keys('*').then((keys) => keys.sort())).toEqual(['common', 'kept'])
    })
  }
})
