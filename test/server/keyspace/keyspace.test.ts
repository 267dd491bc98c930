import { describe, expect, test } from 'vitest'
import type { Entry } from '../../../src/server/keyspace/keyspace.ts'
import { idText } from '../../../src/server/values/stream-id.ts'
import { tableOf } from '../../support/key-tables.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { contentsOf } from '../../support/value-contents.ts'

/** A node with some keys and a snapshot that runs; `taken` is what was handed over, as it was. */
function underSnapshot(...lines: string[]) {
  // With save points, FLUSHALL takes a snapshot of its own.
  const harness = new NodeHarness({ save: '' })
  const client = harness.client()
  for (const line of lines) client.say(line)
  const { keyspace } = harness.node
  const taken: string[] = []
  keyspace.serial++
  keyspace.beforeChange = (db, key, entry) => taken.push(`${db} ${key} ${shown(entry)}`)
  return { client, keyspace, taken }
}

function shown({ value }: Entry): string {
  if (value.type !== 'stream') return String(contentsOf(value))
  return [...value.stream.range()].map(({ id, pairs }) => [idText(id), ...pairs]).join()
}

describe('while a snapshot runs, a key is handed over as it was before', () => {
  const BEFORE: Readonly<Record<string, string>> = {
    'SET k 1': '0 k 1',
    'HSET h a 1': '0 h a,1',
    'RPUSH l a b': '0 l a,b',
    'SADD s 1 2': '0 s 1,2',
    'XADD x 1 f v': '0 x 1-0,f,v',
    'XGROUP CREATE y g $ MKSTREAM': '0 y ',
    'ZADD z 2 b 1 a': '0 z a,1,b,2',
    'GEOADD g 0 0 a': '0 g a,3377699720527872',
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
    'XADD x 1 f v': [
      'XADD x 2 f v',
      'XDEL x 1',
      'XTRIM x MAXLEN 0',
      'XSETID x 5',
      'XGROUP CREATE x g 0',
    ],
    'XGROUP CREATE y g $ MKSTREAM': [
      'XGROUP SETID y g 5',
      'XGROUP DESTROY y g',
      'XGROUP CREATECONSUMER y g c',
      'XREADGROUP GROUP g c STREAMS y 0',
    ],
    'ZADD z 2 b 1 a': [
      'ZADD z 3 a',
      'ZADD z XX CH 3 a',
      'ZADD z INCR 1 a',
      'ZINCRBY z 1 a',
      'ZREM z a',
      'ZREMRANGEBYRANK z 0 0',
      'ZREMRANGEBYSCORE z 1 1',
      'ZREMRANGEBYLEX z - [a',
      'ZPOPMIN z',
      'ZPOPMAX z 5',
      'ZMPOP 1 z MIN',
      'BZPOPMAX z 0',
      'BZMPOP 0 1 z MAX COUNT 2',
      'ZRANGESTORE z z 0 0',
      'ZUNIONSTORE z 1 z',
      'ZINTERSTORE z 2 z nothing',
      'ZDIFFSTORE z 1 z',
    ],
    'GEOADD g 0 0 a': [
      'GEOADD g 1 1 a',
      'GEORADIUS g 0 0 1 km STORE g',
      'GEOSEARCHSTORE g g FROMLONLAT 0 0 BYBOX 1 1 km',
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
    const { client, taken } = underSnapshot('SET k 1', 'SADD s 1', 'ZADD z 1 a')
    const lines = [
      ...['GET k', 'SET k 2 NX', 'SADD s 1', 'SREM s 9', 'EXPIRE k 9 XX'],
      ...['ZADD z 1 a', 'ZADD z NX 2 a', 'ZADD z GT CH 0 a', 'ZINCRBY z 0 a', 'ZINCRBY z nan a'],
      ...['ZREM z x', 'ZREMRANGEBYSCORE z 5 9', 'ZPOPMIN z 0', 'ZADD z XX 1 x'],
    ]
    for (const line of lines) client.say(line)
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
    const entry = { value, expireAtMs: harness.wallMs + 10, serial: 0, usage: 0, bytes: 0 }
    harness.node.keyspace.replaceAll([tableOf([['new', entry]])])
    expect(client.say('KEYS *')).toBe('*1\r\n$3\r\nnew\r\n')
    harness.advance(300)
    expect(client.say('DBSIZE')).toBe(':0\r\n')
  })
})
