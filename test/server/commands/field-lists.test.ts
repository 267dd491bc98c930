/** Fields of hashes that expire by themselves (Redis 7.4), and HGETEX, HSETEX, HGETDEL (Redis 8). */
import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

const NOW = 1_700_000_000_000

function started(directives: Record<string, string> = {}) {
  const node = new NodeHarness({ save: '', ...directives })
  const client = node.client()
  client.say('HSET h a 1 b 2 c 3')
  return { node, client }
}

/** An array of integers, or of texts. */
function words(reply: string): (number | string | null)[] {
  const found: (number | string | null)[] = []
  for (const [, sign, text = ''] of reply.matchAll(/([:$])(-?\d+)\r\n/g)) {
    if (sign === ':') found.push(Number(text))
    else if (text === '-1') found.push(null)
  }
  return found
}

describe('HEXPIRE and its kin', () => {
  test('answer for each field whether it is there, has an expiry, and when it ends', () => {
    const { client } = started()
    expect(words(client.say('HEXPIRE h 10 FIELDS 2 a nosuch'))).toEqual([1, -2])
    expect(words(client.say('HTTL h FIELDS 3 a b nosuch'))).toEqual([10, -1, -2])
    expect(words(client.say('HPTTL h FIELDS 1 a'))).toEqual([10_000])
    expect(words(client.say('HPEXPIRETIME h FIELDS 1 a'))).toEqual([NOW + 10_000])
    expect(words(client.say('HEXPIRETIME h FIELDS 1 a'))).toEqual([NOW / 1000 + 10])
    expect(words(client.say('HTTL nosuch FIELDS 2 a b'))).toEqual([-2, -2])
    expect(client.say('OBJECT ENCODING h')).toBe('$10\r\nlistpackex\r\n')
  })

  test('NX, XX, GT and LT compare with what the field has; none counts as the longest', () => {
    const { client } = started()
    const answer = (line: string) => words(client.say(`HPEXPIRE h ${line} FIELDS 1 a`))
    expect(answer('5000 XX')).toEqual([0])
    expect(answer('5000 GT')).toEqual([0])
    expect(answer('5000 LT')).toEqual([1])
    expect(answer('5000 NX')).toEqual([0])
    expect(answer('5000 GT')).toEqual([0])
    expect(answer('6000 GT')).toEqual([1])
    expect(answer('6000 LT')).toEqual([0])
    expect(answer('7000 XX')).toEqual([1])
    client.say('HPERSIST h FIELDS 1 a')
    expect(answer('5000 nx')).toEqual([1])
  })

  test('a field ends at its moment, for every command, and the hash with its last field', () => {
    const { node, client } = started()
    client.say('HPEXPIRE h 1000 FIELDS 2 a b')
    node.monoMs += 1000
    expect(client.say('HGET h a')).toBe('$1\r\n1\r\n')
    node.monoMs += 1
    for (const [line, reply] of [
      ['HGET h a', '$-1\r\n'],
      ['HMGET h a c', '*2\r\n$-1\r\n$1\r\n3\r\n'],
      ['HGETALL h', '*2\r\n$1\r\nc\r\n$1\r\n3\r\n'],
      ['HKEYS h', '*1\r\n$1\r\nc\r\n'],
      ['HVALS h', '*1\r\n$1\r\n3\r\n'],
      ['HLEN h', ':1\r\n'],
      ['HEXISTS h b', ':0\r\n'],
      ['HSTRLEN h b', ':0\r\n'],
      ['HRANDFIELD h', '$1\r\nc\r\n'],
      ['HSCAN h 0', '*2\r\n$1\r\n0\r\n*2\r\n$1\r\nc\r\n$1\r\n3\r\n'],
      ['HSCAN h 0 NOVALUES', '*2\r\n$1\r\n0\r\n*1\r\n$1\r\nc\r\n'],
      ['HDEL h a', ':0\r\n'],
      ['HTTL h FIELDS 1 a', '*1\r\n:-2\r\n'],
    ] as const) {
      expect([line, client.say(line)]).toEqual([line, reply])
    }
    client.say('HPEXPIRE h 10 FIELDS 1 c')
    node.advance(1000)
    expect(client.say('EXISTS h')).toBe(':0\r\n')
  })

  test('writing a field takes its expiry away; numbers keep it, and begin anew when it is over', () => {
    const { node, client } = started()
    client.say('HPEXPIRE h 1000 FIELDS 3 a b c')
    client.say('HSET h a new')
    client.say('HINCRBY h b 5')
    client.say('HINCRBYFLOAT h c 0.5')
    expect(words(client.say('HPTTL h FIELDS 3 a b c'))).toEqual([-1, 1000, 1000])
    node.monoMs += 1001
    expect(client.say('HINCRBY h b 5')).toBe(':5\r\n')
    expect(words(client.say('HPTTL h FIELDS 2 a b'))).toEqual([-1, -1])
    expect(client.say('HSETNX h c only')).toBe(':1\r\n')
  })

  test('a moment that is over deletes the field at once, and the key with the last one', () => {
    const { node, client } = started()
    const replica = node.replica()
    expect(words(client.say('HEXPIRE h 0 FIELDS 3 a a b'))).toEqual([2, -2, 2])
    expect(words(client.say('HPEXPIREAT h 1 FIELDS 1 c'))).toEqual([2])
    expect(client.say('EXISTS h')).toBe(':0\r\n')
    expect(replica.told().slice(1)).toEqual(['HDEL h a b', 'HDEL h c'])
  })

  test('refuses what is no time, no list of fields, or no hash', () => {
    const { client } = started()
    client.say('SET s v')
    for (const [line, text] of [
      ['HEXPIRE h x FIELDS 1 a', 'value is not an integer or out of range'],
      ['HEXPIRE h -1 FIELDS 1 a', 'invalid expire time, must be >= 0'],
      ['HEXPIRE h 70368744178 FIELDS 1 a', "invalid expire time in 'hexpire' command"],
      ['HPEXPIREAT h 70368744177664 FIELDS 1 a', "invalid expire time in 'hpexpireat' command"],
      ['HEXPIRE h 1 FIELDS 0 a', 'Parameter `numFields` should be greater than 0'],
      ['HEXPIRE h 1 FIELDS 2 a', 'The `numfields` parameter must match the number of arguments'],
      [
        'HEXPIRE h 1 a FIELDS 1',
        'Mandatory argument FIELDS is missing or not at the right position',
      ],
      ['HTTL h FIELDS x a', 'Number of fields must be a positive integer'],
      [
        'HSETEX h EX 1 PX 1 FIELDS 1 a 1',
        'Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified',
      ],
      ['HSETEX h FNX FXX FIELDS 1 a 1', 'Only one of FXX or FNX arguments can be specified'],
      ['HSETEX h FIELDS 2 a 1 b', "wrong number of arguments for 'hsetex' command"],
      ['HSETEX h FIELDS 0 a 1', 'invalid number of fields'],
      ['HSETEX h NX FIELDS 1 a 1', 'unknown argument: NX'],
    ] as const) {
      expect([line, client.say(line)]).toEqual([line, `-ERR ${text}\r\n`])
    }
    for (const line of ['HTTL s FIELDS 1 a', 'HGETEX s FIELDS 1 a', 'HSETEX s FIELDS 1 a 1']) {
      expect(client.say(line)).toMatch(/^-WRONGTYPE/)
    }
  })
})

