/**
 * Files of ours in the hands of redis-server, and its files in ours: whoever saved the data and whoever
 * loads them, they are the same.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { hasRedisServer, type RealNode, startOurs, startRedis } from '../support/real-nodes.ts'
import { scratchFolder } from '../support/scratch.ts'

type Start = (directives?: Record<string, string>) => Promise<RealNode>
const STARTS: Readonly<Record<string, Start>> = { ours: startOurs, theirs: startRedis }

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, code) => code))
const many = (count: number, item: (index: number) => (string | Buffer)[]) =>
  Array.from({ length: count }, (_, index) => item(index)).flat()

/** What is saved, by its type: commands that make it. */
const DATA: Readonly<Record<string, readonly (readonly (string | Buffer | number)[])[]>> = {
  strings: [
    ['SET', 'empty', ''],
    ['SET', EVERY_BYTE, EVERY_BYTE],
    ['SET', 'repeated', 'ab'.repeat(200_000)],
    ['SETRANGE', 'far', 100_000, 'x'],
    ['PFADD', 'hll', 'a', 'b', 'c'],
  ],
  numbers: ['0', '-1', '127', '-32769', '2147483648', '9223372036854775807', '007', '1e5'].map(
    (number) => ['SET', `number ${number}`, number],
  ),
  expiries: [
    ['SET', 'string', 'v', 'PX', 1e12],
    ['HSET', 'hash', 'f', 'v'],
    ['PEXPIREAT', 'hash', 4_102_444_800_123],
    ['RPUSH', 'list', 'a'],
    ['EXPIRE', 'list', 1e6],
  ],
  'expiries that are over': [
    ['SET', 'short', 'v', 'PX', 1],
    ['SET', 'long', 'v'],
  ],
  lists: [
    ['RPUSH', 'small', 'a', '1', ''],
    ['RPUSH', 'long', ...many(3000, (index) => [`item ${index}`])],
    ['RPUSH', 'wide', 'x'.repeat(20_000), 'y'.repeat(70)],
  ],
  sets: [
    ['SADD', 'integers', 1, -70_000, '9223372036854775807'],
    ['SADD', 'words', 'a', 'b', EVERY_BYTE],
    ['SADD', 'many', ...many(3000, (index) => [`item ${index}`])],
  ],
  hashes: [
    ['HSET', 'small', 'f', 'v', 'g', ''],
    ['HSET', 'large', ...many(1000, (index) => [`field ${index}`, 'x'.repeat(index % 200)])],
  ],
  'sorted sets': [
    ['ZADD', 'small', '1', 'a', '-inf', 'b', '+inf', 'c', '3.5', 'd', '1e-300', 'e'],
    ['ZADD', 'large', ...many(1000, (index) => [String(index / 7), `member ${index}`])],
  ],
  streams: [
    ['XADD', 'stream', '1-1', 'f', 'v', 'g', 'w'],
    ['XADD', 'stream', '1-2', 'f', 'v2'],
    ['XADD', 'stream', '5-0', 'other', EVERY_BYTE],
    ['XDEL', 'stream', '1-2'],
    ['XGROUP', 'CREATE', 'stream', 'group', '0'],
    ['XREADGROUP', 'GROUP', 'group', 'alice', 'COUNT', '1', 'STREAMS', 'stream', '>'],
    ['XGROUP', 'CREATE', 'empty', 'group', '$', 'MKSTREAM'],
  ],
  databases: [
    ['SELECT', '7'],
    ['SET', 'of seven', '1'],
    ['SELECT', '15'],
    ['SADD', 'of fifteen', 'a'],
    ['SELECT', '0'],
  ],
  nothing: [],
}

describe.skipIf(!hasRedisServer)('a dump (needs redis-server)', () => {
  const running: RealNode[] = []
  afterEach(async () => {
    for (const node of running.splice(0)) await node.stop()
  })

  function newFolder(): string {
    const folder = scratchFolder('persistence')
    return folder
  }

  async function start(kind: string, directives: Record<string, string>): Promise<RealNode> {
    const node = await (STARTS[kind] as Start)({ 'enable-debug-command': 'yes', ...directives })
    running.push(node)
    return node
  }

  const digest = async ({ client }: RealNode) => String(await client.call('DEBUG', 'DIGEST'))

  const PAIRS = [
    ['ours', 'theirs'],
    ['theirs', 'ours'],
    ['ours', 'ours'],
  ] as const
  const cases = Object.keys(DATA).flatMap((name) => PAIRS.map((pair) => [name, ...pair] as const))

  test.each(cases)('of %s, written by %s, is loaded by %s', async (name, writer, reader) => {
    const dir = newFolder()
    const first = await start(writer, { dir })
    for (const [word = '', ...argv] of DATA[name] ?? [])
      await first.client.call(String(word), ...argv)
    // What expires does it before it is saved, or before it is loaded; never in between.
    if (name.endsWith('over')) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await first.client.call('SAVE')).toBe('OK')
    const copy = newFolder()
    cpSync(join(dir, 'dump.rdb'), join(copy, 'dump.rdb'))
    const second = await start(reader, { dir: copy })
    if (name.endsWith('over')) await first.client.call('GET', 'short')
    expect(await second.client.dbsize()).toBe(await first.client.dbsize())
    expect(await digest(second)).toBe(await digest(first))
  })

  test.each(PAIRS)('without a checksum, written by %s, is loaded by %s', async (writer, reader) => {
    const dir = newFolder()
    const first = await start(writer, { dir, rdbchecksum: 'no' })
    await first.client.call('RPUSH', 'list', 'a', 'b')
    expect(await first.client.call('SAVE')).toBe('OK')
    const path = join(dir, 'dump.rdb')
    expect(readFileSync(path, 'latin1').slice(-9)).toBe(`\xff${'\0'.repeat(8)}`)
    expect(spawnSync('redis-check-rdb', [path]).status).toBe(0)
    const copy = newFolder()
    cpSync(path, join(copy, 'dump.rdb'))
    expect(await digest(await start(reader, { dir: copy }))).toBe(await digest(first))
  })

  test('INFO persistence has their fields in their order', async () => {
    const fields = async (kind: string) => {
      const { client } = await start(kind, { dir: newFolder() })
      const text = await client.info('persistence')
      return [...text.matchAll(/^(\w+):/gm)].map(([, field]) => field)
    }
    expect(await fields('ours')).toEqual(await fields('theirs'))
  })
})
