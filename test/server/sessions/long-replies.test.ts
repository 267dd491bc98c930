/** Long replies are written in slices, one a turn; what they tell is what was true when they were asked for. */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'

const ELEMENTS = 1_000_000
/** Enough for more than one slice, whatever the elements are. */
const FILLED = 30_000

function withLists(lengths: Record<string, number> = { l: ELEMENTS }) {
  const harness = new NodeHarness()
  const client = harness.client()
  for (const [key, length] of Object.entries(lengths)) {
    for (let from = 0; from < length; from += 10_000) {
      const count = Math.min(10_000, length - from)
      client.send('RPUSH', key, ...Array.from({ length: count }, (_, at) => `element:${from + at}`))
    }
  }
  return { harness, client }
}

function wholeList(length: number): string {
  const items = Array.from({ length }, (_, at) => {
    const item = `element:${at}`
    return `$${item.length}\r\n${item}\r\n`
  })
  return `*${length}\r\n${items.join('')}`
}

/** Everything that comes until the node has no more to write. */
function rest(harness: NodeHarness, client: TestClient): string {
  harness.advance(1000)
  return client.take()
}

describe('a reply of a million elements', () => {
  test('comes in slices, and another client is served in between', () => {
    const { harness, client } = withLists()
    const other = harness.client()
    const slices = [client.say('LRANGE l 0 -1')]
    while (slices.at(-1) !== '') {
      expect(other.say('PING')).toBe('+PONG\r\n')
      harness.advance(1)
      slices.push(client.take())
    }
    expect(slices.length).toBeGreaterThan(10)
    expect(Math.max(...slices.map(({ length }) => length))).toBeLessThan(2 * 1024 * 1024)
    expect(slices.join('') === wholeList(ELEMENTS)).toBe(true)
  })

  test('tells what was there when it was asked for', () => {
    const { harness, client } = withLists({ l: 100_000 })
    const first = client.say('LRANGE l 0 -1')
    const other = harness.client()
    other.say('LSET l 99999 changed')
    other.say('LTRIM l 0 10')
    other.say('DEL l')
    expect(first + rest(harness, client) === wholeList(100_000)).toBe(true)
  })

  test.each([
    ['HSET', 'HGETALL k'],
    ['ZADD', 'ZRANGE k 0 -1 WITHSCORES'],
    ['RPUSH', 'SORT k ALPHA'],
    ['SADD', 'SMEMBERS k'],
    ['GEOADD', 'GEOSEARCH k FROMLONLAT 0 0 BYRADIUS 30000 km WITHCOORD'],
    ['XADD', 'XRANGE k - +'],
    ['XADD', 'XREADGROUP GROUP g me STREAMS k >'],
    ['XADD', 'XPENDING k held - + 1000000'],
  ])('made by %s: %s is the same, whatever happens to the key meanwhile', (filler, command) => {
    const replyOf = (disturb: (other: TestClient) => void) => {
      const harness = new NodeHarness()
      const client = harness.client()
      fill(client, filler, 0)
      if (filler === 'XADD') {
        client.say('XGROUP CREATE k g 0')
        client.say('XGROUP CREATE k held 0')
        client.say('XREADGROUP GROUP held me STREAMS k >')
        rest(harness, client)
      }
      const first = client.say(command)
      disturb(harness.client())
      return { first, whole: first + rest(harness, client) }
    }
    const calm = replyOf(() => undefined)
    const disturbed = replyOf((other) => {
      fill(other, filler, FILLED - 1000, 9)
      if (filler === 'XADD') other.say(`XACK k held ${FILLED - 1}-1 ${FILLED - 2}-1`)
      if (filler === 'XADD') other.say('XTRIM k MAXLEN 5')
      other.say('DEL k')
    })
    expect(calm.whole.length).toBeGreaterThan(calm.first.length)
    expect(disturbed.whole === calm.whole).toBe(true)
  })

  test('comes before the answers to what is sent behind it', () => {
    const { harness, client } = withLists({ l: 100_000 })
    const commands = [
      ['LRANGE', 'l', '0', '-1'],
      ['PING'],
      ['LLEN', 'l'],
      ['LRANGE', 'l', '0', '0'],
    ]
    const all = client.bytes(commands.map(encodeCommand).join('')) + rest(harness, client)
    expect(all === `${wholeList(100_000)}+PONG\r\n:100000\r\n${wholeList(1)}`).toBe(true)
  })

  test('and a second one do not mix, nor with what EXEC puts around them', () => {
    const { harness, client } = withLists({ l: 100_000 })
    const commands = [['MULTI'], ['LRANGE', 'l', '0', '-1'], ['LRANGE', 'l', '0', '-1'], ['EXEC']]
    const all = client.bytes(commands.map(encodeCommand).join('')) + rest(harness, client)
    const whole = wholeList(100_000)
    expect(all === `+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n${whole}${whole}`).toBe(true)
  })

  test('holds back what is pushed meanwhile', () => {
    const { harness, client } = withLists({ l: 100_000 })
    client.say('HELLO 3')
    client.say('SUBSCRIBE news')
    const first = client.say('LRANGE l 0 -1')
    harness.client().say('PUBLISH news hello')
    const all = first + rest(harness, client)
    const message = '>3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$5\r\nhello\r\n'
    expect(all === wholeList(100_000) + message).toBe(true)
  })

  test('waits for a client that does not read, and wakes the node seldom for it', () => {
    const { harness, client } = withLists({ l: 100_000 })
    const first = client.say('LRANGE l 0 -1')
    client.queuedBytes = 2 * 1024 * 1024
    harness.advance(10_000)
    expect(client.take()).toBe('')
    const nextMs = harness.node.nextWakeUpMs() ?? 0
    expect(nextMs - harness.monoMs).toBeGreaterThan(0)
    expect(nextMs - harness.monoMs).toBeLessThanOrEqual(64)
    client.queuedBytes = 0
    expect(first + rest(harness, client) === wholeList(100_000)).toBe(true)
    expect(harness.node.nextWakeUpMs()).not.toBe(harness.monoMs)
  })

  test('is written to its end before QUIT closes the connection', () => {
    const { harness, client } = withLists({ l: 100_000 })
    const first = client.bytes(encodeCommand(['LRANGE', 'l', '0', '-1']) + encodeCommand(['QUIT']))
    expect(client.isClosed).toBe(false)
    expect(client.say('PING')).toBe('')
    const all = first + rest(harness, client)
    expect(all === `${wholeList(100_000)}+OK\r\n`).toBe(true)
    expect(client.isClosed).toBe(true)
  })

  test('is forgotten with its connection', () => {
    const { harness, client } = withLists({ l: 100_000 })
    client.say('LRANGE l 0 -1')
    client.drop()
    harness.advance(1000)
    expect(client.take()).toBe('')
  })

  test('counts for the limit of output before it is written', () => {
    const { harness, client } = withLists({ l: 200_000 })
    client.send('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 2mb 0 0')
    client.say('LRANGE l 0 -1')
    harness.advance(10)
    expect(client.isClosed).toBe(true)
  })

  test.each(['LRANGE l 0 -1', 'EVAL return(redis.call("LRANGE","l",0,-1)) 0'])(
    'that is above the hard limit by itself closes a client that reads as fast as it can: %s',
    (line) => {
      const { harness, client } = withLists({ l: 10_000 })
      client.send('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 50000 0 0')
      expect(client.say(line)).toBe('')
      expect(client.isClosed).toBe(true)
      expect(harness.client().say('LRANGE l 0 100')).toMatch(/^\*101/)
    },
  )
})

