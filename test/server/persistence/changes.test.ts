/** What counts as a change for the save points: each element, as in redis-server, not each command. */
import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'
import { SlowDisk } from '../../support/slow-disk.ts'

/** The command, and how many changes it is after those before it. */
const COUNTED: readonly (readonly [string, number])[] = [
  ['MSET a 1 b 2 c 3', 3],
  ['DEL a b missing', 2],
  ['MSETNX d 1 e 2', 2],
  ['UNLINK d e', 2],
  ['RPUSH l 1 2 3 4 5 6 7', 7],
  ['LPUSHX l 0 0', 2],
  ['LPOP l 2', 2],
  ['LMPOP 1 l LEFT COUNT 2', 2],
  ['LTRIM l 1 2', 3],
  ['LREM l 0 4', 1],
  ['LTRIM l 5 9', 1],
  ['SADD s 1 2 3 4 5 6', 6],
  ['SADD s 6 7', 1],
  ['SREM s 1 2 9', 2],
  ['SMOVE s t 3', 2],
  ['SPOP s 2', 2],
  ['SPOP s 9', 2],
  ['HSET h a 1 b 2', 2],
  ['HSET h a 1', 1],
  ['HDEL h a b c', 2],
  ['ZADD z 1 a 2 b 3 c 4 d 5 e 6 f', 6],
  ['ZADD z 1 a 3 b', 1],
  ['ZREM z a x', 1],
  ['ZPOPMIN z 2', 2],
  ['ZMPOP 1 z MAX COUNT 2', 2],
  ['ZREMRANGEBYRANK z 0 -1', 1],
  ['GEOADD g 1 1 m 2 2 n', 2],
  ['GEOSEARCHSTORE near g FROMLONLAT 1 1 BYRADIUS 5000 km', 2],
  ['SORT t STORE sorted', 1],
  ['RPUSH l 3 1 2', 3],
  ['SORT l STORE sorted', 3],
  ['SORT missing STORE sorted', 1],
  ['SORT missing STORE sorted', 0],
  ['PFADD p a b', 3],
  ['PFADD p a c', 1],
  ['XADD x 1-1 f v', 1],
  ['XADD x 2-1 f v', 1],
  ['XADD x 3-1 f v', 1],
  ['XDEL x 1-1', 1],
  ['XTRIM x MAXLEN 0', 2],
  ['BITFIELD b SET u8 0 1 INCRBY u8 8 2 GET u8 0', 2],
  ['BITFIELD b OVERFLOW FAIL INCRBY u8 0 255 INCRBY u8 8 3', 1],
  ['SET k 1', 1],
  ['GET k', 0],
  ['PUBLISH channel text', 0],
]

function changes(node: NodeHarness): number {
  const text = node.client().say('INFO persistence')
  return Number(/^rdb_changes_since_last_save:(\d+)\r$/m.exec(text)?.[1])
}

describe('a command', () => {
  test('counts as many changes as it changes elements', () => {
    const node = new NodeHarness({ save: '' })
    const client = node.client()
    for (const [command, expected] of COUNTED) {
      const before = changes(node)
      client.say(command)
      expect([command, changes(node) - before]).toEqual([command, expected])
    }
  })

  test('that deletes everything counts the keys', () => {
    const node = new NodeHarness({ save: '' })
    node.client().say('MSET a 1 b 2')
    node.client().say('FLUSHDB')
    expect(changes(node)).toBe(4)
    node.client().say('FLUSHALL')
    expect(changes(node)).toBe(4)
  })
})

test('a save point is reached by one command that changes enough elements', () => {
  const node = new SlowDisk({ save: '1 5' })
  node.disk.isSlow = true
  node.client().say('RPUSH l 1 2 3 4')
  node.advance(2_000)
  expect(node.info('rdb_bgsave_in_progress')).toBe('0')
  node.client().say('RPUSH l 5 6')
  node.advance(2_000)
  expect(node.info('rdb_bgsave_in_progress')).toBe('1')
})
