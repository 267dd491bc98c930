/** Each command and the exact bytes it is answered, on a fresh node, in both protocols. */
import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

/** A command line, its RESP2 reply, and the RESP3 reply if that differs. CRLF is written `|`. */
type Case = readonly [line: string, resp2: string, resp3?: string]

const WRONG_TYPE = '-WRONGTYPE Operation against a key holding the wrong kind of value|'

const FAMILIES: Readonly<Record<string, readonly Case[]>> = {
  connection: [
    ['PING', '+PONG|'],
    ['PING hi', '$2|hi|'],
    ['ECHO hi', '$2|hi|'],
    ['SELECT 15', '+OK|'],
    ['SELECT 16', '-ERR DB index is out of range|'],
    [
      'AUTH x',
      '-ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?|',
    ],
    ['CLIENT ID', ':1|'],
    ['CLIENT GETNAME', '$-1|', '_|'],
    ['CLIENT SETNAME me', '+OK|'],
    ['CLIENT GETNAME', '$2|me|'],
    ['CLIENT SETINFO LIB-NAME ioredis', '+OK|'],
    ['CLIENT SETINFO foo bar', "-ERR Unrecognized option 'foo'|"],
    ['NOSUCH a b', "-ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b' |"],
    ['NOSUCH2 z 1 a', "-ERR unknown command 'NOSUCH2', with args beginning with: 'z' '1' 'a' |"],
    ['GET', "-ERR wrong number of arguments for 'get' command|"],
    ['CONFIG NOSUCH', "-ERR unknown subcommand 'NOSUCH'. Try CONFIG HELP.|"],
    ['TIME', '*2|$10|1700000000|$1|0|'],
    ['DBSIZE', ':0|'],
    ['RESET', '+RESET|'],
  ],
  strings: [
    ['SET k v', '+OK|'],
    ['GET k', '$1|v|'],
    ['GET missing', '$-1|', '_|'],
    ['SET k w NX', '$-1|', '_|'],
    ['SET k w GET', '$1|v|'],
    ['SET k v EX 0', "-ERR invalid expire time in 'set' command|"],
    ['APPEND k xyz', ':4|'],
    ['STRLEN k', ':4|'],
    ['SETRANGE k 6 !', ':7|'],
    ['GETRANGE k 0 -1', '$7|wxyz\0\0!|'],
    ['MSET a 1 b 2', '+OK|'],
    ['MGET a missing b', '*3|$1|1|$-1|$1|2|', '*3|$1|1|_|$1|2|'],
    ['MSETNX a 1 c 3', ':0|'],
    ['INCR a', ':2|'],
    ['INCRBY a 9223372036854775807', '-ERR increment or decrement would overflow|'],
    ['INCRBYFLOAT f 10.6', '$4|10.6|'],
    ['INCRBYFLOAT f 5.0e3', '$22|5010.60000000000000009|'],
    ['INCR k', '-ERR value is not an integer or out of range|'],
    ['GETEX a EX 10', '$1|2|'],
    ['TTL a', ':10|'],
    ['GETDEL a', '$1|2|'],
    ['SETBIT bits 7 1', ':0|'],
    ['BITCOUNT bits', ':1|'],
    ['BITOP NOT bits a b', '-ERR BITOP NOT must be called with a single source key.|'],
  ],
  keys: [
    ['SET k v', '+OK|'],
    ['EXISTS k k missing', ':2|'],
    ['TYPE k', '+string|'],
    ['EXPIRE k 100', ':1|'],
    ['PTTL k', ':100000|'],
    ['EXPIRETIME k', ':1700000100|'],
    ['EXPIRE k 50 GT', ':0|'],
    ['PERSIST k', ':1|'],
    ['TTL k', ':-1|'],
    ['TTL missing', ':-2|'],
    ['COPY k c', ':1|'],
    ['RENAME c d', '+OK|'],
    ['RENAME c d', '-ERR no such key|'],
    ['RENAMENX c e', '-ERR no such key|'],
    ['RENAMENX d k', ':0|'],
    ['RENAMENX d d', ':0|'],
    ['RENAMENX d e', ':1|'],
    ['EXISTS d e', ':1|'],
    ['RENAME e d', '+OK|'],
    ['MOVE d 1', ':1|'],
    ['KEYS *', '*1|$1|k|'],
    ['SCAN 0', '*2|$1|0|*1|$1|k|'],
    ['SCAN x', '-ERR invalid cursor|'],
    ['RANDOMKEY', '$1|k|'],
    ['OBJECT ENCODING k', '$6|embstr|'],
    ['DEL k missing', ':1|'],
    ['FLUSHALL', '+OK|'],
  ],
  hashes: [
    ['HSET h a 1 b 2', ':2|'],
    ['HGETALL h', '*4|$1|a|$1|1|$1|b|$1|2|', '%2|$1|a|$1|1|$1|b|$1|2|'],
    ['HMGET h a x', '*2|$1|1|$-1|', '*2|$1|1|_|'],
    ['HINCRBY h a 4', ':5|'],
    ['HINCRBYFLOAT h a 0.5', '$3|5.5|'],
    ['HSETNX h a 1', ':0|'],
    ['HSTRLEN h a', ':3|'],
    ['HDEL h b', ':1|'],
    ['HRANDFIELD h 1 WITHVALUES', '*2|$1|a|$3|5.5|', '*1|*2|$1|a|$3|5.5|'],
    ['HSCAN h 0', '*2|$1|0|*2|$1|a|$3|5.5|'],
    ['GET h', WRONG_TYPE],
    ['HDEL h a', ':1|'],
    ['TYPE h', '+none|'],
  ],
  lists: [
    ['RPUSH l a b c', ':3|'],
    ['LPUSH l z', ':4|'],
    ['LRANGE l 0 -1', '*4|$1|z|$1|a|$1|b|$1|c|'],
    ['LINDEX l -1', '$1|c|'],
    ['LPOS l c', ':3|'],
    ['RPUSH twice a b a c a', ':5|'],
    ['LPOS twice a RANK 2', ':2|'],
    ['LPOS twice a RANK -1', ':4|'],
    ['LPOS twice a RANK -2 COUNT 2', '*2|:2|:0|'],
    ['LPOS twice a COUNT 0', '*3|:0|:2|:4|'],
    ['LPOS twice a RANK -1 COUNT 0 MAXLEN 3', '*2|:4|:2|'],
    ['LPOS twice c MAXLEN 3', '$-1|', '_|'],
    ['LPOS twice none COUNT 1', '*0|'],
    ['LPOS none a COUNT 1', '*0|'],
    ['LPOS twice a RANK', '-ERR syntax error|'],
    ['LPOS twice a FIRST 1', '-ERR syntax error|'],
    ['LPOS twice a RANK x', '-ERR value is not an integer or out of range|'],
    ['LPOS twice a COUNT -1', "-ERR COUNT can't be negative|"],
    ['LPOS twice a MAXLEN -1', "-ERR MAXLEN can't be negative|"],
    [
      'LPOS twice a RANK 0',
      "-ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list|",
    ],
    ['LPOS twice c RANK -9223372036854775808', ':3|'],
    ['DEL twice', ':1|'],
    ['LINSERT l BEFORE a y', ':5|'],
    ['LMOVE l m LEFT RIGHT', '$1|z|'],
    ['LMPOP 2 none l RIGHT COUNT 2', '*2|$1|l|*2|$1|c|$1|b|'],
    ['LPOP none', '$-1|', '_|'],
    ['LPOP none 1', '*-1|', '_|'],
    ['BLPOP none l 0', '*2|$1|l|$1|y|'],
    ['LLEN l', ':1|'],
    ['SADD l x', WRONG_TYPE],
    ['LTRIM l 1 0', '+OK|'],
    ['EXISTS l', ':0|'],
  ],
  sets: [
    ['SADD s 1 2 3 3', ':3|'],
    ['SMEMBERS s', '*3|$1|1|$1|2|$1|3|', '~3|$1|1|$1|2|$1|3|'],
    ['SMISMEMBER s 1 9', '*2|:1|:0|'],
    ['SADD t 2 3 4', ':3|'],
    ['SINTER s t', '*2|$1|2|$1|3|', '~2|$1|2|$1|3|'],
    ['SDIFF s t', '*1|$1|1|', '~1|$1|1|'],
    ['SINTERCARD 2 s t LIMIT 1', ':1|'],
    ['SUNIONSTORE u s t', ':4|'],
    ['SMOVE s t 1', ':1|'],
    ['SREM t 1 9', ':1|'],
    ['SPOP none 3', '*0|', '~0|'],
    ['SPOP none', '$-1|', '_|'],
    ['SRANDMEMBER s 10', '*2|$1|2|$1|3|'],
    ['SDIFFSTORE u s t', ':0|'],
    ['EXISTS u', ':0|'],
  ],
  'pub/sub': [
    ['PUBLISH c m', ':0|'],
    [
      'SUBSCRIBE a b',
      '*3|$9|subscribe|$1|a|:1|*3|$9|subscribe|$1|b|:2|',
      '>3|$9|subscribe|$1|a|:1|>3|$9|subscribe|$1|b|:2|',
    ],
    ['PSUBSCRIBE p*', '*3|$10|psubscribe|$2|p*|:3|', '>3|$10|psubscribe|$2|p*|:3|'],
    ['PING', '*2|$4|pong|$0||', '+PONG|'],
    [
      'GET k',
      "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context|",
      '_|',
    ],
    ['PUNSUBSCRIBE', '*3|$12|punsubscribe|$2|p*|:2|', '>3|$12|punsubscribe|$2|p*|:2|'],
    [
      'UNSUBSCRIBE a b',
      '*3|$11|unsubscribe|$1|a|:1|*3|$11|unsubscribe|$1|b|:0|',
      '>3|$11|unsubscribe|$1|a|:1|>3|$11|unsubscribe|$1|b|:0|',
    ],
    ['UNSUBSCRIBE', '*3|$11|unsubscribe|$-1|:0|', '>3|$11|unsubscribe|_|:0|'],
  ],
  administration: [
    ['CONFIG GET hz', '*2|$2|hz|$2|10|', '%1|$2|hz|$2|10|'],
    [
      'CONFIG SET databases 3',
      "-ERR CONFIG SET failed (possibly related to argument 'databases') - can't set immutable config|",
    ],
    ['CONFIG REWRITE', '-ERR The server is running without a config file|'],
    ['COMMAND GETKEYS LMPOP 2 a b LEFT', '*2|$1|a|$1|b|'],
    ['SLOWLOG LEN', ':0|'],
    ['LATENCY LATEST', '*0|'],
    [
      'DEBUG JMAP',
      "-ERR unknown subcommand or wrong number of arguments for 'JMAP'. Try DEBUG HELP.|",
    ],
    ['REPLICAOF a b', '-ERR Invalid master port|'],
    ['WAIT 0 0', ':0|'],
    ['INFO cluster', '$30|# Cluster|cluster_enabled:0||', '=34|txt:# Cluster|cluster_enabled:0||'],
  ],
}

