/**
 * Our RDB payload in the hands of Redis' own tools, and theirs in ours.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Deque } from '../../src/server/deque.ts'
import { Keyspace } from '../../src/server/keyspace.ts'
import { RdbReader } from '../../src/server/rdb/rdb-reader.ts'
import { Snapshot } from '../../src/server/rdb/snapshot.ts'
import type { Value } from '../../src/server/values.ts'

const CHECK_RDB = '/usr/bin/redis-check-rdb'

const directory = mkdtempSync(join(tmpdir(), 'vedette-rdb-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** A dataset with every type, every length form and every byte. */
function sampleKeyspace(): Keyspace {
  const keyspace = new Keyspace(16)
  const [zero, nine] = [keyspace.dbs[0]!, keyspace.dbs[9]!]
  const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code))
  const many = Array.from({ length: 20_000 }, (_, index) => `item-${index}`)
  zero.put('empty', { type: 'string', bytes: '' })
  zero.put(everyByte, { type: 'string', bytes: everyByte })
  zero.put('number', { type: 'string', bytes: '-12345' })
  zero.put('large', { type: 'string', bytes: 'x'.repeat(100_000) }, 4_102_444_800_000)
  zero.put('list', { type: 'list', items: new Deque(many) })
  nine.put('set', { type: 'set', members: new Set(many) })
  nine.put('hash', { type: 'hash', fields: new Map(many.map((item) => [item, everyByte])) })
  return keyspace
}

function contents(value: Value): unknown {
  return value.type === 'list' ? [...value.items] : value
}

function payloadOf(keyspace: Keyspace): string {
  const aux: [string, string][] = [['repl-id', 'a'.repeat(40)]]
  let payload = ''
  const snapshot = new Snapshot(keyspace, aux, (bytes) => {
    payload += bytes
  })
  while (!snapshot.isOver) snapshot.advance(10_000)
  return payload
}

test('what we write, we read', () => {
  const keyspace = sampleKeyspace()
  const progress = new RdbReader(16, 0).push(payloadOf(keyspace))
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

describe.skipIf(!existsSync(CHECK_RDB))('with redis-check-rdb', () => {
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
