import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const message = (...words: string[]) => encodeCommand(words)

describe('a message', () => {
  test('reaches who listens to the channel, and only them', () => {
    const harness = new NodeHarness()
    const [listener, other, speaker] = [harness.client(), harness.client(), harness.client()]
    listener.say('SUBSCRIBE news')
    other.say('SUBSCRIBE sports')
    expect(speaker.say('PUBLISH news hello')).toBe(':1\r\n')
    expect(listener.take()).toBe(message('message', 'news', 'hello'))
    expect(other.take()).toBe('')
  })

  test('comes once per channel and once per matching pattern', () => {
    const harness = new NodeHarness()
    const [listener, speaker] = [harness.client(), harness.client()]
    listener.say('SUBSCRIBE news')
    listener.say('PSUBSCRIBE n* *s x*')
    listener.take()
    expect(speaker.say('PUBLISH news hi')).toBe(':3\r\n')
    expect(listener.take()).toBe(
      message('message', 'news', 'hi') +
        message('pmessage', 'n*', 'news', 'hi') +
        message('pmessage', '*s', 'news', 'hi'),
    )
  })

  test('is a push in RESP3, and comes before the publisher own reply', () => {
    const client = new NodeHarness().client()
    client.say('HELLO 3')
    client.say('SUBSCRIBE c')
    const push = '>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n'
    expect(client.say('PUBLISH c m')).toBe(`${push}:1\r\n`)
  })

  test('on a shard channel reaches its listeners alone', () => {
    const harness = new NodeHarness()
    const [sharded, plain, speaker] = [harness.client(), harness.client(), harness.client()]
    sharded.say('SSUBSCRIBE c')
    plain.say('SUBSCRIBE c')
    expect(speaker.say('SPUBLISH c m')).toBe(':1\r\n')
    expect(sharded.take()).toBe(message('smessage', 'c', 'm'))
    expect(plain.take()).toBe('')
  })

  test('on a shard channel cannot be asked for in a transaction', () => {
    const client = new NodeHarness().client()
    client.bytes('MULTI\r\nSSUBSCRIBE c\r\n')
    const refusal = "-ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client\r\n"
    expect(client.say('EXEC')).toBe(`*1\r\n${refusal}`)
  })

  test('is not silenced by CLIENT REPLY OFF', () => {
    const harness = new NodeHarness()
    const [listener, speaker] = [harness.client(), harness.client()]
    listener.say('HELLO 3')
    listener.bytes('SUBSCRIBE c\r\nCLIENT REPLY OFF\r\nPING\r\n')
    speaker.say('PUBLISH c m')
    expect(listener.take()).toBe('>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n')
  })
})

describe('a subscriber', () => {
  test('that is gone is forgotten', () => {
    const harness = new NodeHarness()
    const [listener, speaker] = [harness.client(), harness.client()]
    listener.bytes('SUBSCRIBE c\r\nPSUBSCRIBE c*\r\n')
    listener.drop()
    expect(speaker.say('PUBLISH c m')).toBe(':0\r\n')
    expect(speaker.say('PUBSUB CHANNELS')).toBe('*0\r\n')
    expect(speaker.say('PUBSUB NUMPAT')).toBe(':0\r\n')
  })

  test('that does not read is cut off at the hard limit', () => {
    const harness = new NodeHarness({ 'client-output-buffer-limit': 'pubsub 1000 0 0' })
    const [listener, speaker] = [harness.client(), harness.client()]
    listener.say('SUBSCRIBE c')
    listener.queuedBytes = 1001
    speaker.say('PUBLISH c m')
    expect(listener.isClosed).toBe(true)
    expect(speaker.say('PUBLISH c m')).toBe(':0\r\n')
  })

  test('is cut off when the hard limit is lowered below what waits for it', () => {
    const harness = new NodeHarness({ 'client-output-buffer-limit': 'pubsub 0 0 0' })
    const [hanging, quick, speaker] = [harness.client(), harness.client(), harness.client()]
    for (const listener of [hanging, quick]) listener.say('SUBSCRIBE c')
    hanging.queuedBytes = 2000
    speaker.send('CONFIG', 'SET', 'client-output-buffer-limit', 'pubsub 1000 0 0')
    harness.advance(100)
    expect([hanging.isClosed, quick.isClosed]).toEqual([true, false])
  })

  test('is cut off after a while when the soft limit is lowered below what waits for it', () => {
    const harness = new NodeHarness({ 'client-output-buffer-limit': 'pubsub 0 0 0' })
    const [listener, speaker] = [harness.client(), harness.client()]
    listener.say('SUBSCRIBE c')
    listener.queuedBytes = 2000
    speaker.send('CONFIG', 'SET', 'client-output-buffer-limit', 'pubsub 0 1000 5')
    harness.advance(4000)
    expect(listener.isClosed).toBe(false)
    harness.advance(4000)
    expect(listener.isClosed).toBe(true)
  })

  test('that takes no long messages is cut off at the hard limit, and one that takes them is not', () => {
    const harness = new NodeHarness({ 'client-output-buffer-limit': 'pubsub 32mb 0 0' })
    const [hanging, quick, speaker] = [harness.client(), harness.client(), harness.client()]
    for (const listener of [hanging, quick]) listener.say('SUBSCRIBE c')
    hanging.queuedBytes = 2_000_000
    const message = 'x'.repeat(1_000_000)
    for (let count = 0; count < 40; count++) speaker.send('PUBLISH', 'c', message)
    harness.advance(1000)
    expect([hanging.isClosed, quick.isClosed]).toEqual([true, false])
  })

  test('may exceed the soft limit only for a while', () => {
    const harness = new NodeHarness({ 'client-output-buffer-limit': 'pubsub 0 100 5' })
    const [listener, speaker] = [harness.client(), harness.client()]
    listener.say('SUBSCRIBE c')
    listener.queuedBytes = 200
    speaker.say('PUBLISH c m')
    harness.advance(5999)
    speaker.say('PUBLISH c m')
    expect(listener.isClosed).toBe(false)
    harness.advance(1)
    speaker.say('PUBLISH c m')
    expect(listener.isClosed).toBe(true)
  })

  test('is cut off above the soft limit though it is sent nothing more', () => {
    const harness = new NodeHarness({ 'client-output-buffer-limit': 'pubsub 0 100 5' })
    const [hanging, slow, speaker] = [harness.client(), harness.client(), harness.client()]
    for (const listener of [hanging, slow]) {
      listener.say('SUBSCRIBE c')
      listener.queuedBytes = 200
    }
    speaker.say('PUBLISH c m')
    harness.advance(4000)
    slow.queuedBytes = 0
    harness.advance(1500)
    expect(hanging.isClosed).toBe(false)
    harness.advance(1500)
    expect([hanging.isClosed, slow.isClosed]).toEqual([true, false])
  })
})
