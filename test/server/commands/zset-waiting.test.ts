import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

function clients() {
  const harness = new NodeHarness()
  return { harness, waiting: harness.client(), other: harness.client(), third: harness.client() }
}

/** A reply of bulk strings. */
function bulks(...texts: string[]): string {
  return `*${texts.length}\r\n${texts.map((text) => `$${text.length}\r\n${text}\r\n`).join('')}`
}

describe('a client that waits for a sorted set', () => {
  test('is served by the next ZADD, from its end', () => {
    const { waiting, other, third } = clients()
    expect(waiting.say('BZPOPMIN a z 0')).toBe('')
    expect(third.say('BZPOPMAX z 0')).toBe('')
    expect(other.say('ZADD z 1 x 2.5 y 3 w')).toBe(':3\r\n')
    expect(waiting.take()).toBe(bulks('z', 'x', '1'))
    expect(third.take()).toBe(bulks('z', 'w', '3'))
    expect(other.say('ZRANGE z 0 -1 WITHSCORES')).toBe(bulks('y', '2.5'))
  })

  test('gets several with BZMPOP, and the key goes with the last', () => {
    const { waiting, other } = clients()
    expect(waiting.say('BZMPOP 0 2 a z MAX COUNT 5')).toBe('')
    other.say('ZADD z 1 x 2 y')
    const pairs = `*2\r\n${bulks('y', '2')}${bulks('x', '1')}`
    expect(waiting.take()).toBe(`*2\r\n$1\r\nz\r\n${pairs}`)
    expect(other.say('EXISTS z')).toBe(':0\r\n')
  })

  test('is answered with doubles in RESP3', () => {
    const { waiting, other } = clients()
    waiting.say('HELLO 3')
    waiting.say('BZPOPMIN z 0')
    other.say('ZADD z 0.1 x')
    expect(waiting.take()).toBe('*3\r\n$1\r\nz\r\n$1\r\nx\r\n,0.10000000000000001\r\n')
  })

  test.each([
    ['BZPOPMIN z 0.5', '*-1\r\n'],
    ['BZMPOP 0.5 1 z MIN', '*-1\r\n'],
  ])('with %s gets null when its time is up', (line, reply) => {
    const { harness, waiting } = clients()
    waiting.say(line)
    harness.advance(499)
    expect(waiting.take()).toBe('')
    harness.advance(1)
    expect(waiting.take()).toBe(reply)
  })

  test.each([
    ['ZUNIONSTORE z 1 source'],
    ['ZRANGESTORE z source 0 -1'],
    ['RENAME source z'],
    ['COPY source z'],
    ['GEOADD z 0 0 x'],
    ['ZINCRBY z 1 x'],
  ])('is served by %s as well', (line) => {
    const { waiting, other } = clients()
    other.say('ZADD source 1 x')
    waiting.say('BZPOPMIN z 0')
    other.say(line)
    expect(waiting.take()).toContain('$1\r\nx\r\n')
  })

  test('is served by a result that replaces a key of another type, and redis-server leaves it waiting', () => {
    const { waiting, other } = clients()
    waiting.say('BZPOPMIN z 0')
    other.say('SET z text')
    other.say('ZADD source 1 x')
    expect(other.say('ZUNIONSTORE z 1 source')).toBe(':1\r\n')
    expect(waiting.take()).toBe(bulks('z', 'x', '1'))
  })

  test('is not served by a key of another type, nor by a set that comes and goes at once', () => {
    const { waiting, other } = clients()
    waiting.say('BZPOPMIN z 0')
    other.bytes('LPUSH z x\r\nDEL z\r\n')
    other.bytes('MULTI\r\nZADD z 1 x\r\nZREM z x\r\nEXEC\r\n')
    expect(waiting.take()).toBe('')
    other.say('ZADD z 1 x')
    expect(waiting.take()).toContain('x')
  })

  test('and one that waits for a list do not take from each other', () => {
    const { waiting, other, third } = clients()
    waiting.say('BLPOP k 0')
    third.say('BZPOPMIN k 0')
    other.say('ZADD k 1 x')
    expect([waiting.take(), third.take()]).toEqual(['', bulks('k', 'x', '1')])
  })

  test('is told to replicas as what it took', () => {
    const { harness, waiting, other, third } = clients()
    const replica = harness.replica()
    waiting.say('BZPOPMAX z 0')
    third.say('BZMPOP 0 1 z MIN COUNT 9')
    other.say('ZADD z 1 x 2 y 3 w')
    expect(replica.told()).toEqual(['SELECT 0', 'ZADD z 1 x 2 y 3 w', 'ZPOPMAX z', 'ZPOPMIN z 2'])
  })

  test('does not wait inside a transaction', () => {
    const { waiting } = clients()
    waiting.bytes('MULTI\r\nBZPOPMIN z 0\r\nBZMPOP 0 1 z MIN\r\n')
    expect(waiting.say('EXEC')).toBe('*2\r\n*-1\r\n*-1\r\n')
  })
})
