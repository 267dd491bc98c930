import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/server/keyspace.ts'
import { NodeHarness } from '../support/node-harness.ts'
import { contentsOf } from '../support/value-contents.ts'

/** A node with some keys and a snapshot that runs; `taken` is what was handed over, as it was. */
function underSnapshot(...lines: string[]) {
  const harness = new NodeHarness()
  const client = harness.client()
  for (const line of lines) client.say(line)
  const { keyspace } = harness.node
  const taken: string[] = []
  keyspace.serial++
  keyspace.beforeChange = (db, key, entry) => taken.push(`${db} ${key} ${shown(entry)}`)
  return { client, keyspace, taken }
}

function shown({ value }: Entry): string {
  return String(contentsOf(value))
}

describe('while a snapshot runs, a key is handed over as it was before', () => {
  const BEFORE: Readonly<Record<string, string>> = {
    'SET k 1': '0 k 1',
    'HSET h a 1': '0 h a,1',
    'RPUSH l a b': '0 l a,b',
    'SADD s 1 2': '0 s 1,2',
  }
  const CHANGES: Readonly<Record<string, readonly string[]>> = {
    'SET k 1': [
      'SET k 2',
      'INCR k',
      'APPEND k x',
      'SETRANGE k 0 x',
      'DEL k',
      'RENAME k x',
      'GETDEL k',
      'EXPIRE k 9',
      'SETBIT k 1 1',
      'INCRBYFLOAT k 1',
      'MOVE k 1',
      'SWAPDB 0 1',
    ],
    'HSET h a 1': ['HSET h a 2', 'HDEL h a', 'HINCRBY h a 1', 'HSETNX h b 1', 'HINCRBYFLOAT h a 1'],
    'RPUSH l a b': [
      'RPUSH l c',
      'LPOP l',
      'LSET l 0 x',
      'LREM l 0 a',
      'LTRIM l 1 1',
      'LINSERT l BEFORE a x',
      'LMOVE l l LEFT RIGHT',
      'BLPOP l 0',
      'LMPOP 1 l LEFT',
    ],
    'SADD s 1 2': [
      'SADD s 3',
      'SREM s 1',
      'SPOP s',
      'SMOVE s t 1',
      'SINTERSTORE s s',
      'SUNIONSTORE s nothing',
    ],
  }
  for (const [setUp, changes] of Object.entries(CHANGES)) {
    for (const change of changes) {
      test(`by ${change}, once`, () => {
        const { client, taken } = underSnapshot(setUp)
        client.say(change)
        client.say(change)
        expect(taken).toEqual([BEFORE[setUp]])
      })
    }
  }

  test('but not by what changes nothing', () => {
    const { client, taken } = underSnapshot('SET k 1', 'SADD s 1')
    for (const line of ['GET k', 'SET k 2 NX', 'SADD s 1', 'SREM s 9', 'EXPIRE k 9 XX']) {
      client.say(line)
    }
    expect(taken).toEqual([])
  })

  test('and keys made meanwhile are never handed over', () => {
    const { client, taken } = underSnapshot()
    client.bytes('SET new 1\r\nSET new 2\r\nDEL new\r\n')
    expect(taken).toEqual([])
  })

  test('and a flush leaves the old map to the snapshot', () => {
    const { client, keyspace, taken } = underSnapshot('SET k 1')
    const old = keyspace.dbs[0]?.entries
    client.say('FLUSHALL')
    expect([old?.size, taken.length]).toEqual([1, 0])
    expect(client.say('DBSIZE')).toBe(':0\r\n')
  })
})

describe('replacing everything', () => {
  test('starts from the new maps, their expiries included', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.say('SET old 1')
    const value = { type: 'string', bytes: 'v' } as const
    const entry = { value, expireAtMs: harness.wallMs + 10, serial: 0 }
    harness.node.keyspace.replaceAll([new Map([['new', entry]])])
    expect(client.say('KEYS *')).toBe('*1\r\n$3\r\nnew\r\n')
    harness.advance(300)
    expect(client.say('DBSIZE')).toBe(':0\r\n')
  })
})
