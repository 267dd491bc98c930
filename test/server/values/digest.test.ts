import { expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

test('nodes that hold nothing have the digest of nothing', () => {
  expect(new NodeHarness().client().say('DEBUG DIGEST')).toBe(`+${'0'.repeat(40)}\r\n`)
})

// What redis-server 7.0.15 answered after the same commands; test/diff asks it again.
test.each([
  ['SET text value', '7f983942689f2abf4d95506691ac7b28476521dd'],
  ['RPUSH list a b 17 a', '3f0eca7819446a0cc36f63f1834ee1d8e81fd0b6'],
  ['SADD set a 1 c', '3d2677030cdebae6679b47d4265601b7547951ea'],
  ['HSET hash field value other 9', 'cd852460a2c82d8341c05d219821aafe9e14b5fa'],
  ['SET mortal value EX 1000', '9b8d0886e4d67a5da6f59fda4bd0a389f2612317'],
  ['ZADD zset 1 a 0.1 b -inf c', '518f190418fe9e02f602ee5dc1d996d5839e8c6f'],
])('up to "%s" a node has the digest of Redis', (last, digest) => {
  const client = new NodeHarness().client()
  for (const command of COMMANDS.slice(0, COMMANDS.indexOf(last) + 1)) client.say(command)
  expect(client.say('DEBUG DIGEST')).toBe(`+${digest}\r\n`)
})

const COMMANDS = [
  'SET text value',
  'RPUSH list a b 17 a',
  'SADD set a 1 c',
  'HSET hash field value other 9',
  'SET mortal value EX 1000',
  'ZADD zset 1 a 0.1 b -inf c',
]

test('the same key in another database is other data', () => {
  const client = new NodeHarness().client()
  for (const command of [...COMMANDS, 'SELECT 3', 'SET text value']) client.say(command)
  expect(client.say('DEBUG DIGEST')).toBe('+fdae83d3fa8cd973e3173ade918cd0f7685ad85c\r\n')
})
