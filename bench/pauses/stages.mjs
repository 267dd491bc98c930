/**
 * Which commands run on which data. A stage is a node with its data, and the commands that are
 * measured on them one after another; what `before` sends is not measured. Sizes are those that
 * redis-server handles within about a second.
 */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { HOST } from '../support/ports.mjs'
import { request, requestOf } from './wire.mjs'

const MIB = 2 ** 20
/** The longest value that our nodes accept. */
const STRING_BYTES = 511 * MIB
const ELEMENTS = 1_000_000
const STREAM_ENTRIES = 200_000
const MANY_KEYS = 100_000
const SORTED_ELEMENTS = 200_000
const SUBSCRIBERS = 5_000
/** How many elements one command sends. */
const PAGE = 1_000

const one = (...argv) => ({ title: argv.join(' '), send: () => request(...argv) })
const prepared = (before, ...argv) => ({ ...one(...argv), before })
const named = (title, send, before) => ({ title, send, before })

/** `count` elements in commands of a page each, all in one call: `words(i)` are the words of one element. */
function pages(head, words, count = ELEMENTS) {
  const parts = []
  for (let from = 0; from < count; from += PAGE) {
    const argv = [...head]
    for (let at = from; at < Math.min(from + PAGE, count); at++) argv.push(...words(at))
    parts.push(...requestOf(argv))
  }
  return parts
}

/** `count` commands in one piece. */
function pipeline(count, argv) {
  const parts = []
  for (let at = 0; at < count; at++) parts.push(...request(...argv(at)))
  return [Buffer.concat(parts)]
}

/** The same elements for every node, in an order that favours none. */
const shuffled = (at) => (at * 7_919 + 104_729) % ELEMENTS
const element = (at) => `element:${at}`
const copyOf = (key) => [request('COPY', key, 'copy', 'REPLACE')]

const bytes = {
  id: 'bytes',
  title: 'two random strings of 511 MiB, and one of zeros that ends with a 1',
  fill: function* () {
    const random = randomBytes(STRING_BYTES)
    yield request('SET', 'a', random)
    yield request('SET', 'b', random.reverse())
    yield request('SETRANGE', 'zeros', STRING_BYTES - 1, '\x01')
  },
  commands: [
    one('STRLEN', 'a'),
    one('BITCOUNT', 'a'),
    one('BITCOUNT', 'a', 3, -5, 'BIT'),
    one('BITPOS', 'zeros', 1),
    one('BITPOS', 'zeros', 1, 3, -1, 'BIT'),
    one('BITOP', 'AND', 'target', 'a', 'b'),
    one('BITOP', 'OR', 'target', 'a', 'b'),
    one('BITOP', 'XOR', 'target', 'a', 'b'),
    one('BITOP', 'NOT', 'target', 'a'),
    prepared([request('DEL', 'target')], 'SETBIT', 'a', 12_345_678, 1),
    one('GETBIT', 'a', 12_345_678),
    one('BITFIELD', 'a', 'SET', 'u8', '#1000', 200, 'INCRBY', 'i16', 77, 1),
    one('SETRANGE', 'a', 1_000_000, 'changed'),
    one('GETRANGE', 'a', 1_000_000, 1_000_010),
    one('GETRANGE', 'a', 1, -2),
    one('GET', 'a'),
    one('COPY', 'a', 'copy'),
    one('MGET', 'b', 'b'),
    one('BITCOUNT', 'b', 1, 100),
    prepared([request('DEL', 'copy')], 'DEL', 'a'),
    named('SET b, 511 MiB', () => request('SET', 'b', Buffer.alloc(STRING_BYTES, 'xyz'))),
    prepared([request('SETRANGE', 'half', 255 * MIB, 'x')], 'APPEND', 'half', 'y'),
    named('APPEND half, 255 MiB', () => request('APPEND', 'half', Buffer.alloc(255 * MIB, 'xyz'))),
    one('GETRANGE', 'half', 10, 20),
  ],
}

const dumps = {
  id: 'dumps',
  title: 'a string of 64 MiB that does not compress, one that does, and a hash of 200 000 fields',
  fill: function* () {
    yield request('SET', 'random', randomBytes(64 * MIB))
    yield request('SET', 'text', Buffer.alloc(64 * MIB, 'All work and no play makes a dull node. '))
    yield pages(['HSET', 'hash'], (at) => [element(at), `value:${at}`], 200_000)
    yield pages(['ZADD', 'zset'], (at) => [at, element(at)], 200_000)
  },
  commands: [
    one('DUMP', 'random'),
    one('DUMP', 'text'),
    one('DUMP', 'hash'),
    one('DUMP', 'zset'),
    one('MEMORY', 'USAGE', 'hash', 'SAMPLES', 0),
    one('OBJECT', 'ENCODING', 'hash'),
    one('DEBUG', 'OBJECT', 'hash'),
    one('DEBUG', 'RELOAD'),
  ],
}

