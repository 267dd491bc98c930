/**
 * What a node does when its heap is full, with made-up numbers: whom it closes, what it refuses, and when it
 * takes writes again. The same on real processes: test/attack/heap.test.ts.
 */
import { describe, expect, test } from 'vitest'
import type { HeapMeter, HeapReading } from '../../../src/server/port.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const OOM = "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
const MB = 1024 * 1024

/** A heap of 100 MB, in megabytes and so in percent. */
class TestHeap implements HeapMeter {
  live = 10
  garbage = 0
  collections = 0
  /** How many of them somebody asked for. */
  asked = 0
  collectMs = 1
  #collected = 10

  read(): HeapReading {
    return {
      usedBytes: (this.live + this.garbage) * MB,
      limitBytes: 100 * MB,
      collectedBytes: this.#collected * MB,
      collections: this.collections,
    }
  }

  collect(): number {
    this.asked++
    this.collectedByItself()
    return this.collectMs
  }

  collectedByItself(): void {
    this.collections++
    this.garbage = 0
    this.#collected = this.live
  }
}

class FullNode extends NodeHarness {
  declare readonly heap: TestHeap

  constructor(directives: Record<string, string> = {}) {
    super({ save: '', ...directives }, false, {}, undefined, new TestHeap())
  }

  /** So much is data after a collection. */
  fills(live: number): void {
    this.heap.live = live
    this.heap.collectedByItself()
    this.advance(200)
  }
}

describe('commands that need memory', () => {
  test('are refused from 75 % on, and taken again below 70 %', () => {
    const node = new FullNode()
    const client = node.client()
    const answers = [74, 76, 72, 69, 74].map((live) => {
      node.fills(live)
      return client.say('SET a 1')
    })
    expect(answers).toEqual(['+OK\r\n', OOM, OOM, '+OK\r\n', '+OK\r\n'])
    expect(node.logs.filter((line) => line.startsWith('commands that need memory'))).toEqual([
      expect.stringMatching(/are refused \(-OOM\) from now on: 76 of the heap's 100 MB/),
      expect.stringMatching(/are taken again/),
    ])
    expect(node.info('vedette_heap_refused_commands')).toBe('2')
  })

  test('others go on: reading, deleting, and what keeps the node going', () => {
    const node = new FullNode()
    const client = node.client()
    client.say('SET a 1')
    node.fills(80)
    const lines = ['GET a', 'EXPIRE a 100', 'DEL a', 'PING', 'MULTI', 'EXEC']
    expect(lines.map((line) => client.say(line))).toEqual([
      ...['$1\r\n1\r\n', ':1\r\n', ':1\r\n', '+PONG\r\n', '+OK\r\n', '*0\r\n'],
    ])
  })

  test('in a transaction nothing is queued, and EXEC aborts', () => {
    const node = new FullNode()
    const client = node.client()
    client.say('MULTI')
    node.fills(80)
    expect(client.say('GET a')).toBe(OOM)
    expect(client.say('EXEC')).toBe(
      '-EXECABORT Transaction discarded because of previous errors.\r\n',
    )
  })

  test('queued before, they are not run', () => {
    const node = new FullNode()
    const client = node.client()
    for (const line of ['MULTI', 'SET a 1']) client.say(line)
    node.fills(80)
    expect(client.say('EXEC')).toBe(
      "-EXECABORT Transaction discarded because of: OOM command not allowed when used memory > 'maxmemory'.\r\n",
    )
    expect(client.say('EXISTS a')).toBe(':0\r\n')
  })

  test('to a replica that is read only they are what they always were', () => {
    const node = new FullNode({ replicaof: '127.0.0.1 1' })
    node.fills(80)
    expect(node.client().say('SET a 1')).toMatch(/^-READONLY /)
  })
})

describe('garbage', () => {
  test('is no reason to refuse anybody: above 90 % it is collected first', () => {
    const node = new FullNode()
    const client = node.client()
    node.fills(40)
    for (const garbage of [20, 40, 49, 55, 58]) {
      node.heap.garbage = garbage
      node.advance(200)
      expect(client.say('SET a 1')).toBe('+OK\r\n')
    }
    expect(node.heap.asked).toBe(2)
  })

  test('when little of it was any, writes are refused, and it is not collected over and over', () => {
    const node = new FullNode()
    node.fills(70)
    node.heap.live = 95
    node.advance(10_000)
    expect(node.client().say('SET a 1')).toBe(OOM)
    expect(node.heap.asked).toBe(1)
  })

  test('whoever makes room while nothing is allocated does not wait for a collection for ever', () => {
    const node = new FullNode()
    const client = node.client()
    client.say('SET a 1')
    node.fills(80)
    expect(client.say('SET b 1')).toBe(OOM)
    const { asked } = node.heap
    node.advance(60_000)
    expect(node.heap.asked).toBe(asked)
    client.say('DEL a')
    node.heap.live = 30
    node.heap.garbage = 50
    node.advance(200)
    expect(client.say('SET b 1')).toBe('+OK\r\n')
  })

  test('of a large heap is collected for that the more seldom the longer it takes', () => {
    const node = new FullNode()
    const client = node.client()
    node.heap.collectMs = 2000
    node.fills(80)
    let before = node.heap.asked
    for (let second = 0; second < 60; second++) {
      client.say('DEL a')
      client.say('EXPIRE a 1')
      node.client().drop()
      node.advance(1000)
    }
    before = node.heap.asked - before
    expect(before).toBeGreaterThan(1)
    expect(before).toBeLessThanOrEqual(4)
  })
})

describe('when memory is short', () => {
  test('whoever holds most is closed first, and writes need not be refused', () => {
    const node = new FullNode()
    const [idle, small, large] = [node.client(), node.client(), node.client()]
    node.fills(50)
    small.queuedBytes = 8 * MB
    large.queuedBytes = 20 * MB
    node.heap.live = 78
    node.heap.garbage = 13
    node.advance(200)
    expect([idle.isClosed, small.isClosed, large.isClosed]).toEqual([false, false, true])
    expect(idle.say('SET a 1')).toBe('+OK\r\n')
    expect(node.info('evicted_clients')).toBe('1')
    expect(node.logs.join('\n')).toMatch(/client 3 .* closed: memory is short, and it holds 20 MB/)
  })

  test.each([
    ['a transaction', ['MULTI', `SET a ${'x'.repeat(60_000)}`]],
    ['watched keys', [`WATCH ${'k'.repeat(60_000)}`]],
    ['subscriptions', [`SUBSCRIBE ${'c'.repeat(60_000)}`]],
    ['patterns', [`PSUBSCRIBE ${'p'.repeat(60_000)}`]],
    ['keys it waits for', [`BLPOP ${'k'.repeat(60_000)} 0`]],
  ])('%s count as what a connection holds', (_, lines) => {
    const node = new FullNode()
    const holder = node.client()
    const idle = node.client()
    for (const line of lines) holder.say(line)
    // The rest of what is held is another's, who may stay.
    const protectedOne = node.client()
    protectedOne.say('CLIENT NO-EVICT on')
    protectedOne.queuedBytes = 10 * MB
    node.fills(74)
    node.heap.live = 76
    node.heap.collectedByItself()
    node.advance(200)
    expect([holder.isClosed, idle.isClosed]).toEqual([true, false])
  })

  test('half a request counts too', () => {
    const node = new FullNode()
    const holder = node.client()
    holder.bytes(`*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$${30 * MB}\r\n${'x'.repeat(10 * MB)}`)
    node.fills(80)
    expect(holder.isClosed).toBe(true)
  })

  test('who said CLIENT NO-EVICT is closed after others, and a replica last', () => {
    const node = new FullNode()
    const replica = node.client()
    replica.say('PSYNC ? -1')
    const [kept, usual] = [node.client(), node.client()]
    kept.say('CLIENT NO-EVICT on')
    for (const client of [replica, kept, usual]) client.queuedBytes = 10 * MB
    const closed = [79, 78, 77].map((live) => {
      node.fills(live)
      return [usual, kept, replica].map(({ isClosed }) => isClosed)
    })
    expect(closed).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ])
  })

  test('a little of everybody closes nobody: it is the data that are refused', () => {
    const node = new FullNode()
    const clients = Array.from({ length: 5 }, () => node.client())
    for (const client of clients) client.queuedBytes = MB
    node.fills(80)
    expect(clients.some(({ isClosed }) => isClosed)).toBe(false)
    expect(node.client().say('SET a 1')).toBe(OOM)
  })
})

