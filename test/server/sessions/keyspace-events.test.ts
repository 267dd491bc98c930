import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

function listening(classes: string, directives: Record<string, string> = {}) {
  const harness = new NodeHarness({ 'notify-keyspace-events': classes, ...directives })
  const [listener, client] = [harness.client(), harness.client()]
  listener.say('PSUBSCRIBE __key*')
  return { harness, listener, client }
}

/** The messages that came, `channel text` each. */
function told(listener: { take(): string }): string[] {
  const frame = /\$8\r\npmessage\r\n\$\d+\r\n[^\r]*\r\n\$\d+\r\n([^\r]*)\r\n\$\d+\r\n([^\r]*)\r\n/g
  return [...listener.take().matchAll(frame)].map(([, channel, text]) => `${channel} ${text}`)
}

describe('keyspace notifications', () => {
  test('tell the key and the event, each if asked for', () => {
    const { listener, client } = listening('KE$')
    client.say('SET k v')
    client.say('DEL k')
    expect(told(listener)).toEqual(['__keyspace@0__:k set', '__keyevent@0__:set k'])
  })

  test('tell nothing without K or E', () => {
    const { listener, client } = listening('A')
    client.say('SET k v')
    expect(told(listener)).toEqual([])
  })

  test('tell of expiry when the key is deleted: by a command, or in its time', () => {
    const { harness, listener, client } = listening('Ex')
    client.say('SET a 1 PX 10')
    client.say('SET b 1 PX 10')
    harness.monoMs += 20
    client.say('GET a')
    expect(told(listener)).toEqual(['__keyevent@0__:expired a'])
    harness.advance(1000)
    expect(told(listener)).toEqual(['__keyevent@0__:expired b'])
  })

  test('tell of eviction', () => {
    const { harness, listener, client } = listening('Ee', { 'maxmemory-policy': 'allkeys-random' })
    client.say('SET k v')
    client.say('CONFIG SET maxmemory 1')
    harness.advance(1000)
    expect(told(listener)).toEqual(['__keyevent@0__:evicted k'])
  })

  test('tell of what the master changes, on the replica too', () => {
    const { harness, listener, client } = listening('KA')
    harness.node.services.streamTarget.apply(['RPUSH', 'l', 'x'])
    client.say('PING')
    expect(told(listener)).toEqual(['__keyspace@0__:l rpush'])
  })

  test('tell the push before the pop of a client that waited', () => {
    const { harness, listener, client } = listening('KA')
    harness.client().say('BLMOVE a b LEFT RIGHT 0')
    client.say('RPUSH a x')
    expect(told(listener)).toEqual([
      '__keyspace@0__:a rpush',
      '__keyspace@0__:b rpush',
      '__keyspace@0__:a lpop',
      '__keyspace@0__:a del',
    ])
  })

  test('reach replicas as nothing but the change', () => {
    const { harness, client } = listening('KEA')
    const replica = harness.replica()
    client.say('SET k v')
    expect(replica.told()).toEqual(['SELECT 0', 'SET k v'])
  })
})
