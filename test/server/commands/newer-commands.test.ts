/** Commands and options of Redis 7.2 to 8 and of Valkey, which the installed redis-server does not have. */
import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

const [YES, NO, NIL, OK] = [':1\r\n', ':0\r\n', '$-1\r\n', '+OK\r\n']

function started() {
  const node = new NodeHarness()
  return { node, client: node.client(), replica: node.replica() }
}

describe('SET with a comparison', () => {
  test('IFEQ sets a string that is equal, and no other', () => {
    const { client, replica } = started()
    expect(client.say('SET k new IFEQ old')).toBe(NIL)
    client.say('SET k old')
    expect(client.say('SET k new IFEQ wrong')).toBe(NIL)
    expect(client.say('SET k new ifeq old')).toBe(OK)
    expect(client.say('GET k')).toBe('$3\r\nnew\r\n')
    expect(replica.told().slice(1)).toEqual(['SET k old', 'SET k new'])
  })

  test('IFNE sets a string that differs, and one that is missing', () => {
    const { client } = started()
    expect(client.say('SET k v IFNE v')).toBe(OK)
    expect(client.say('SET k w IFNE v')).toBe(NIL)
    expect(client.say('SET k w IFNE x')).toBe(OK)
  })

  test('GET answers the old value in either case, and an expiry is told as a moment', () => {
    const { client, replica } = started()
    client.say('SET k a')
    expect(client.say('SET k b IFEQ x GET')).toBe('$1\r\na\r\n')
    expect(client.say('SET k b IFEQ a GET PX 5000')).toBe('$1\r\na\r\n')
    expect(replica.told().at(-1)).toMatch(/^SET k b PXAT \d+$/)
    expect(client.say('SET k c IFEQ b KEEPTTL')).toBe(OK)
    expect(replica.told()).toEqual(['SET k c KEEPTTL'])
  })

  test('contradicts NX, XX and another comparison, and needs a string', () => {
    const { client } = started()
    for (const options of ['NX IFEQ a', 'IFEQ a XX', 'IFEQ a IFNE b', 'IFEQ']) {
      expect(client.say(`SET k v ${options}`)).toBe('-ERR syntax error\r\n')
    }
    client.say('RPUSH l a')
    expect(client.say('SET l v IFEQ a')).toMatch(/^-WRONGTYPE/)
  })
})

describe('DELIFEQ and DELEX', () => {
  test('delete a string that is equal, or differs, and tell replicas DEL', () => {
    const { client, replica } = started()
    client.say('MSET a 1 b 2 c 3')
    expect(client.say('DELIFEQ a 2')).toBe(NO)
    expect(client.say('DELIFEQ a 1')).toBe(YES)
    expect(client.say('DELIFEQ a 1')).toBe(NO)
    expect(client.say('DELEX b IFNE 2')).toBe(NO)
    expect(client.say('DELEX b IFNE 1')).toBe(YES)
    expect(client.say('DELEX c')).toBe(YES)
    expect(client.say('DELEX c IFNE 1')).toBe(NO)
    expect(replica.told().slice(2)).toEqual(['DEL a', 'DEL b', 'DEL c'])
  })

  test('refuse what they cannot compare', () => {
    const { client } = started()
    client.say('RPUSH l a')
    expect(client.say('DELIFEQ l a')).toMatch(/^-WRONGTYPE/)
    expect(client.say('DELEX l IFEQ a')).toMatch(/^-WRONGTYPE/)
    expect(client.say('DELEX l IFDEQ a')).toBe('-ERR syntax error\r\n')
    expect(client.say('DELEX l IFEQ')).toMatch(/wrong number of arguments/)
    expect(client.say('DELEX l')).toBe(YES)
  })
})

