/** [maxmemory] Which keys go under which policy, what is refused when none can, and whom that concerns. */
import { describe, expect, test, vi } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

const OOM = "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
const ABORTED =
  "-EXECABORT Transaction discarded because of: OOM command not allowed when used memory > 'maxmemory'.\r\n"
const KIB = 1024
const VALUE = 'x'.repeat(1000)

class LimitedNode extends NodeHarness {
  /** Leaves room for about so many keys of a KB besides what there is; with 0 it is too much already. */
  limit(keys: number): void {
    const used = this.node.services.memory.usedBytes
    this.settings.set('maxmemory', `${used + keys * 1300 - 1}`)
  }

  get keys(): string[] {
    return [...(this.node.keyspace.dbs[0]?.entries.keys() ?? [])]
  }
}

/** Connections say for a while that nothing of what was written has left, as they do within a moment. */
class SlowLimitedNode extends LimitedNode {
  readonly #writtenBytes = new Map<number, number>()

  override write(connection: number, bytes: string): void {
    this.#writtenBytes.set(connection, this.queuedBytes(connection) + bytes.length)
    super.write(connection, bytes)
  }

  override queuedBytes(connection: number): number {
    return this.#writtenBytes.get(connection) ?? 0
  }
}

function filled(policy: string, keys: number, directives: Record<string, string> = {}) {
  const node = new LimitedNode({
    'maxmemory-policy': policy,
    'maxmemory-samples': '64',
    ...directives,
  })
  const client = node.client()
  for (let at = 0; at < keys; at++) {
    client.say(`SET k${at} ${VALUE}`)
    node.advance(2000)
  }
  return { node, client }
}

/** Ten clients are told of each of a hundred keys with long names, if it is evicted. */
function trackedKeys() {
  const node = new SlowLimitedNode({
    'maxmemory-policy': 'allkeys-lru',
    'maxmemory-eviction-tenacity': '100',
  })
  const client = node.client()
  const readers = Array.from({ length: 10 }, () => node.client())
  for (const reader of readers) {
    reader.say('HELLO 3')
    reader.say('CLIENT TRACKING ON')
  }
  const name = 'n'.repeat(1000)
  for (let at = 0; at < 100; at++) {
    client.say(`SET ${at}${name} x`)
    for (const reader of readers) reader.say(`GET ${at}${name}`)
  }
  return { node, client }
}

