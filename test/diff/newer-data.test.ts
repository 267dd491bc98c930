/**
 * Copies, streams and files between our node and a server newer than Redis 7.0, with what only these have: fields of
 * hashes that expire, and commands that a master passes on as they came.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HOW_TO_GET_IT, IS_NEWEST_PEER, NEWER_PEER } from '../support/newer-peer.ts'
import { vedette } from '../support/processes.ts'
import {
  HOST,
  type RealNode,
  replicationField,
  startOurs,
  startRedis,
} from '../support/real-nodes.ts'
import { scratchFolder } from '../support/scratch.ts'
import { nodesOfTest } from '../support/test-nodes.ts'
import { until } from '../support/until.ts'

const nodes = nodesOfTest()

async function started(starting: Promise<RealNode>): Promise<RealNode> {
  const node = await starting
  nodes.push(node)
  return node
}

const FAR_MS = '4000000000000'
const MANY = Array.from({ length: 600 }, (_, index) => `item-${index}`)

/** Only its masters send it as it came. */
const MSETEX = ['MSETEX', '2', 'many-a', '1', 'many-b', '2', 'PXAT', FAR_MS]

async function write({ client }: RealNode, prefix: string): Promise<void> {
  const key = (name: string) => `${prefix}-${name}`
  const commands = [
    ['SET', key('text'), 'a', 'PXAT', FAR_MS],
    ['RPUSH', key('list'), ...MANY],
    ['SADD', key('numbers'), '1', '-2', '5000000000'],
    ['ZADD', key('zset'), '1.5', 'a', '-inf', 'b'],
    ['XADD', key('stream'), '1-1', 'f', 'v'],
    ['XGROUP', 'CREATE', key('stream'), 'g', '0'],
    ['XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', key('stream'), '>'],
    ['HSET', key('hash'), 'lasting', '1', 'mortal', '2', 'gone', '3'],
    ['HPEXPIREAT', key('hash'), FAR_MS, 'FIELDS', '1', 'mortal'],
    ['HPEXPIREAT', key('hash'), '1', 'FIELDS', '1', 'gone'],
    ['HSET', key('large-hash'), ...MANY.flatMap((item) => [item, item])],
    ['HPEXPIREAT', key('large-hash'), FAR_MS, 'FIELDS', '2', 'item-7', 'item-500'],
    ['HSETEX', key('set-at-once'), 'PXAT', FAR_MS, 'FIELDS', '1', 'f', 'v'],
    ...(NEWER_PEER === 'valkey' ? [MSETEX] : []),
  ]
  for (const [name = '', ...rest] of commands) await client.call(name, ...rest)
}

/** Everything, in a form that does not depend on the order of fields and members. */
async function contents({ client }: RealNode): Promise<unknown> {
  const keys = (await client.keys('*')).sort()
  return await Promise.all(
    keys.map(async (key) => [key, await client.pexpiretime(key), await heldAt(client, key)]),
  )
}

async function heldAt(client: RealNode['client'], key: string): Promise<unknown> {
  switch (await client.type(key)) {
    case 'string':
      return await client.get(key)
    case 'list':
      return await client.lrange(key, 0, -1)
    case 'set':
      return (await client.smembers(key)).sort()
    case 'zset':
      return await client.zrange(key, '0', '-1', 'WITHSCORES')
    case 'stream':
      return [await client.xrange(key, '-', '+'), await client.xpending(key, 'g')]
    default: {
      const fields = (await client.hkeys(key)).sort()
      const words = [key, 'FIELDS', `${fields.length}`, ...fields]
      const moments = await client.call('HPEXPIRETIME', ...words)
      return [fields, await client.hmget(key, ...fields), moments]
    }
  }
}

async function follow(replica: RealNode, master: RealNode): Promise<void> {
  await replica.client.replicaof(HOST, master.port)
  await inStep(replica, master)
}

async function inStep(replica: RealNode, master: RealNode): Promise<void> {
  await until(async () => {
    if ((await replicationField(replica, 'master_link_status')) !== 'up') return false
    const offsets = [master, replica].map((one) => replicationField(one, 'master_repl_offset'))
    const [ahead, behind] = await Promise.all(offsets)
    return ahead === behind
  })
}

/** Their values are several words. */
const LISTS =
  /^(save|bind|bind-source-addr|client-output-buffer-limit|oom-score-adj-values|latency-tracking-info-percentiles)$/

const DIRECTIVES = { 'repl-diskless-sync-delay': '0' }

describe.skipIf(!IS_NEWEST_PEER)(`with a newer server (${HOW_TO_GET_IT})`, () => {
  for (const [name, start, startOther] of [
    ['our node follows it', startRedis, startOurs],
    ['it follows our node', startOurs, startRedis],
  ] as const) {
    test.for(['yes', 'no'])(`${name}: copy and stream, repl-diskless-sync %s`, async (diskless) => {
      const directives = { ...DIRECTIVES, 'repl-diskless-sync': diskless }
      const master = await started(start(directives))
      const replica = await started(startOther(directives))
      await write(master, 'copied')
      await follow(replica, master)
      expect(await contents(replica)).toEqual(await contents(master))
      await write(master, 'streamed')
      await inStep(replica, master)
      expect(await contents(replica)).toEqual(await contents(master))
      expect(await master.syncs()).toEqual([1, 0])
    })
  }

  test('one follows the other in a row, and the last has what the first was told', async () => {
    const first = await started(startOurs(DIRECTIVES))
    const middle = await started(startRedis(DIRECTIVES))
    const last = await started(startOurs(DIRECTIVES))
    await write(first, 'copied')
    await follow(middle, first)
    await follow(last, middle)
    await write(first, 'streamed')
    await inStep(middle, first)
    await inStep(last, middle)
    expect(await contents(last)).toEqual(await contents(first))
  })

  test.for(['yes', 'no'])('its files are loaded, aof-use-rdb-preamble %s', async (preamble) => {
    const dir = scratchFolder('newer-files')
    const directives = { dir, appendonly: 'yes', 'aof-use-rdb-preamble': preamble }
    const writer = await started(startRedis(directives))
    await write(writer, 'base')
    await writer.client.bgrewriteaof()
    await until(async () =>
      /aof_rewrite_in_progress:0/.test(await writer.client.info('persistence')),
    )
    await write(writer, 'appended')
    await writer.client.save()
    const told = await contents(writer)
    await writer.client.shutdown('NOSAVE').catch(() => undefined)
    const fromLog = await started(startOurs(directives))
    expect(await contents(fromLog)).toEqual(told)
    const fromDump = await started(startOurs({ dir }))
    expect(await contents(fromDump)).toEqual(told)
  })

  test('our node starts with everything that its CONFIG GET says', async () => {
    const peer = await started(startRedis())
    const words = (await peer.client.config('GET', '*')) as string[]
    const lines = words.flatMap((value, at) => {
      const name = words[at - 1] ?? ''
      if (at % 2 === 0 || value === '') return []
      return `${name} ${value.includes(' ') && !LISTS.test(name) ? `"${value}"` : value}`
    })
    const path = join(scratchFolder('newer-config'), 'redis.conf')
    writeFileSync(path, `${lines.join('\n')}\n`)
    const { stdout } = await vedette('check', path, '--json')
    const problems = JSON.parse(stdout) as { readonly severity: string }[]
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  })
})