describe('HGETEX and HSETEX', () => {
  test('HGETEX reads fields and changes when they end, or takes them if that is over', () => {
    const { client } = started()
    expect(client.say('HGETEX h EX 10 FIELDS 2 a nosuch')).toBe('*2\r\n$1\r\n1\r\n$-1\r\n')
    expect(words(client.say('HTTL h FIELDS 2 a b'))).toEqual([10, -1])
    expect(client.say('HGETEX h PERSIST FIELDS 1 a')).toBe('*1\r\n$1\r\n1\r\n')
    expect(words(client.say('HTTL h FIELDS 1 a'))).toEqual([-1])
    expect(client.say('HGETEX h PXAT 1 FIELDS 1 a')).toBe('*1\r\n$1\r\n1\r\n')
    expect(client.say('HGETEX h FIELDS 1 a')).toBe('*1\r\n$-1\r\n')
    expect(client.say('HGETEX nosuch EX 5 FIELDS 1 a')).toBe('*1\r\n$-1\r\n')
  })

  test('HSETEX sets all fields or none, with an expiry, without one, or with the one they had', () => {
    const { client } = started()
    expect(client.say('HSETEX h FNX EX 10 FIELDS 2 a 9 d 4')).toBe(':0\r\n')
    expect(client.say('HSETEX h FXX EX 10 FIELDS 2 a 9 d 4')).toBe(':0\r\n')
    expect(client.say('HSETEX h FXX EX 10 FIELDS 2 a 9 b 8')).toBe(':1\r\n')
    expect(words(client.say('HTTL h FIELDS 2 a b'))).toEqual([10, 10])
    client.say('HSETEX h KEEPTTL FIELDS 1 a 7')
    client.say('HSETEX h FIELDS 1 b 6')
    expect(words(client.say('HTTL h FIELDS 2 a b'))).toEqual([10, -1])
    expect(client.say('HMGET h a b')).toBe('*2\r\n$1\r\n7\r\n$1\r\n6\r\n')
    expect(client.say('HSETEX new FXX FIELDS 1 a 1')).toBe(':0\r\n')
    expect(client.say('HSETEX new FNX PXAT 1 FIELDS 1 a 1')).toBe(':1\r\n')
    expect(client.say('EXISTS new')).toBe(':0\r\n')
  })
})

