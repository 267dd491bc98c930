/**
 * Our RDB payload in the hands of Redis' own tools, and theirs in ours.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Keyspace } from '../../src/server/keyspace/keyspace.ts'
import { RdbReader } from '../../src/server/rdb/rdb-reader.ts'
import { Snapshot, type SnapshotOptions } from '../../src/server/rdb/snapshot.ts'
import { CountedFields, CountedMembers } from '../../src/server/values/counted.ts'
import { Deque } from '../../src/server/values/deque.ts'
import { keyspaceDigest } from '../../src/server/values/digest.ts'
import { SortedSet } from '../../src/server/values/sorted-set.ts'
import type { Value } from '../../src/server/values/value.ts'
import { emptyTables, KEY_HASH } from '../support/key-tables.ts'
import { isInstalled } from '../support/processes.ts'
import { hasRedisServer, type RealNode, startRedis } from '../support/real-nodes.ts'
import { scratchFolder } from '../support/scratch.ts'

const CHECK_RDB = 'redis-check-rdb'

const directory = scratchFolder('rdb')

/** A dataset with every type, every length form and every byte. */
function sampleKeyspace(): Keyspace {
  const keyspace = new Keyspace(16, KEY_HASH)
  const [zero, nine] = [keyspace.dbs[0]!, keyspace.dbs[9]!]
  const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code))
  const many = Array.from({ length: 20_000 }, (_, index) => `item-${index}`)
  zero.put('empty', { type: 'string', bytes: '' })
  zero.put(everyByte, { type: 'string', bytes: everyByte })
  zero.put('number', { type: 'string', bytes: '-12345' })
  zero.put('large', { type: 'string', bytes: 'x'.repeat(100_000) }, 4_102_444_800_000)
  zero.put('list', { type: 'list', items: new Deque(many) })
  nine.put('set', { type: 'set', members: new CountedMembers(many) })
  nine.put('hash', {
    type: 'hash',
    fields: new CountedFields(many.map((item) => [item, everyByte])),
  })
  return keyspace
}

/** Whatever makes redis-server choose another form for the same data. */
const FORMS: Record<string, Record<string, string>> = {
  'as it comes': {},
  uncompressed: { rdbcompression: 'no' },
  'without a checksum': { rdbchecksum: 'no' },
  'nothing packed': {
    'hash-max-listpack-entries': '0',
    'zset-max-listpack-entries': '0',
    'set-max-intset-entries': '0',
    'list-max-listpack-size': '1',
  },
  'everything packed': {
    'hash-max-listpack-entries': '100000',
    'hash-max-listpack-value': '100000',
    'zset-max-listpack-entries': '100000',
    'zset-max-listpack-value': '100000',
    'set-max-intset-entries': '100000',
    'list-max-listpack-size': '-5',
    'list-compress-depth': '1',
  },
}

const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code))

/** Numbers at the edges of every width, texts at the edges of every length form, and mixtures. */
function sampleCommands(): string[][] {
  const numbers = [0, 127, 128, -128, -129, 32767, 32768, -32769, 2147483647, -2147483649].map(
    String,
  )
  numbers.push('9223372036854775807', '-9223372036854775808', '007', '-0', '1.5')
  const commands = numbers.map((number) => ['SET', `number:${number}`, number])
  for (const length of [0, 20, 21, 63, 64, 16_383, 16_384, 300_000]) {
    commands.push(['SET', `repeated:${length}`, 'ab'.repeat(length).slice(0, length)])
    commands.push(['SET', `varied:${length}`, varied(length)])
  }
  for (const [count, length] of [
    [1, 3],
    [12, 30],
    [200, 70],
    [700, 10],
    [130, 20_000],
  ] as const) {
    const items = Array.from({ length: count }, (_, n) => sampleItem(n, length))
    const name = `${count}x${length}`
    commands.push(['RPUSH', `list:${name}`, ...items], ['SADD', `set:${name}`, ...items])
    commands.push(['HSET', `hash:${name}`, ...items.flatMap((item, n) => [`f${n}`, item])])
    commands.push(['ZADD', `zset:${name}`, ...items.flatMap((item, n) => [sampleScore(n), item])])
  }
  commands.push(
    ['SADD', 'wide', '1', '70000', '9223372036854775807'],
    ['SET', EVERY_BYTE, EVERY_BYTE],
  )
  commands.push(['SELECT', '9'], ['SET', 'k', 'v', 'PXAT', '4102444800123'])
  return commands
}

function varied(length: number): string {
  return Array.from({ length }, (_, n) => String.fromCharCode(33 + ((n * 7919) % 90))).join('')
}

function sampleItem(n: number, length: number): string {
  if (n % 3 === 0) return String(n * n * n * 7 * (n % 2 === 0 ? 1 : -1))
  return n % 3 === 1 ? `item-${n}`.padEnd(length, 'pad') : EVERY_BYTE.slice(n % 250, (n % 250) + 5)
}

function sampleScore(n: number): string {
  return n % 7 === 0 ? '+inf' : String(n % 2 === 0 ? n / 3 : -n * 1000)
}