test('HGETDEL answers fields and deletes them, and replicas are told HDEL', () => {
  const { client, replica } = started()
  client.say('HSET h a 1 b 2 c 3')
  expect(client.say('HGETDEL h FIELDS 3 a nosuch a')).toBe('*3\r\n$1\r\n1\r\n$-1\r\n$-1\r\n')
  expect(client.say('HGETDEL h FIELDS 2 b c')).toBe('*2\r\n$1\r\n2\r\n$1\r\n3\r\n')
  expect(client.say('EXISTS h')).toBe(NO)
  expect(client.say('HGETDEL h FIELDS 1 a')).toBe('*1\r\n$-1\r\n')
  expect(client.say('HGETDEL h FIELDS 2 a')).toMatch(/^-ERR/)
  expect(client.say('HGETDEL h FIELDS 0 a')).toMatch(/^-ERR/)
  expect(client.say('HGETDEL h NONSENSE 1 a')).toMatch(/^-ERR/)
  expect(replica.told().slice(2)).toEqual(['HDEL h a', 'HDEL h b c'])
})

test('a client that takes redirects is sent from a replica to its master', () => {
  const node = new NodeHarness({ 'demotion-closes-clients': 'no' })
  const client = node.client()
  expect(client.say('CLIENT CAPA redirect whatever')).toBe(OK)
  expect(client.say('GET k')).toBe(NIL)
  node.client().say('REPLICAOF 10.0.0.9 6380')
  expect(client.say('GET k')).toBe('-REDIRECT 10.0.0.9:6380\r\n')
  expect(client.say('SET k v')).toBe('-REDIRECT 10.0.0.9:6380\r\n')
  expect(client.say('READONLY')).toBe(OK)
  expect(client.say('GET k')).toBe(NIL)
  expect(client.say('SET k v')).toBe('-REDIRECT 10.0.0.9:6380\r\n')
  expect(client.say('READWRITE')).toBe(OK)
  expect(client.say('GET k')).toMatch(/^-REDIRECT/)
  expect(node.client().say('SET k v')).toMatch(/^-READONLY/)
})

test('it is sent to the address that its network has for the master, others to the one inside', () => {
  const node = new NodeHarness({ 'demotion-closes-clients': 'no', 'protected-mode': 'no' })
  const line = '203.0.113.0/24 10.0.0.9:6380 198.51.100.7:7001'
  expect(node.client().send('CONFIG', 'SET', 'client-addresses', line)).toBe(OK)
  node.client().say('REPLICAOF 10.0.0.9 6380')
  for (const [host, address] of [
    ['203.0.113.40', '198.51.100.7:7001'],
    ['::ffff:203.0.113.40', '198.51.100.7:7001'],
    ['203.0.114.1', '10.0.0.9:6380'],
  ] as const) {
    const client = node.client(host)
    client.say('CLIENT CAPA redirect')
    expect(client.say('GET k')).toBe(`-REDIRECT ${address}\r\n`)
  }
})

test.each([
  ['203.0.113.0/24 10.0.0.9:6380', 'three words'],
  ['203.0.113.9/24 10.0.0.9:6380 198.51.100.7:7001', 'that is 203.0.113.0/24'],
  ['10.0.0.0/8 10.0.0.9:6380 a:1 10.1.0.0/16 10.0.0.9:6380 b:1', 'overlap'],
])('CONFIG SET client-addresses %j is refused: %s', (line, reason) => {
  const client = new NodeHarness().client()
  expect(client.send('CONFIG', 'SET', 'client-addresses', line)).toContain(reason)
  expect(client.say('CONFIG GET client-addresses')).toContain('$0')
})

test('LOLWUT says the version, and draws for versions 5 and 6', () => {
  const { client } = started()
  expect(client.say('LOLWUT')).toBe('$18\r\nRedis ver. 7.0.15\n\r\n')
  expect(client.say('LOLWUT VERSION 5 10')).toMatch(/\xe2\x96.*Redis ver. 7.0.15\n\r\n$/s)
  expect(client.say('LOLWUT VERSION x')).toMatch(/^-ERR value is not an integer/)
})

