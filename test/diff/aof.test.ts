/**
 * The append-only file on its way between Redis and us: what one has written the other loads, and goes on
 * writing. Both say with DEBUG DIGEST what they hold.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { hasRedisServer, type RealNode, startOurs, startRedis } from '../support/real-nodes.ts'
import { scratchFolder } from '../support/scratch.ts'
import { until } from '../support/until.ts'

const LATER = '4102444800000'
const FOLDER = 'appendonlydir'
const COMMANDS = 400

type Start = typeof startOurs

let dir = ''
let running: RealNode[] = []

beforeEach(() => {
  dir = scratchFolder('aof')
})

afterEach(async () => {
  for (const node of running) await node.stop()
  running = []
})

async function start(on: Start, directives: Record<string, string> = {}): Promise<RealNode> {
  const node = await on({ dir, appendonly: 'yes', 'enable-debug-command': 'yes', ...directives })
  running.push(node)
  await until(async () => (await node.client.call('DBSIZE')) !== undefined)
  return node
}

async function stop(node: RealNode): Promise<void> {
  running = running.filter((other) => other !== node)
  await node.stop()
}

async function digest(node: RealNode): Promise<unknown> {
  return node.client.call('DEBUG', 'DIGEST')
}

/** Changes of every type, in several databases, some of them together. */
async function fill(node: RealNode, rng: Rng): Promise<void> {
  const pipeline = node.client.pipeline()
  for (let count = 0; count < COMMANDS; count++) {
    if (rng.chance(1, 20)) pipeline.call('SELECT', String(rng.below(4)))
    if (rng.chance(1, 30)) {
      pipeline.call('MULTI')
      for (let inner = 1 + rng.below(4); inner > 0; inner--) pipeline.call(...change(rng))
      pipeline.call('EXEC')
    } else {
      pipeline.call(...change(rng))
    }
  }
  await pipeline.exec()
}

function change(rng: Rng): [string, ...string[]] {
  const key = (type: string) => `${type}${rng.below(8)}`
  const word = () => rng.pick(['a', 'b\r\n', '\0\x01', 'x'.repeat(100), '12', '-7', 'ä'])
  const number = () => String(rng.below(1_000))
  return rng.pick<() => [string, ...string[]]>([
    () => ['SET', key('string'), word()],
    () => ['SET', key('string'), word(), 'EX', '100000'],
    () => ['APPEND', key('string'), word()],
    () => ['INCRBYFLOAT', key('float'), '0.1'],
    () => ['RPUSH', key('list'), word(), number()],
    () => ['LPOP', key('list')],
    () => ['SADD', key('set'), word(), number()],
    () => ['SPOP', key('set')],
    () => ['HSET', key('hash'), word(), number()],
    () => ['HDEL', key('hash'), word()],
    () => ['ZADD', key('zset'), number(), word(), '-inf', 'low', '0.1', number()],
    () => ['ZINCRBY', key('zset'), '1.5', word()],
    () => ['ZPOPMIN', key('zset')],
    () => ['XADD', key('stream'), '*', 'field', word()],
    () => ['XTRIM', key('stream'), 'MAXLEN', '5'],
    () => ['PEXPIREAT', key('list'), LATER],
    () => ['DEL', key('hash'), key('set')],
    () => ['RENAME', key('string'), key('string')],
    () => ['PUBLISH', 'channel', word()],
    () => ['SETBIT', key('bits'), number(), '1'],
    () => ['PFADD', key('log'), number()],
  ])()
}

/** A group with readers, and streams that have lost what they had. */
async function fillGroups(node: RealNode): Promise<void> {
  const { client } = node
  await client.call('SELECT', '0')
  for (const id of ['1-1', '2-1', '3-1']) await client.call('XADD', 'events', id, 'k', id)
  await client.call('XGROUP', 'CREATE', 'events', 'readers', '0')
  await client.call('XGROUP', 'CREATECONSUMER', 'events', 'readers', 'idle')
  const read = ['XREADGROUP', 'GROUP', 'readers', 'busy', 'COUNT', '2', 'STREAMS', 'events', '>']
  await client.call(read[0] as string, ...read.slice(1))
  await client.call('XDEL', 'events', '2-1')
  await client.call('XADD', 'emptied', '5-5', 'k', 'v')
  await client.call('XDEL', 'emptied', '5-5')
}

async function groups(node: RealNode): Promise<unknown> {
  const { client } = node
  return [
    await client.call('XPENDING', 'events', 'readers'),
    ((await client.call('XINFO', 'STREAM', 'emptied')) as unknown[]).slice(0, 2),
    await client.call('XREVRANGE', 'emptied', '+', '-'),
  ]
}