async function send(node: RealNode, commands: readonly string[][]): Promise<unknown[]> {
  const bytes = (word: string) => Buffer.from(word, 'latin1')
  const replies: unknown[] = []
  for (const command of commands) {
    replies.push(await node.client.callBuffer(command[0] as string, ...command.slice(1).map(bytes)))
  }
  return replies
}

function contents(value: Value): unknown {
  return value.type === 'list' ? [...value.items] : value
}

function payloadOf(keyspace: Keyspace, options?: SnapshotOptions): string {
  const aux: [string, string][] = [['repl-id', 'a'.repeat(40)]]
  let payload = ''
  const snapshot = new Snapshot(
    keyspace,
    aux,
    (bytes) => {
      payload += bytes
    },
    options,
  )
  while (!snapshot.isOver) snapshot.advance(10_000)
  return payload
}

test('what we write, we read', () => {
  const keyspace = sampleKeyspace()
  const progress = new RdbReader(emptyTables(16), 0).push(payloadOf(keyspace))
  if (progress.kind !== 'done') throw new Error(JSON.stringify(progress))
  const { dbs } = progress.contents
  for (const db of keyspace.dbs) {
    expect([...dbs[db.index]!.keys()].sort()).toEqual([...db.entries.keys()].sort())
    for (const [key, entry] of db.entries) {
      const read = dbs[db.index]!.get(key)!
      expect([read.expireAtMs, contents(read.value)]).toEqual([
        entry.expireAtMs,
        contents(entry.value),
      ])
    }
  }
})

describe.skipIf(!hasRedisServer)('with redis-server', () => {
  for (const [name, directives] of Object.entries(FORMS)) {
    test(`what it saves is read as the data it has: ${name}`, async () => {
      const redis = await startRedis({ 'enable-debug-command': 'yes', ...directives })
      try {
        await send(redis, sampleCommands())
        const [dir, , digest] = await send(redis, [
          ['CONFIG', 'GET', 'dir'],
          ['SAVE'],
          ['DEBUG', 'DIGEST'],
        ])
        const file = join(String((dir as Buffer[])[1]), 'dump.rdb')
        expect(digestOfPayload(readFileSync(file, 'latin1'))).toBe(String(digest))
      } finally {
        await redis.stop()
      }
    })
  }
})

describe.skipIf(!hasRedisServer)('into redis-server', () => {
  for (const compresses of [false, true]) {
    test(`what we write is loaded as the data we have, compressed: ${compresses}`, async () => {
      const keyspace = sampleKeyspace()
      const scored = Array.from({ length: 3000 }, (_, n) => [`member-${n}`, n / 3 - 500] as const)
      keyspace.dbs[3]!.put('zset', { type: 'zset', set: new SortedSet(scored) })
      const source = "#!lua name=library\nredis.register_function('f', function() return 7 end)"
      const payload = payloadOf(keyspace, { compresses, functions: [source] })
      writeFileSync(join(directory, 'ours.rdb'), payload, 'latin1')
      const places = { dir: directory, dbfilename: 'ours.rdb', 'enable-debug-command': 'yes' }
      const redis = await startRedis(places)
      try {
        const commands = [
          ['DEBUG', 'DIGEST'],
          ['FCALL', 'f', '0'],
        ]
        const [digest, reply] = await send(redis, commands)
        expect([String(digest), reply]).toEqual([keyspaceDigest(keyspace), 7])
      } finally {
        await redis.stop()
      }
    })
  }
})

/** The digest of the data in a payload that comes in chunks of an odd size. */
function digestOfPayload(bytes: string): string {
  const reader = new RdbReader(emptyTables(16), 0)
  for (let at = 0; at < bytes.length; at += 4099) {
    const progress = reader.push(bytes.slice(at, at + 4099))
    if (progress.kind === 'damaged') throw new Error(`${progress.offset}: ${progress.text}`)
    if (progress.kind !== 'done') continue
    const keyspace = new Keyspace(16, KEY_HASH)
    keyspace.replaceAll(progress.contents.dbs)
    return keyspaceDigest(keyspace)
  }
  throw new Error('the payload is not complete')
}

describe.skipIf(!isInstalled(CHECK_RDB))('with redis-check-rdb', () => {
  test('redis-check-rdb finds our payload in order and counts our keys', () => {
    const file = join(directory, 'dump.rdb')
    writeFileSync(file, Buffer.from(payloadOf(sampleKeyspace()), 'latin1'))
    const report = execFileSync(CHECK_RDB, [file], { encoding: 'utf8' })
    expect(report).toContain('Checksum OK')
    expect(report).toContain('7 keys read')
    expect(report).toContain('1 expires')
  })

  test('redis-check-rdb refuses it with one byte changed', () => {
    const file = join(directory, 'damaged.rdb')
    const bytes = Buffer.from(payloadOf(sampleKeyspace()), 'latin1')
    bytes[1000] = (bytes[1000] ?? 0) ^ 1
    writeFileSync(file, bytes)
    expect(() => execFileSync(CHECK_RDB, [file], { encoding: 'utf8' })).toThrow()
  })
})