const lists = {
  id: 'lists',
  title: 'lists of a million elements',
  fill: function* () {
    yield pages(['RPUSH', 'list'], (at) => [element(at)])
    yield pages(['RPUSH', 'numbers'], (at) => [shuffled(at)], SORTED_ELEMENTS)
    yield pages(
      ['MSET'],
      (at) => [`weight_${at}`, at % 1000, `name_${at}`, `name-${at}`],
      SORTED_ELEMENTS,
    )
    yield pages(['RPUSH', 'ids'], (at) => [at], SORTED_ELEMENTS)
  },
  commands: [
    one('LRANGE', 'list', 0, -1),
    one('LRANGE', 'list', 100_000, 199_999),
    one('LINDEX', 'list', 500_000),
    one('LPOS', 'list', 'element:999999'),
    one('LPOS', 'list', 'nobody', 'COUNT', 0),
    one('COPY', 'list', 'copy'),
    one('LINSERT', 'copy', 'BEFORE', 'element:500000', 'inserted'),
    one('LREM', 'copy', 0, 'element:999999'),
    one('LSET', 'copy', 500_000, 'another'),
    one('LTRIM', 'copy', 250_000, 749_999),
    prepared(copyOf('list'), 'LPOP', 'copy', 900_000),
    prepared(copyOf('list'), 'DEL', 'copy'),
    prepared(copyOf('list'), 'UNLINK', 'copy'),
    prepared(copyOf('list'), 'RENAME', 'copy', 'renamed'),
    one('SORT', 'numbers'),
    one('SORT', 'numbers', 'ALPHA', 'DESC'),
    one('SORT', 'list', 'ALPHA', 'LIMIT', 0, 10),
    one('SORT', 'ids', 'BY', 'weight_*', 'GET', 'name_*', 'GET', '#'),
    one('SORT', 'numbers', 'STORE', 'sorted'),
  ],
}

const hashes = {
  id: 'hashes',
  title: 'a hash of a million fields',
  fill: function* () {
    yield pages(['HSET', 'hash'], (at) => [element(at), `value:${at}`])
  },
  commands: [
    one('HGETALL', 'hash'),
    one('HKEYS', 'hash'),
    one('HVALS', 'hash'),
    named('HMGET of 100 000 fields', () => requestOf(['HMGET', 'hash', ...some(element)])),
    one('HSCAN', 'hash', 0, 'COUNT', ELEMENTS),
    one('HRANDFIELD', 'hash', 100_000, 'WITHVALUES'),
    one('COPY', 'hash', 'copy'),
    named('HDEL of 100 000 fields', () => requestOf(['HDEL', 'copy', ...some(element)])),
    one('UNLINK', 'copy'),
    prepared(copyOf('hash'), 'DEL', 'copy'),
  ],
}

const some = (word) => Array.from({ length: MANY_KEYS }, (_, at) => word(at))

const sets = {
  id: 'sets',
  title: 'two sets of a million members, half of them in both',
  fill: function* () {
    yield pages(['SADD', 'a'], (at) => [element(at)])
    yield pages(['SADD', 'b'], (at) => [element(at + ELEMENTS / 2)])
  },
  commands: [
    one('SMEMBERS', 'a'),
    one('SINTER', 'a', 'b'),
    one('SINTERCARD', 2, 'a', 'b'),
    one('SUNION', 'a', 'b'),
    one('SDIFF', 'a', 'b'),
    one('SINTERSTORE', 'target', 'a', 'b'),
    one('SUNIONSTORE', 'target', 'a', 'b'),
    one('SDIFFSTORE', 'target', 'a', 'b'),
    one('SSCAN', 'a', 0, 'COUNT', ELEMENTS),
    one('SRANDMEMBER', 'a', 100_000),
    one('COPY', 'a', 'copy'),
    one('SPOP', 'copy', 900_000),
    prepared(copyOf('a'), 'DEL', 'copy'),
  ],
}

