/**
 * Streams from our node to a real redis-server and back, as DUMP payloads, as a full copy, and as a file for
 * redis-check-rdb. The server checks every byte of what it loads (sanitize-dump-payload).
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { Snapshot } from '../../src/server/rdb/snapshot.ts'
import { NodeHarness } from '../support/node-harness.ts'
import { isInstalled } from '../support/processes.ts'
import {
  HOST,
  hasRedisServer,
  type RealNode,
  startOurs,
  startRedis,
} from '../support/real-nodes.ts'
import { scratchFolder } from '../support/scratch.ts'
import { transcript } from '../support/transcript.ts'
import { until } from '../support/until.ts'

const CHECK_RDB = 'redis-check-rdb'
const KEYS = ['ordered', 'gaps', 'empty', 'extreme', 'long']

/** Streams of every kind: all sizes of fields and integers, deleted entries, groups in any state. */
function history(): string[][] {
  const rng = createRng('streams in files')
  const lines: string[][] = []
  const texts = ['', '0', '-1', '127', '128', '4095', '-4097', '32768', '8388607', '2147483648']
  texts.push('-9223372036854775808', '9223372036854775808', '007', 'x'.repeat(63), 'x'.repeat(64))
  texts.push('y'.repeat(4095), 'y'.repeat(4096), 'z'.repeat(16_383), '\0\xff\r\n')
  for (const [at, text] of texts.entries())
    lines.push(['XADD', 'ordered', `${at + 1}-*`, 'f', text])
  for (let ms = 1; ms <= 500; ms++) {
    const fields = rng.below(3) === 0 ? ['g', String(ms), 'h', ''] : ['f', 'v']
    lines.push(['XADD', 'gaps', `${ms}-${rng.below(9)}`, ...fields])
  }
  for (let ms = 1; ms <= 500; ms += 1 + rng.below(9)) {
    for (let seq = 0; seq < 9; seq++) lines.push(['XDEL', 'gaps', `${ms}-${seq}`])
  }
  for (const id of ['0-1', '5-18446744073709551615', '9007199254740993-9007199254740993']) {
    lines.push(['XADD', 'extreme', id, 'f', 'v'])
  }
  lines.push(['XADD', 'extreme', '18446744073709551615-18446744073709551615', 'f', 'v'])
  lines.push([
    'XSETID',
    'extreme',
    '18446744073709551615-18446744073709551615',
    'ENTRIESADDED',
    '9223372036854775807',
  ])
  lines.push(
    ['XGROUP', 'CREATE', 'empty', 'g', '$', 'MKSTREAM'],
    ['XADD', 'long', '1', 'f', 'x'.repeat(100_000)],
  )
  for (const key of KEYS) {
    lines.push(
      ['XGROUP', 'CREATE', key, 'read on', '0'],
      ['XGROUP', 'CREATE', key, 'untouched', '$'],
    )
    lines.push(['XGROUP', 'CREATE', key, 'far', '3-3', 'ENTRIESREAD', '7'])
    lines.push(['XGROUP', 'CREATECONSUMER', key, 'untouched', 'idle'])
    for (const consumer of ['a', 'b', 'a', '']) {
      lines.push(['XREADGROUP', 'GROUP', 'read on', consumer, 'COUNT', '70', 'STREAMS', key, '>'])
    }
    lines.push(['XACK', key, 'read on', '1', '2-1', '3', '5-5'], ['XDEL', key, '2-0', '0-1'])
  }
  return lines
}

/** All that can be seen of the streams. */
function seen(port: number): Promise<string[]> {
  const questions = KEYS.flatMap((key) => [
    ['XINFO', 'GROUPS', key],
    ['XINFO', 'STREAM', key, 'FULL', 'COUNT', '0'],
    ['XRANGE', key, '-', '+'],
  ])
  return transcript(port, [...questions, ['DEBUG', 'DIGEST']]).then((lines) =>
    lines.map(withoutShape),
  )
}

/** Deleted entries are not written again, so nodes may be fewer afterwards. */
function withoutShape(line: string, at: number, lines: readonly string[]): string {
  return lines[at - 1]?.startsWith('radix-tree') === true ? '' : line
}

describe.skipIf(!hasRedisServer)('streams between us and a real redis-server', () => {
  const nodes: RealNode[] = []

  beforeAll(async () => {
    const directives = { 'enable-debug-command': 'yes', 'repl-diskless-sync-delay': '0' }
    nodes.push(await startOurs(directives))
    nodes.push(await startRedis({ ...directives, 'sanitize-dump-payload': 'yes' }))
  })

  afterAll(async () => {
    for (const node of nodes) await node.stop()
  })

  function pair(from: 'ours' | 'theirs'): [RealNode, RealNode] {
    const [ours, theirs] = nodes as [RealNode, RealNode]
    return from === 'ours' ? [ours, theirs] : [theirs, ours]
  }

  async function fill({ client, port }: RealNode): Promise<string[]> {
    await client.flushall()
    await transcript(port, history())
    return seen(port)
  }

  for (const from of ['ours', 'theirs'] as const) {
    test(`${from}, dumped and restored, are the same there`, async () => {
      const [source, target] = pair(from)
      const before = await fill(source)
      await target.client.flushall()
      for (const key of KEYS) {
        const payload = await source.client.dumpBuffer(key)
        expect(await target.client.restore(key, 0, payload)).toBe('OK')
      }
      expect(await seen(target.port)).toEqual(before)
    })

    test(`${from}, copied to a replica, are the same there`, async () => {
      const [source, target] = pair(from)
      const before = await fill(source)
      await target.client.flushall()
      await target.client.replicaof(HOST, source.port)
      await until(async () => (await target.client.dbsize()) === KEYS.length)
      expect(await seen(target.port)).toEqual(before)
      await target.client.replicaof('NO', 'ONE')
    })
  }
})

test.skipIf(!isInstalled(CHECK_RDB))('redis-check-rdb finds a file with streams in order', () => {
  const harness = new NodeHarness()
  const client = harness.client()
  for (const line of history()) client.bytes(encodeCommand(line))
  let payload = ''
  const snapshot = new Snapshot(harness.node.keyspace, [], (bytes) => {
    payload += bytes
  })
  while (!snapshot.isOver) snapshot.advance(1000)
  const directory = scratchFolder('streams')
  const file = join(directory, 'dump.rdb')
  writeFileSync(file, Buffer.from(payload, 'latin1'))
  const report = execFileSync(CHECK_RDB, [file], { encoding: 'utf8' })
  expect(report).toContain('Checksum OK')
  expect(report).toContain(`${KEYS.length} keys read`)
})