describe('what is evicted', () => {
  test('by allkeys-lru: what was not used for longest', () => {
    const { node, client } = filled('allkeys-lru', 20)
    for (const at of [0, 1, 2]) client.say(`GET k${at}`)
    node.limit(2)
    for (let at = 0; at < 6; at++) client.say(`SET new${at} ${VALUE}`)
    expect(node.keys).not.toContain('k3')
    expect(node.keys).not.toContain('k4')
    for (const kept of ['k0', 'k1', 'k2', 'k19', 'new5']) expect(node.keys).toContain(kept)
    expect(Number(node.info('evicted_keys'))).toBeGreaterThan(2)
  })

  test('by allkeys-lfu: what is used least', () => {
    const { node, client } = filled('allkeys-lfu', 20)
    for (let round = 0; round < 50; round++) {
      for (let at = 0; at < 20; at++) if (at !== 7 && at !== 11) client.say(`GET k${at}`)
    }
    node.limit(0)
    client.say(`SET new ${VALUE}`)
    client.say('GET new')
    expect(node.keys.includes('k7') && node.keys.includes('k11')).toBe(false)
    expect(node.keys.filter((key) => key.startsWith('k')).length).toBeGreaterThanOrEqual(17)
  })

  test('by volatile-ttl: what expires first, and nothing that does not expire', () => {
    const { node, client } = filled('volatile-ttl', 20)
    for (let at = 10; at < 20; at++) client.say(`EXPIRE k${at} ${10_000 - 100 * at}`)
    node.limit(1)
    for (let at = 0; at < 5; at++) client.say(`SET new${at} ${VALUE}`)
    expect(node.keys).not.toContain('k19')
    expect(node.keys).toContain('k10')
    for (let at = 0; at < 10; at++) expect(node.keys).toContain(`k${at}`)
  })

  test.each(['volatile-lru', 'volatile-lfu', 'volatile-random'])(
    'by %s: only what expires, and then writes are refused',
    (policy) => {
      const { node, client } = filled(policy, 20)
      for (const at of [3, 5]) client.say(`EXPIRE k${at} 10000`)
      node.limit(0)
      const answers = Array.from({ length: 6 }, (_, at) => client.say(`SET new${at} ${VALUE}`))
      expect(answers.at(-1)).toBe(OOM)
      expect(node.keys.filter((key) => /^k\d/.test(key)).sort()).toEqual(
        Array.from({ length: 20 }, (_, at) => `k${at}`)
          .filter((key) => key !== 'k3' && key !== 'k5')
          .sort(),
      )
    },
  )

  test('by allkeys-random: any, from all databases', () => {
    const { node, client } = filled('allkeys-random', 10)
    client.say('SELECT 3')
    for (let at = 0; at < 10; at++) client.say(`SET other${at} ${VALUE}`)
    node.limit(0)
    for (let at = 0; at < 12; at++) expect(client.say(`SET new${at} ${VALUE}`)).toBe('+OK\r\n')
    expect(node.keys.length).toBeLessThan(10)
    expect(node.node.keyspace.dbs[3]?.entries.size).toBeLessThan(22)
    expect(Number(node.info('used_memory'))).toBeLessThan(node.settings.int('maxmemory') + 16 * KIB)
  })
})

describe('what is refused', () => {
  test('with noeviction: what needs memory, in transactions anything', () => {
    const { node, client } = filled('noeviction', 5)
    client.say('MULTI')
    client.say('SET queued 1')
    node.limit(0)
    expect(client.say('EXEC')).toBe(ABORTED)
    node.limit(0)
    expect(client.say('SET new 1')).toBe(OOM)
    expect(client.say('GET k1')).toMatch(/^\$1000/)
    client.say('MULTI')
    expect(client.say('GET k1')).toBe(OOM)
    expect(client.say('EXEC')).toMatch(/^-EXECABORT /)
    expect(client.say('DEL k1 k2')).toBe(':2\r\n')
    expect(client.say('SET new 1')).toBe('+OK\r\n')
    expect(node.info('evicted_keys')).toBe('0')
  })

  test('a blocking command that needs memory, when it comes', () => {
    const { node, client } = filled('noeviction', 5)
    node.limit(0)
    expect(client.say('BLMOVE from to LEFT LEFT 0')).toBe(OOM)
    expect(client.say('BLPOP from 1')).toBe('')
  })

  test('how long it was too much is told', () => {
    const { node, client } = filled('noeviction', 5)
    node.limit(0)
    client.say('SET new 1')
    node.advance(3000)
    expect(Number(node.info('current_eviction_exceeded_time'))).toBeGreaterThanOrEqual(3000)
    client.say('FLUSHALL')
    client.say('PING')
    expect(node.info('current_eviction_exceeded_time')).toBe('0')
    expect(Number(node.info('total_eviction_exceeded_time'))).toBeGreaterThanOrEqual(3000)
  })
})