for (const [family, cases] of Object.entries(FAMILIES)) {
  for (const protocol of [2, 3] as const) {
    describe(`${family} in RESP${protocol}`, () => {
      const client = new NodeHarness().client()
      client.say(`HELLO ${protocol}`)
      for (const [line, resp2, resp3] of cases) {
        test(line, () => {
          const wanted = protocol === 3 ? (resp3 ?? resp2) : resp2
          // No reply here has a bar of its own.
          expect(client.say(line).replaceAll('\r\n', '|')).toBe(wanted)
        })
      }
    })
  }
}

describe('a request', () => {
  test('is found whatever the case of its name', () => {
    const client = new NodeHarness().client()
    expect(client.say('pInG')).toBe('+PONG\r\n')
    expect(client.say('client getname')).toBe('$-1\r\n')
  })

  test('keeps every byte of keys and values', () => {
    const client = new NodeHarness().client()
    const key = 'k\0\r\n\xff'
    client.send('SET', key, '\r\n$5\r\n')
    expect(client.send('GET', key)).toBe('$6\r\n\r\n$5\r\n\r\n')
    expect(client.send('KEYS', '*')).toBe(`*1\r\n$5\r\n${key}\r\n`)
  })

  test('cannot smuggle a line break into an error', () => {
    const client = new NodeHarness().client()
    expect(client.send('a\r\nb')).toBe(
      "-ERR unknown command 'a  b', with args beginning with: \r\n",
    )
  })

  test('may be one of many in a pipeline, and all replies leave in one write', () => {
    const client = new NodeHarness().client()
    const writes = client.writes
    expect(client.bytes('PING\r\nSET k v\r\nGET k\r\n')).toBe('+PONG\r\n+OK\r\n$1\r\nv\r\n')
    expect(client.writes).toBe(writes + 1)
  })

  test('may have a reply of any length, sent in pieces', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    const item = 'x'.repeat(10_000)
    for (let n = 0; n < 500; n++) client.send('RPUSH', 'l', item)
    const writes = client.writes
    const reply = client.say('LRANGE l 0 -1')
    harness.advance(100)
    expect(reply + client.take()).toBe(`*500\r\n${`$10000\r\n${item}\r\n`.repeat(500)}`)
    expect(client.writes - writes).toBeGreaterThan(2)
  })

  test('that breaks the protocol is answered, and closes that connection alone', () => {
    const harness = new NodeHarness()
    const [bad, good] = [harness.client(), harness.client()]
    expect(bad.bytes('*1\r\n$-5\r\n')).toBe('-ERR Protocol error: invalid bulk length\r\n')
    expect([bad.isClosed, good.isClosed]).toEqual([true, false])
    expect(good.say('PING')).toBe('+PONG\r\n')
  })

  test('after QUIT is not read', () => {
    const client = new NodeHarness().client()
    expect(client.bytes('QUIT\r\nPING\r\n')).toBe('+OK\r\n')
    expect(client.isClosed).toBe(true)
  })
})
