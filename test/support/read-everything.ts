/**
 * Every command that only reads, on everything a node holds. What was read from a file is examined from
 * all sides here: a value that cannot be returned, measured, searched or dumped is no value.
 */
import { assert } from '../../src/base/assert.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { ReplyDecoder } from '../../src/resp/reply-decoder.ts'
import type { Value } from '../../src/server/values/value.ts'
import type { NodeHarness } from './node-harness.ts'

const GENERAL = [
  'PING',
  'DEBUG DIGEST',
  'DBSIZE',
  'KEYS *',
  'SCAN 0 COUNT 1000',
  'RANDOMKEY',
  'INFO everything',
  'FUNCTION LIST WITHCODE',
  'FUNCTION STATS',
  'FUNCTION DUMP',
  'MEMORY STATS',
  'ROLE',
  'LASTSAVE',
]

/** `k` stands for the key. */
const COMMON = [
  'TYPE k',
  'EXISTS k',
  'PTTL k',
  'EXPIRETIME k',
  'PEXPIRETIME k',
  'OBJECT ENCODING k',
  'OBJECT IDLETIME k',
  'OBJECT FREQ k',
  'OBJECT REFCOUNT k',
  'MEMORY USAGE k SAMPLES 0',
  'DEBUG OBJECT k',
  'DEBUG DIGEST-VALUE k',
  'DUMP k',
  'SORT_RO k ALPHA',
  'SORT_RO k LIMIT 0 10',
]

const OF_TYPE: Readonly<Record<Value['type'], readonly string[]>> = {
  string: [
    'GET k',
    'MGET k k',
    'STRLEN k',
    'GETRANGE k 1 -2',
    'SUBSTR k 0 -1',
    'GETBIT k 7',
    'BITCOUNT k',
    'BITCOUNT k 1 -2 BIT',
    'BITPOS k 1',
    'BITFIELD_RO k GET u8 0 GET i64 #1',
    'PFCOUNT k',
    'PFDEBUG ENCODING k',
    'LCS k other',
  ],
  list: ['LRANGE k 0 -1', 'LLEN k', 'LINDEX k -1', 'LINDEX k 1', 'LPOS k a', 'LPOS k a RANK -1'],
  set: [
    'SMEMBERS k',
    'SCARD k',
    'SISMEMBER k 1',
    'SMISMEMBER k 1 a',
    'SRANDMEMBER k 3',
    'SRANDMEMBER k -5',
    'SSCAN k 0',
    'SINTER k k',
    'SINTERCARD 1 k',
    'SUNION k k',
    'SDIFF k other',
  ],
  zset: [
    'ZRANGE k 0 -1 WITHSCORES',
    'ZRANGE k 0 -1 REV',
    'ZRANGE k -inf +inf BYSCORE LIMIT 1 5',
    'ZRANGE k - + BYLEX',
    'ZREVRANGEBYSCORE k +inf -inf',
    'ZCOUNT k -inf +inf',
    'ZLEXCOUNT k - +',
    'ZCARD k',
    'ZSCORE k field1',
    'ZMSCORE k field1 field2',
    'ZRANK k field1',
    'ZREVRANK k field1',
    'ZSCAN k 0',
    'ZRANDMEMBER k -5 WITHSCORES',
    'ZUNION 2 k k WITHSCORES',
    'ZINTER 2 k k',
    'ZINTERCARD 2 k k',
    'ZDIFF 2 k other',
    'GEOPOS k field1',
    'GEOHASH k field1',
    'GEODIST k field1 field2',
    'GEOSEARCH k FROMLONLAT 0 0 BYRADIUS 30000 km',
    'GEOSEARCH k FROMMEMBER field1 BYBOX 400 400 km WITHCOORD WITHDIST WITHHASH',
  ],
  hash: [
    'HGETALL k',
    'HKEYS k',
    'HVALS k',
    'HLEN k',
    'HGET k field1',
    'HMGET k field1 field2',
    'HSTRLEN k field1',
    'HEXISTS k field1',
    'HSCAN k 0',
    'HRANDFIELD k -5 WITHVALUES',
    'HRANDFIELD k 3',
  ],
  stream: [
    'XRANGE k - +',
    'XREVRANGE k + - COUNT 3',
    'XLEN k',
    'XINFO STREAM k',
    'XINFO STREAM k FULL COUNT 0',
    'XINFO GROUPS k',
    'XINFO CONSUMERS k g0',
    'XPENDING k g0',
    'XPENDING k g0 IDLE 0 - + 10',
    'XPENDING k g1 - + 10 c1',
    'XREAD COUNT 2 STREAMS k 0',
  ],
}

/** Throws if an answer is missing. Returns how many there were. */
export function readEverything(harness: NodeHarness): number {
  const requests = GENERAL.map((line) => line.split(' '))
  for (const { index, entries } of harness.node.keyspace.dbs) {
    if (entries.size > 0) requests.push(['SELECT', `${index}`])
    for (const [key, { value }] of entries) {
      const lines = [...COMMON, ...OF_TYPE[value.type]]
      requests.push(...lines.map((line) => ofKey(line, key)))
    }
  }
  const replies = harness.client().bytes(requests.map((argv) => encodeCommand(argv)).join(''))
  assert(countOf(replies) === requests.length, 'every command that reads is answered once')
  return requests.length
}

function ofKey(line: string, key: string): string[] {
  return line.split(' ').map((word) => (word === 'k' ? key : word))
}

function countOf(bytes: string): number {
  const decoder = new ReplyDecoder()
  decoder.push(bytes)
  let count = 0
  for (let reply = decoder.next(); reply !== undefined; reply = decoder.next()) {
    assert(reply.kind !== 'malformed', 'every answer is one')
    count++
  }
  return count
}