describe('what others are told', () => {
  test.each([
    ['no', 'DEL'],
    ['yes', 'UNLINK'],
  ])(
    'replicas: each key on its own, before the command (lazyfree-lazy-eviction %s)',
    (lazy, word) => {
      const { node, client } = filled('allkeys-lru', 10, {
        'lazyfree-lazy-eviction': lazy,
        'repl-diskless-sync-delay': '0',
      })
      const replica = node.replica()
      node.limit(0)
      client.say(`SET new ${VALUE}`)
      client.say('SET b 2')
      const told = replica.told()
      const first = told.findIndex((line) => line.startsWith(`${word} k`))
      expect(first).toBeGreaterThanOrEqual(0)
      expect(first).toBeLessThan(told.indexOf('SET b 2'))
    },
  )

  test('who watches an evicted key', () => {
    const { node, client } = filled('allkeys-lru', 3)
    const watcher = node.client()
    watcher.say('WATCH k0 k1 k2')
    watcher.say('MULTI')
    node.limit(0)
    client.say(`SET new ${VALUE}`)
    client.say('PING')
    expect(watcher.say('EXEC')).toBe('*-1\r\n')
  })
})

describe('when nothing is evicted', () => {
  test('for a backlog that has grown beyond its size, because a slow replica needs it', () => {
    const { node, client } = filled('allkeys-random', 10, { 'repl-backlog-size': '16kb' })
    node.limit(20)
    vi.spyOn(node.node.services.replication, 'backlogBytes', 'get').mockReturnValue(400 * KIB)
    client.say('PING')
    expect(node.info('mem_not_counted_for_evict')).toBe(String(384 * KIB))
    // What is within the size of the backlog counts.
    expect([node.info('evicted_keys'), node.keys.length]).toEqual(['0', 10])
  })

  test('for what is told of each eviction', () => {
    const { node, client } = trackedKeys()
    const { memory } = node.node.services
    memory.refresh()
    node.settings.set('maxmemory', `${memory.countedBytes - 10_000}`)
    for (let at = 0; at < 20; at++) client.say('PING')
    expect(Number(node.info('evicted_keys'))).toBeLessThan(20)
  })

  test('for what clients have sent, at once', () => {
    const { node, client } = filled('allkeys-lru', 20)
    node.limit(10)
    const sender = node.client()
    sender.bytes(`*2\r\n$4\r\nECHO\r\n$90000\r\n${'x'.repeat(30_000)}`)
    client.say('PING')
    expect(node.keys.length).toBeLessThan(20)
  })

  test('is no more because INFO counts clients while what they are told is on its way', () => {
    const { node, client } = trackedKeys()
    const evicted = () => Number(node.info('evicted_keys'))
    const { memory } = node.node.services
    memory.refresh()
    node.settings.set('maxmemory', `${memory.countedBytes - 10_000}`)
    client.say('PING')
    const before = evicted()
    for (let at = 0; at < 20; at++) client.say('PING')
    expect(before).toBeGreaterThan(0)
    expect(evicted()).toBe(before)
  })

  test('on a replica, unless replica-ignore-maxmemory is no', () => {
    const { node, client } = filled('allkeys-random', 10)
    client.say('REPLICAOF 127.0.0.1 1')
    node.settings.set('maxmemory', '1')
    client.say('GET k1')
    node.advance(100)
    expect(node.keys.length).toBe(10)
    node.settings.set('replica-ignore-maxmemory', 'no')
    client.say('GET k1')
    expect(node.keys.length).toBe(0)
  })

  test('while clients are paused', () => {
    const { node, client } = filled('allkeys-random', 10)
    client.say('CLIENT PAUSE 1000 WRITE')
    node.settings.set('maxmemory', '1')
    client.say('GET k1')
    expect(node.keys.length).toBe(10)
    node.advance(2000)
    expect(node.keys.length).toBe(0)
  })
})

test('a limit that was lowered is reached without any command, in steps', () => {
  const { node } = filled('allkeys-lru', 400, { 'maxmemory-eviction-tenacity': '0' })
  node.settings.set('maxmemory', `${800 * KIB}`)
  node.node.wake(node.now)
  expect(node.keys.length).toBe(384)
  node.advance(1000)
  expect(node.keys.length).toBeLessThan(384)
  expect(node.node.services.memory.countedBytes).toBeLessThanOrEqual(800 * KIB)
})