test('however empty the heap is, answers nobody takes end at half of it', () => {
  const node = new FullNode()
  const client = node.client()
  // Longer answers are written no faster than they are taken.
  const bytes = 32 * 1024
  node.client().send('SET', 'a', 'x'.repeat(bytes))
  for (let count = 0; count < (60 * MB) / bytes && !client.isClosed; count++) {
    client.say('GET a')
    client.queuedBytes += bytes
  }
  expect(client.isClosed).toBe(true)
})

describe('a file that does not fit', () => {
  function kept(directives: {
    readonly [name: string]: string
    readonly appendonly: string
  }): NodeHarness {
    const node = new NodeHarness({ save: '', ...directives })
    for (let key = 0; key < 100; key++) node.client().send('SET', `k${key}`, 'x'.repeat(2000))
    if (directives.appendonly !== 'yes') node.client().say('SAVE')
    return node
  }

  test.each([
    ['a dump', { appendonly: 'no', rdbcompression: 'no' }, '/dump.rdb'],
    ['an append-only file', { appendonly: 'yes' }, '/appendonlydir/appendonly.aof.1.base.rdb'],
  ])('%s ends the start in words, and stays as it is', (_, directives, path) => {
    const before = kept(directives)
    const { files } = before
    const bytes = files.paths().map((name) => files.read(name))
    const heap = new TestHeap()
    heap.live = 96
    const node = new NodeHarness({ save: '', ...directives }, false, {}, files, heap)
    expect(node.exitStatus).toBe(1)
    const text = node.logs.join('\n')
    expect(text).toContain(`${path} does not fit into memory: after`)
    expect(text).toMatch(/96 of the heap's 100 MB are in use, and all of it needs about \d+ MB\. /)
    expect(text).toContain('Nothing was changed.')
    expect(text).toContain('NODE_OPTIONS=--max-old-space-size=')
    expect(files.paths().map((name) => files.read(name))).toEqual(bytes)
  })

  test('what was kept below the limit of writes always fits, whatever garbage loading makes', () => {
    const { files } = kept({ appendonly: 'yes' })
    const heap = new TestHeap()
    heap.live = 90
    heap.garbage = 9
    const node = new NodeHarness({ save: '', appendonly: 'yes' }, false, {}, files, heap)
    expect([node.exitStatus, node.client().say('DBSIZE')]).toEqual([undefined, ':100\r\n'])
  })
})