async function rewrite(node: RealNode): Promise<void> {
  await node.client.call('BGREWRITEAOF')
  await until(async () => {
    const info = await node.client.info('persistence')
    const isOver = info.includes('aof_rewrite_in_progress:0')
    return isOver && info.includes('aof_rewrite_scheduled:0')
  })
}

function filesOf(type: 'base' | 'incr'): string[] {
  return readdirSync(join(dir, FOLDER)).filter((name) => name.includes(`.${type}.`))
}

describe.skipIf(!hasRedisServer)('between Redis and us', () => {
  const WAYS: readonly [string, Start, Start][] = [
    ['what Redis has written, we load', startRedis, startOurs],
    ['what we have written, Redis loads', startOurs, startRedis],
  ]

  describe.each(WAYS)('%s', (_name, writer, reader) => {
    test.each(['yes', 'no'])(
      'with aof-use-rdb-preamble %s, before and after a rewrite',
      async (use) => {
        const rng = createRng(`preamble ${use}`)
        const directives = { 'aof-use-rdb-preamble': use, 'aof-timestamp-enabled': use }
        const first = await start(writer, directives)
        await fill(first, rng)
        await fillGroups(first)
        const before = [await digest(first), await groups(first)]
        await stop(first)
        const second = await start(reader, directives)
        expect([await digest(second), await groups(second)]).toEqual(before)
        await stop(second)

        const third = await start(writer, directives)
        await rewrite(third)
        expect(
          filesOf('base').every((name) => name.endsWith(use === 'yes' ? '.rdb' : '.aof')),
        ).toBe(true)
        const middle = [await digest(third), await groups(third)]
        await fill(third, rng)
        const after = await digest(third)
        await stop(third)
        expect(middle).toEqual(before)
        const fourth = await start(reader, directives)
        expect(await digest(fourth)).toBe(after)
      },
    )

    test('and goes on writing, and back again', async () => {
      const rng = createRng('back and forth')
      let last: unknown
      for (const on of [writer, reader, writer, reader, writer]) {
        const node = await start(on)
        if (last !== undefined) expect(await digest(node)).toBe(last)
        await fill(node, rng)
        if (rng.chance(1, 2)) await rewrite(node)
        last = await digest(node)
        await stop(node)
      }
      expect(await digest(await start(reader))).toBe(last)
    })

    // Torn within a command of a transaction, Redis leaves the MULTI open and later loses what follows.
    test.each([
      ['a transaction', encodeCommand(['MULTI']) + encodeCommand(['SET', 'lost', '1'])],
      ['a command', '*3\r\n$3\r\nSET\r\n$4\r\nlost\r\n$10\r\n12345'],
      ['the length of a word', '*3\r\n$3\r\nSET\r\n$'],
    ])('if it ends in the middle of %s, without that', async (_what, torn) => {
      const first = await start(writer)
      await first.client.set('kept', '1')
      const before = await digest(first)
      await stop(first)
      appendFileSync(join(dir, FOLDER, filesOf('incr')[0] as string), torn)
      const second = await start(reader)
      expect(await digest(second)).toBe(before)
      await second.client.set('more', '1')
      const after = await digest(second)
      await stop(second)
      expect(await digest(await start(writer))).toBe(after)
    })

    test('from the single file of a server before 7.0', async () => {
      const commands = [
        ['SELECT', '2'],
        ['SET', 'old', '1'],
        ['RPUSH', 'list', 'a', 'b'],
      ]
      const bytes = commands.map(encodeCommand).join('')
      appendFileSync(join(dir, 'appendonly.aof'), bytes)
      const first = await start(writer)
      expect(await first.client.call('INFO', 'keyspace')).toContain('db2:keys=2')
      const before = await digest(first)
      await stop(first)
      expect(readdirSync(dir)).not.toContain('appendonly.aof')
      expect(filesOf('incr')).toHaveLength(1)
      expect(await digest(await start(reader))).toBe(before)
    })
  })

  test('a fresh folder is the same, but for what the base says of its writer', async () => {
    const texts: string[] = []
    for (const on of [startRedis, startOurs]) {
      dir = join(dir, 'deeper')
      mkdirSync(dir)
      const node = await start(on)
      await node.client.set('a', '1')
      await stop(node)
      const names = readdirSync(join(dir, FOLDER)).sort()
      const contents = names.map((name) => readFileSync(join(dir, FOLDER, name), 'latin1'))
      texts.push(JSON.stringify([names, contents.slice(1)]))
    }
    expect(texts[1]).toBe(texts[0])
    dir = join(dir, '..', '..')
  })
})