const zsets = {
  id: 'zsets',
  title: 'sorted sets of a million members, one of them places on the earth',
  fill: function* () {
    yield pages(['ZADD', 'a'], (at) => [shuffled(at), element(at)])
    yield pages(['ZADD', 'equal'], (at) => [0, element(at)])
    yield pages(['GEOADD', 'places'], (at) => [
      ((at * 0.000_36) % 360) - 180,
      ((at * 0.000_77) % 160) - 80,
      element(at),
    ])
  },
  commands: [
    one('ZRANGE', 'a', 0, -1),
    one('ZRANGE', 'a', 0, -1, 'WITHSCORES'),
    one('ZREVRANGE', 'a', 0, -1),
    one('ZRANGEBYSCORE', 'a', '-inf', '+inf'),
    one('ZRANGEBYLEX', 'equal', '-', '+'),
    one('ZCOUNT', 'a', 10, 900_000),
    one('ZSCAN', 'a', 0, 'COUNT', ELEMENTS),
    one('ZRANDMEMBER', 'a', 100_000, 'WITHSCORES'),
    one('GEOSEARCH', 'places', 'FROMLONLAT', 0, 0, 'BYRADIUS', 21_000, 'km'),
    one('GEOSEARCH', 'places', 'FROMLONLAT', 0, 0, 'BYRADIUS', 3_000, 'km', 'ASC', 'WITHDIST'),
    one('GEOSEARCHSTORE', 'target', 'places', 'FROMLONLAT', 0, 0, 'BYRADIUS', 5_000, 'km'),
    one('COPY', 'a', 'copy'),
    one('ZREMRANGEBYSCORE', 'copy', 100_000, 900_000),
    prepared(copyOf('a'), 'ZREMRANGEBYRANK', 'copy', 0, -2),
    prepared(copyOf('a'), 'ZPOPMIN', 'copy', 500_000),
    prepared(copyOf('a'), 'DEL', 'copy'),
    one('ZRANGESTORE', 'target', 'a', 0, 499_999),
  ],
}

const combined = {
  id: 'combined',
  title: 'two sorted sets of 300 000 members, half of them in both',
  fill: function* () {
    yield pages(['ZADD', 'a'], (at) => [shuffled(at), element(at)], 300_000)
    yield pages(['ZADD', 'b'], (at) => [shuffled(at), element(at + 150_000)], 300_000)
  },
  commands: [
    one('ZUNION', 2, 'a', 'b', 'WITHSCORES'),
    one('ZINTER', 2, 'a', 'b'),
    one('ZDIFF', 2, 'a', 'b'),
    one('ZUNIONSTORE', 'target', 2, 'a', 'b'),
    one('ZINTERSTORE', 'target', 2, 'a', 'b'),
    one('ZDIFFSTORE', 'target', 2, 'a', 'b'),
  ],
}

const streams = {
  id: 'streams',
  title: 'a stream of 200 000 entries with two fields, all pending with one consumer',
  fill: function* () {
    yield pipeline(STREAM_ENTRIES, (at) => [
      'XADD',
      's',
      `${at + 1}-1`,
      'sensor',
      at % 100,
      'value',
      at,
    ])
    yield request('XGROUP', 'CREATE', 's', 'group', 0)
    yield request('XREADGROUP', 'GROUP', 'group', 'me', 'STREAMS', 's', '>')
    yield request('XGROUP', 'CREATE', 's', 'other', 0)
  },
  commands: [
    one('XRANGE', 's', '-', '+'),
    one('XREVRANGE', 's', '+', '-'),
    one('XREAD', 'STREAMS', 's', 0),
    one('XREADGROUP', 'GROUP', 'other', 'me', 'STREAMS', 's', '>'),
    one('XPENDING', 's', 'group', '-', '+', STREAM_ENTRIES),
    one('XAUTOCLAIM', 's', 'group', 'you', 0, 0, 'COUNT', STREAM_ENTRIES),
    one('XINFO', 'STREAM', 's', 'FULL', 'COUNT', 0),
    one('COPY', 's', 'copy'),
    one('XTRIM', 'copy', 'MAXLEN', 1000),
    prepared(copyOf('s'), 'DEL', 'copy'),
  ],
}