describe('what others are told', () => {
  test('replicas: moments and results, and HDEL when a field is over', () => {
    const { node, client } = started()
    const replica = node.replica()
    client.say('HEXPIRE h 10 NX FIELDS 3 a nosuch b')
    client.say('HINCRBYFLOAT h a 0.5')
    client.say('HGETEX h PX 500 FIELDS 1 b')
    client.say('HSETEX h EX 1 FIELDS 1 d 4')
    client.say('HPERSIST h FIELDS 2 a c')
    node.advance(800)
    expect(replica.told().slice(1)).toEqual([
      `HPEXPIREAT h ${NOW + 10_200} FIELDS 2 a b`,
      'MULTI',
      'HSET h a 1.5',
      `HPEXPIREAT h ${NOW + 10_200} FIELDS 1 a`,
      'EXEC',
      `HPEXPIREAT h ${NOW + 700} FIELDS 1 b`,
      'MULTI',
      'HSET h d 4',
      `HPEXPIREAT h ${NOW + 1200} FIELDS 1 d`,
      'EXEC',
      'HPERSIST h FIELDS 1 a',
      'HDEL h b',
    ])
    node.monoMs += 2000
    client.say('HGET h d')
    expect(replica.told()).toEqual(['HDEL h d'])
  })

  test('subscribers: hexpire, hpersist, hexpired, and del when it was the last field', () => {
    const { node, client } = started({ 'notify-keyspace-events': 'Kgh' })
    const listener = node.client()
    listener.say('SUBSCRIBE __keyspace@0__:h')
    client.say('HPEXPIRE h 50 FIELDS 2 a b')
    client.say('HPERSIST h FIELDS 1 a')
    client.say('HDEL h a c')
    node.advance(300)
    const events = [...listener.take().matchAll(/\$\d+\r\n(h\w+|del)\r\n(?=\*|$)/g)]
    expect(events.map(([, event]) => event)).toEqual([
      'hexpire',
      'hpersist',
      'hdel',
      'hexpired',
      'del',
    ])
  })

  test('WATCH: a field that is over is a change', () => {
    const { node, client } = started()
    client.say('HPEXPIRE h 50 FIELDS 1 a')
    client.say('WATCH h')
    node.advance(300)
    client.say('MULTI')
    client.say('PING')
    expect(client.say('EXEC')).toBe('*-1\r\n')
  })
})

describe('a replica', () => {
  test('hides a field that is over, and leaves it to the master', () => {
    const { node, client } = started()
    client.say('RPUSH list h')
    client.say('HPEXPIRE h 50 FIELDS 2 a b')
    client.say('REPLICAOF 127.0.0.1 1')
    node.advance(300)
    expect(client.say('HGET h a')).toBe('$-1\r\n')
    expect(client.say('HLEN h')).toBe(':1\r\n')
    expect(client.say('HRANDFIELD h 5')).toBe('*1\r\n$1\r\nc\r\n')
    expect(client.say('HSCAN h 0 NOVALUES')).toBe('*2\r\n$1\r\n0\r\n*1\r\n$1\r\nc\r\n')
    expect(client.say('SORT_RO list BY nosort GET *->a GET *->c')).toBe('*2\r\n$-1\r\n$1\r\n3\r\n')
    client.say('REPLICAOF NO ONE')
    node.advance(300)
    expect(client.say('HLEN h')).toBe(':1\r\n')
    expect(client.say('INFO stats')).toMatch(/expired_subkeys:2\r/)
  })
})

