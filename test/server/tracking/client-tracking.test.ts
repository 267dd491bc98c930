import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

function tracked(words = '', directives: Record<string, string> = {}) {
  const harness = new NodeHarness(directives)
  const [reader, writer] = [harness.client(), harness.client()]
  reader.say('HELLO 3')
  reader.say(`CLIENT TRACKING ON ${words}`.trim())
  return { harness, reader, writer }
}

const invalidation = (key: string) =>
  `>2\r\n$10\r\ninvalidate\r\n*1\r\n$${key.length}\r\n${key}\r\n`

describe('a client that tracks keys', () => {
  test('is told once of a key it has read', () => {
    const { reader, writer } = tracked()
    reader.say('GET k')
    writer.say('SET k 1')
    writer.say('SET k 2')
    expect(reader.take()).toBe(invalidation('k'))
  })

  test('hears of its own change after the answer', () => {
    const { reader } = tracked()
    reader.say('GET k')
    expect(reader.say('SET k 1')).toBe(`+OK\r\n${invalidation('k')}`)
  })

  test('is told of the oldest key when the table is full', () => {
    const { reader, writer } = tracked('', { 'tracking-table-max-keys': '2' })
    reader.say('GET a')
    reader.say('GET b')
    expect(reader.say('GET c')).toBe(`_\r\n${invalidation('a')}`)
    expect(writer.say('INFO stats')).toContain('tracking_total_keys:2')
  })

  test('is told of keys that expire or are evicted', () => {
    const { harness, reader, writer } = tracked('', { 'maxmemory-policy': 'allkeys-random' })
    writer.say('SET a 1 PX 10')
    reader.say('GET a')
    harness.advance(1000)
    expect(reader.take()).toBe(invalidation('a'))
    writer.say('SET b 1')
    reader.say('GET b')
    writer.say('CONFIG SET maxmemory 1')
    harness.advance(1000)
    expect(reader.take()).toBe(invalidation('b'))
  })

  test('is told on a replica of what the master changes', () => {
    const { harness, reader, writer } = tracked()
    reader.say('GET k')
    harness.node.services.streamTarget.apply(['SET', 'k', 'v'])
    writer.say('PING')
    expect(reader.take()).toBe(invalidation('k'))
  })

  test('hears of a broadcast once in a turn', () => {
    const { reader, writer } = tracked('BCAST PREFIX a')
    writer.bytes('SET a1 x\r\nSET b x\r\nSET a1 y\r\nSET a0 x\r\n')
    expect(reader.take()).toBe('>2\r\n$10\r\ninvalidate\r\n*2\r\n$2\r\na0\r\n$2\r\na1\r\n')
  })

  test('leaves nothing behind when it is gone', () => {
    const { harness, reader, writer } = tracked('BCAST PREFIX a')
    const other = harness.client()
    other.say('CLIENT TRACKING ON')
    other.say('GET k')
    reader.drop()
    other.drop()
    writer.say('SET k 1')
    const { tracking, keyspace } = harness.node.services
    const { clients, keys, items, prefixes } = tracking
    expect({ clients, keys, items, prefixes }).toEqual({
      clients: 0,
      keys: 0,
      items: 0,
      prefixes: 0,
    })
    expect(keyspace.tracker).toBe(undefined)
  })
})