const keys = {
  id: 'keys',
  title: 'a million small keys',
  fill: function* () {
    yield pages(['MSET'], (at) => [`key:${at}`, `value:${at}`])
  },
  commands: [
    one('KEYS', '*'),
    one('KEYS', '*99999*'),
    one('SCAN', 0, 'COUNT', ELEMENTS),
    named('MGET of 100 000 keys', () => requestOf(['MGET', ...some((at) => `key:${at}`)])),
    named('MSET of 100 000 keys', () =>
      requestOf(['MSET', ...some((at) => `key:${at}`).flatMap((key) => [key, key])]),
    ),
    named('EXISTS of 100 000 keys', () => requestOf(['EXISTS', ...some((at) => `key:${at}`)])),
    named('EXEC of 100 000 GET', () => [
      ...request('MULTI'),
      ...pipeline(MANY_KEYS, (at) => ['GET', `key:${at}`]),
      ...request('EXEC'),
    ]),
    named('EXEC of 100 000 SET', () => [
      ...request('MULTI'),
      ...pipeline(MANY_KEYS, (at) => ['SET', `key:${at}`, 'changed']),
      ...request('EXEC'),
    ]),
    named('pipeline of 500 000 GET', () => pipeline(500_000, (at) => ['GET', `key:${at}`])),
    named('pipeline of 500 000 SET', () => pipeline(500_000, (at) => ['SET', `key:${at}`, at])),
    named('DEL of 100 000 keys', () => requestOf(['DEL', ...some((at) => `key:${at}`)])),
    named('UNLINK of 100 000 keys', () =>
      requestOf(['UNLINK', ...some((at) => `key:${at + MANY_KEYS}`)]),
    ),
    one('DEBUG', 'RELOAD'),
    one('FLUSHALL'),
  ],
}

const others = {
  id: 'others',
  title: `strings of 10 000 bytes, a thousand HyperLogLogs, ${SUBSCRIBERS} subscribers`,
  fill: function* () {
    const letters = (seed) =>
      String.fromCharCode(
        ...Array.from({ length: 10_000 }, (_, at) => 97 + ((at * at + seed) % 23)),
      )
    yield request('MSET', 'one', letters(1), 'two', letters(5))
    for (let at = 0; at < 1_000; at++) {
      yield request(
        'PFADD',
        `hll:${at}`,
        ...Array.from({ length: 2_000 }, (_, word) => `${at}:${word}`),
      )
    }
  },
  around: (port) => subscribe(port),
  commands: [
    one('LCS', 'one', 'two', 'LEN'),
    one('LCS', 'one', 'two'),
    one('LCS', 'one', 'two', 'IDX'),
    named('PFCOUNT of 1 000 keys', () => request('PFCOUNT', ...hyperLogLogs())),
    named('PFMERGE of 1 000 keys', () => request('PFMERGE', 'merged', ...hyperLogLogs())),
    named(`PUBLISH to ${SUBSCRIBERS}`, () => request('PUBLISH', 'news', 'x'.repeat(100))),
    named(`CLIENT LIST of ${SUBSCRIBERS}`, () => request('CLIENT', 'LIST')),
    one('COMMAND'),
    one('COMMAND', 'DOCS'),
    named(`CLIENT KILL of ${SUBSCRIBERS}`, () => request('CLIENT', 'KILL', 'TYPE', 'pubsub')),
  ],
}

const hyperLogLogs = () => Array.from({ length: 1_000 }, (_, at) => `hll:${at}`)

const CALLS = `for i = 1, 2e5 do redis.call('SET', 'k' .. i % 1000, i) redis.call('GET', 'k' .. i % 1000) end`
const SORTING =
  'local t = {} for i = 1, 1e6 do t[i] = (i * 7919) % 1000003 end table.sort(t) return t[1]'
const TEXTS = "local t = {} for i = 1, 2e5 do t[i] = 'text ' .. i end return #table.concat(t, ',')"
const JSON_THERE_AND_BACK =
  'local t = {} for i = 1, 20000 do t[i] = i end return #cjson.decode(cjson.encode(t))'

const script = (title, source) => named(title, () => request('EVAL', source, 0))

/** Returns a function that closes them again. */
async function subscribe(port) {
  const sockets = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => subscribed(port)))
  return sockets.map((socket) => () => socket.destroy())
}

function subscribed(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST, () => socket.write(request('SUBSCRIBE', 'news')[0]))
    socket.once('data', () => resolve(socket.resume()))
    socket.on('error', reject)
  })
}

/** Others wait as long as the script takes: it is what they wait longer that a node can do something about. */
const scripts = {
  id: 'scripts',
  title: 'scripts, on a list of 100 000 elements',
  fill: function* () {
    yield* pages(['RPUSH', 'list'], (at) => [element(at)], MANY_KEYS).map((part) => [part])
  },
  commands: [
    script('20 million additions', 'local n = 0 for i = 1, 2e7 do n = n + i end return n'),
    script('200 000 calls of SET and GET', CALLS),
    script('LRANGE of 100 000 elements', "return #redis.call('LRANGE', 'list', 0, -1)"),
    script('a table of a million, sorted', SORTING),
    script('200 000 texts in one', TEXTS),
    script('cjson of 20 000 elements', JSON_THERE_AND_BACK),
  ],
}

export const STAGES = [
  ...[bytes, dumps, lists, hashes, sets, zsets, combined, streams, keys, others],
  scripts,
]