describe('expiries of fields are kept', () => {
  const TIMES = 'HPEXPIRETIME h FIELDS 3 a b c'
  const EXPECTED = [NOW + 60_000, NOW + 2 ** 33, -1]

  function timed(directives: Record<string, string> = {}) {
    const all = started(directives)
    all.client.say(`HPEXPIREAT h ${NOW + 60_000} FIELDS 1 a`)
    all.client.say(`HPEXPIREAT h ${NOW + 2 ** 33} FIELDS 1 b`)
    return all
  }

  test('by COPY, RENAME, MOVE, SWAPDB, DUMP and RESTORE, and DEBUG RELOAD', () => {
    const { node, client } = timed()
    client.say('COPY h copy')
    client.say('RENAME h renamed')
    client.say('RENAME renamed h')
    client.say('MOVE h 1')
    client.say('SWAPDB 0 1')
    expect(words(client.say(TIMES))).toEqual(EXPECTED)
    const dump = client.say('DUMP h').replace(/^\$\d+\r\n|\r\n$/gs, '')
    client.say('DEL h')
    expect(client.send('RESTORE', 'h', '0', dump)).toBe('+OK\r\n')
    expect(words(client.say(TIMES))).toEqual(EXPECTED)
    const digest = client.say('DEBUG DIGEST')
    client.say('DEBUG RELOAD')
    node.advance(1000)
    client.take()
    expect(client.say('DEBUG DIGEST')).toBe(digest)
    expect(words(client.say(TIMES))).toEqual(EXPECTED)
    node.advance(61_000)
    expect(client.say('HEXISTS h a')).toBe(':0\r\n')
  })

  test.each(['yes', 'no'])('by the append-only file, rewritten with a preamble: %s', (preamble) => {
    const { node, client } = timed({ appendonly: 'yes', 'aof-use-rdb-preamble': preamble })
    node.advance(1000)
    client.say('BGREWRITEAOF')
    node.advance(2000)
    client.say(`HPEXPIREAT h ${NOW + 60_000} FIELDS 1 a`)
    const digest = client.say('DEBUG DIGEST')
    client.say('DEBUG LOADAOF')
    node.advance(1000)
    client.take()
    expect(client.say('DEBUG DIGEST')).toBe(digest)
    expect(words(client.say(TIMES))).toEqual(EXPECTED)
  })
})

test('a thousand fields are deleted by a command that meets them; the rest is hidden and follows', () => {
  const { node, client } = started()
  const fields = Array.from({ length: 2500 }, (_, at) => `f${at}`)
  client.send('HSET', 'h', ...fields.flatMap((field) => [field, 'v']))
  client.send('HPEXPIRE', 'h', '60000', 'FIELDS', '2500', ...fields)
  const replica = node.replica()
  node.monoMs += 60_001
  expect(client.say('HLEN h')).toBe(':3\r\n')
  node.advance(400)
  const told = replica.told().filter((line) => line.startsWith('HDEL'))
  expect(told.every((line) => line.split(' ').length <= 1002)).toBe(true)
  expect(new Set(told.flatMap((line) => line.split(' ').slice(2))).size).toBe(2500)
  expect(client.say('HLEN h')).toBe(':3\r\n')
})

test('expiries that are moved again and again take no more memory than they are', () => {
  const { client } = started()
  const use = () => Number(/:(\d+)/.exec(client.say('MEMORY USAGE h'))?.[1])
  client.say('HPEXPIRE h 100000 FIELDS 1 a')
  for (let ms = 0; ms < 5000; ms++) client.say(`HPEXPIRE h ${200_000 - ms} FIELDS 1 a`)
  expect(use()).toBeLessThan(20_000)
})