describe('MSETEX', () => {
  test('sets all or none, and replicas are told commands that older servers know', () => {
    const { client, replica } = started()
    expect(client.say('MSETEX 2 a 1 b 2')).toBe(YES)
    expect(client.say('MSETEX 2 b 3 c 3 NX')).toBe(NO)
    expect(client.say('MSETEX 2 b 3 c 3 XX')).toBe(NO)
    expect(client.say('MSETEX 2 a 4 b 4 XX PXAT 4000000000000')).toBe(YES)
    expect(client.say('MSETEX 1 a 5 KEEPTTL')).toBe(YES)
    expect(client.say('PEXPIRETIME a')).toBe(':4000000000000\r\n')
    expect(client.say('MSETEX 1 a 6')).toBe(YES)
    expect(client.say('TTL a')).toBe(':-1\r\n')
    expect(replica.told().slice(1)).toEqual([
      'MSET a 1 b 2',
      'MULTI',
      'SET a 4 PXAT 4000000000000',
      'SET b 4 PXAT 4000000000000',
      'EXEC',
      'SET a 5 KEEPTTL',
      'MSET a 6',
    ])
  })

  test('refuses numbers of keys, pairs and options that make no sense', () => {
    const { client } = started()
    for (const count of ['0', '-1', 'x', '99999999999999999999']) {
      const refused = client.say(`MSETEX ${count} a 1`)
      expect(refused).toBe('-ERR invalid numkeys value or out of range\r\n')
    }
    const wrong = [
      '2 a 1',
      '1 a 1 GET',
      '1 a 1 IFEQ x',
      '1 a 1 NX XX',
      '1 a 1 EX 1 KEEPTTL',
      '1 a 1 EX',
    ]
    for (const words of wrong) expect(client.say(`MSETEX ${words}`)).toBe('-ERR syntax error\r\n')
    expect(client.say('MSETEX 1 a 1 EX 0')).toBe("-ERR invalid expire time in 'msetex' command\r\n")
    expect(client.say('EXISTS a')).toBe(NO)
  })

  test('has a key before each value, for COMMAND GETKEYS and for users', () => {
    const { client } = started()
    expect(client.say('COMMAND GETKEYS MSETEX 2 a 1 b 2 EX 9')).toBe('*2\r\n$1\r\na\r\n$1\r\nb\r\n')
    client.say('ACL SETUSER only-a on nopass +@all ~a')
    client.say('AUTH only-a x')
    expect(client.say('MSETEX 1 a b')).toBe(YES)
    expect(client.say('MSETEX 2 a 1 b 2')).toMatch(/^-NOPERM/)
  })
})

test('XREAD with + answers the last entry, however many there are', () => {
  const { client } = started()
  for (const id of ['1-1', '1-2', '2-0']) client.say(`XADD s ${id} f v`)
  client.say('XDEL s 2-0')
  const last = '*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n1-2\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n'
  expect(client.say('XREAD COUNT 5 STREAMS s +')).toBe(last)
  expect(client.say('XREAD STREAMS nosuch +')).toBe('*-1\r\n')
  client.say('XGROUP CREATE s g 0')
  expect(client.say('XREADGROUP GROUP g c STREAMS s +')).toMatch(/^-ERR The \+ ID is meaningless/)
})

test('SCRIPT SHOW answers the source', () => {
  const { client } = started()
  const id = client.say('SCRIPT LOAD return{}').split('\r\n')[1] ?? ''
  expect(client.say(`SCRIPT SHOW ${id.toUpperCase()}`)).toBe('$8\r\nreturn{}\r\n')
  expect(client.say('SCRIPT SHOW nosuch')).toBe('-NOSCRIPT No matching script.\r\n')
})

test('CLIENT KILL MAXAGE closes those that have been connected for so long', () => {
  const { node, client } = started()
  node.advance(2_000)
  const young = node.client()
  node.advance(1_000)
  expect(client.say('CLIENT KILL MAXAGE 0')).toBe('-ERR maxage should be greater than 0\r\n')
  expect(client.say('CLIENT KILL MAXAGE x')).toMatch(/^-ERR maxage is not an integer/)
  expect(young.say('CLIENT KILL TYPE normal MAXAGE 4')).toBe(NO)
  expect(young.say('CLIENT KILL TYPE normal MAXAGE 3')).toBe(YES)
  expect(young.say('CLIENT KILL TYPE normal MAXAGE 1 SKIPME no')).toBe(YES)
})