describe('a pipeline of many short answers above the hard limit', () => {
  /** A kernel that takes everything at the end of a turn, or nothing. */
  function piped(takes: boolean) {
    const { harness, client } = withLists({ l: 100 })
    let queued = 0
    client.send('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 50000 0 0')
    const write = harness.write.bind(harness)
    harness.write = (id, bytes) => {
      queued += bytes.length
      write(id, bytes)
    }
    harness.queuedBytes = () => queued
    const answers = client.bytes('LRANGE l 0 -1\r\n'.repeat(1000))
    if (takes) queued = 0
    harness.advance(10)
    return { answers, client }
  }

  test('is answered if the kernel takes it', () => {
    const { answers, client } = piped(true)
    expect(answers.length).toBeGreaterThan(1_000_000)
    expect(client.isClosed).toBe(false)
  })

  test('closes its client in the next turn if the kernel does not', () => {
    expect(piped(false).client.isClosed).toBe(true)
  })
})

/** Puts the elements from `first` on into the key. */
function fill(client: TestClient, filler: string, first: number, variant = 1): void {
  const atOnce = filler === 'XADD' ? 1 : 1000
  for (let from = first; from < FILLED; from += atOnce) {
    const places = Array.from({ length: atOnce }, (_, at) => from + at)
    client.send(filler, 'k', ...places.flatMap((at) => argumentsFor(filler, at, variant)))
  }
}

function argumentsFor(filler: string, at: number, variant: number): string[] {
  switch (filler) {
    case 'HSET':
      return [`field:${at}`, `value:${at * variant}`]
    case 'ZADD':
      return [String(at * variant), `member:${at}`]
    case 'GEOADD':
      return [String((at * 0.004 * variant) % 180), String((at * 0.001) % 80), `member:${at}`]
    case 'XADD':
      return [`${variant === 1 ? at + 1 : at + 100_000}-1`, 'field', `value:${at}`]
    default:
      return [`element:${at * variant}`]
  }
}

describe('a string of many megabytes', () => {
  test('is cut as well, and is the same', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    const value = 'abcdefgh'.repeat(1024 * 1024)
    client.send('SET', 'k', value)
    const first = client.say('GET k')
    expect(first.length).toBeLessThan(1024 * 1024)
    expect(harness.client().say('SET k other')).toBe('+OK\r\n')
    expect(first + rest(harness, client) === `$${value.length}\r\n${value}\r\n`).toBe(true)
  })
})
