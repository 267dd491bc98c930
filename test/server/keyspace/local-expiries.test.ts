import { expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

function writableReplica() {
  const harness = new NodeHarness({ 'replica-read-only': 'no' })
  const client = harness.client()
  client.say('REPLICAOF 127.0.0.1 1')
  return { harness, client }
}

test('a writable replica deletes the keys to which its own clients gave a time to live', () => {
  const { harness, client } = writableReplica()
  client.say('SET a 1 PX 50')
  client.say('SET b 1')
  client.say('PEXPIRE b 50')
  expect(client.say('INFO stats')).toContain('slave_expires_tracked_keys:2')
  harness.advance(500)
  expect(client.say('DBSIZE')).toBe(':0\r\n')
  expect(client.say('INFO stats')).toMatch(/expired_keys:2\r[\s\S]*slave_expires_tracked_keys:0/)
})

test('keys of the master stay until the master deletes them', () => {
  const { harness, client } = writableReplica()
  harness.node.services.streamTarget.apply(['SET', 'k', 'v', 'PXAT', String(harness.wallMs + 50)])
  harness.advance(500)
  expect(client.say('GET k')).toBe('$-1\r\n')
  expect(client.say('DBSIZE')).toBe(':1\r\n')
})

test('a key that lives on is forgotten here', () => {
  const { harness, client } = writableReplica()
  client.say('SET k 1 PX 50')
  client.say('PERSIST k')
  harness.advance(500)
  expect(client.say('GET k')).toBe('$1\r\n1\r\n')
  expect(client.say('INFO stats')).toContain('slave_expires_tracked_keys:0')
})

test.each([
  ['INCR k', 1],
  ['LPUSH k a', 1],
  ['SET k 1', 1],
  ['GETSET k 1', 1],
  ['SET k 1 GET', 1],
  ['SET k 1 XX GET', 1],
  ['ZADD k XX 1 a', 1],
  ['RENAME k other', 1],
  ["EVAL return(redis.call('incr',KEYS[1])) 1 k", 1],
  ['GET k', 0],
  ['GETEX k EX 100', 0],
  ['SUNIONSTORE other k', 0],
])(
  '%s of a client deletes an expired key of the master if it writes to it, and counts it',
  (command, expired) => {
    const { harness, client } = writableReplica()
    harness.node.services.streamTarget.apply(['SET', 'k', 'v', 'PXAT', String(harness.wallMs + 50)])
    harness.advance(500)
    client.say(command)
    expect(client.say('INFO stats')).toContain(`\r\nexpired_keys:${expired}\r\n`)
  },
)

test('the stream of the master writes to an expired key as if it lived', () => {
  const { harness, client } = writableReplica()
  const { streamTarget } = harness.node.services
  streamTarget.apply(['SET', 'k', '4', 'PXAT', String(harness.wallMs + 50)])
  harness.advance(500)
  streamTarget.apply(['INCR', 'k'])
  streamTarget.apply(['PERSIST', 'k'])
  expect(client.say('GET k')).toBe('$1\r\n5\r\n')
  expect(client.say('INFO stats')).toContain('\r\nexpired_keys:0\r\n')
})

test.each([
  ['DEL k', ':1\r\n'],
  ['UNLINK k', ':1\r\n'],
  ['GETDEL k', '$-1\r\n'],
])('%s finds an expired key of the master still there, and deletes it', (command, reply) => {
  const { harness, client } = writableReplica()
  harness.node.services.streamTarget.apply(['SET', 'k', 'v', 'PXAT', String(harness.wallMs + 50)])
  harness.advance(500)
  expect(client.say(command)).toBe(reply)
  expect(client.say('DBSIZE')).toBe(':0\r\n')
  expect(client.say('INFO stats')).toContain('\r\nexpired_keys:0\r\n')
  // The master's SET, and this.
  expect(client.say('INFO persistence')).toContain('rdb_changes_since_last_save:2\r\n')
})

test('on a master DEL of an expired key finds none', () => {
  const harness = new NodeHarness()
  const client = harness.client()
  client.say('DEBUG SET-ACTIVE-EXPIRE 0')
  client.say('SET k v PX 50')
  harness.advance(500)
  expect(client.say('DEL k')).toBe(':0\r\n')
})
