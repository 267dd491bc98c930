/**
 * What INFO calls keyspace hits and misses: each command counts as many as in redis-server, since the
 * rate of hits is what caches are judged by.
 */
import { describe, expect, test } from 'vitest'
import { splitArgs } from '../../src/base/split-args.ts'
import { hasRedisServer, type RealNode } from '../support/real-nodes.ts'
import { bothServers } from '../support/test-nodes.ts'

const DATA = `
  SET text v
  SET other w
  RPUSH list 1 2 3
  HSET hash f 1
  SADD set a b c
  ZADD scores 1 a 2 b
  XADD stream 1-1 f v
  XGROUP CREATE stream group 0
  GEOADD places 1 1 here
  PFADD hll a`

const COMMANDS = `
  GET text
  GET nokey
  MGET text nokey list
  EXISTS text text nokey
  TOUCH text nokey
  TYPE nokey
  TTL text
  SCAN 0 COUNT 100
  SCAN 0 COUNT 100 TYPE string
  KEYS *
  RANDOMKEY
  MEMORY USAGE text
  MEMORY USAGE nokey
  OBJECT ENCODING text
  OBJECT ENCODING nokey
  DUMP text
  COPY text copy
  SET text v GET
  GETSET text v
  GETEX text PERSIST
  GETDEL nokey
  LCS text other
  BITFIELD text GET u8 0
  BITFIELD text SET u8 0 1
  BITOP AND target text nokey
  PFCOUNT hll nokey
  SORT list BY text* GET nokey*
  LMPOP 2 nokey list LEFT
  LMOVE list list LEFT RIGHT
  SSCAN set 0
  SINTER nokey set
  SINTERCARD 2 set nokey
  SUNIONSTORE target set nokey
  ZUNION 2 scores nokey
  ZRANGESTORE target scores 0 -1
  GEOSEARCHSTORE target places FROMLONLAT 1 1 BYRADIUS 1 km
  XREAD STREAMS stream nokey 0 0
  XREADGROUP GROUP group reader STREAMS stream >
  XGROUP CREATECONSUMER stream group other
  XGROUP SETID stream group 0
  XGROUP DELCONSUMER stream group other
  XGROUP DELCONSUMER stream group nobody
  XGROUP DESTROY stream nogroup
  XINFO STREAM stream
  XINFO GROUPS stream
  XINFO CONSUMERS stream group
  XINFO CONSUMERS stream nogroup
  XINFO CONSUMERS nokey group
  XPENDING stream group
  XACK stream group 1-1
  EVAL "return redis.call('get','text')" 0`

describe.skipIf(!hasRedisServer)('lookups (need redis-server)', () => {
  const servers = bothServers()

  test('each command counts as many hits and misses', async () => {
    const [ours, theirs] = await Promise.all(servers.map(countsOf))
    expect(ours).toEqual(theirs)
  })
})

/** Each command, with the hits and misses that INFO tells after it. */
async function countsOf({ client }: RealNode): Promise<string[]> {
  const run = ([name = '', ...words]: readonly string[]) =>
    client.call(name, ...words).catch((reason: Error) => reason)
  for (const words of parse(DATA)) await run(words)
  const counts: string[] = []
  for (const words of parse(COMMANDS)) {
    await client.call('CONFIG', 'RESETSTAT')
    await run(words)
    const info = String(await client.call('INFO', 'stats'))
    const counted = info.match(/keyspace_(hits|misses):\d+/g) ?? []
    counts.push([words.join(' '), ...counted].join(' '))
  }
  return counts
}

function parse(lines: string): string[][] {
  return lines.split('\n').flatMap((line) => (line.trim() === '' ? [] : [splitArgs(line) ?? []]))
}
