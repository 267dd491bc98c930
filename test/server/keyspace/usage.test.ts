/** How much keys are used: the time since the last use, or a count that fades. */
import { describe, expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { Keyspace } from '../../../src/server/keyspace/keyspace.ts'
import { UNKNOWN_USAGE, Usage } from '../../../src/server/keyspace/usage.ts'
import { RdbReader } from '../../../src/server/rdb/rdb-reader.ts'
import { Snapshot } from '../../../src/server/rdb/snapshot.ts'
import { Settings } from '../../../src/server/settings/settings.ts'
import { emptyTables, KEY_HASH } from '../../support/key-tables.ts'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

function usageUnder(directives: Readonly<Record<string, string>>): Usage {
  const settings = new Settings()
  for (const [name, value] of Object.entries(directives)) settings.load(name, [value])
  const usage = new Usage(createRng('usage'))
  usage.follow(settings)
  return usage
}

const LFU = { 'maxmemory-policy': 'allkeys-lfu' }

describe('under an LRU policy', () => {
  test('a key is idle since the last command that used it', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.say('SET k v')
    harness.advance(10 * SECOND_MS)
    expect(client.say('OBJECT IDLETIME k')).toBe(':10\r\n')
    client.say('GET k')
    expect(client.say('OBJECT IDLETIME k')).toBe(':0\r\n')
  })

  const IDLE_AFTER: Readonly<Record<string, boolean>> = {
    'OBJECT ENCODING k': true,
    'OBJECT IDLETIME k': true,
    'TYPE k': true,
    'EXISTS k': true,
    'TTL k': true,
    'PTTL k': true,
    'EXPIRETIME k': true,
    'PEXPIRETIME k': true,
    'KEYS *': true,
    'SCAN 0': true,
    RANDOMKEY: true,
    'WATCH k': true,
    'MEMORY USAGE k': true,
    'DEBUG OBJECT k': true,
    'DUMP k': false,
    'TOUCH k': false,
    'GET k': false,
    'STRLEN k': false,
    'APPEND k x': false,
    'SET k w': false,
    'PERSIST k': false,
    'EXPIRE k 1000': false,
    'LLEN k': false,
  }
  for (const [line, isIdle] of Object.entries(IDLE_AFTER)) {
    test(`${line} ${isIdle ? 'is no use' : 'is a use'}`, () => {
      const harness = new NodeHarness()
      const client = harness.client()
      client.say('SET k v')
      harness.advance(10 * SECOND_MS)
      client.say(line)
      expect(client.say('OBJECT IDLETIME k')).toBe(isIdle ? ':10\r\n' : ':0\r\n')
    })
  }

  test('a client that does not want to touch uses keys with TOUCH only', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.say('SET k v')
    harness.advance(10 * SECOND_MS)
    client.say('CLIENT NO-TOUCH ON')
    client.say('GET k')
    client.say('STRLEN k')
    expect(client.say('OBJECT IDLETIME k')).toBe(':10\r\n')
    client.say('TOUCH k')
    expect(client.say('OBJECT IDLETIME k')).toBe(':0\r\n')
  })

  test('the clock wraps around and idle times stay right', () => {
    const usage = usageUnder({})
    const endMs = 2 ** 24 * SECOND_MS
    usage.setTime(endMs - 5 * SECOND_MS)
    const used = usage.fresh()
    usage.setTime(endMs + 5 * SECOND_MS)
    expect(usage.idleSeconds(used)).toBe(10)
    expect(usage.idleSeconds(usage.restored({ idleSeconds: 100 }))).toBe(100)
  })

  test('a key of which nothing is known counts as used now', () => {
    expect(usageUnder({}).idleSeconds(UNKNOWN_USAGE)).toBe(0)
    expect(usageUnder(LFU).frequency(UNKNOWN_USAGE)).toBe(5)
  })
})

describe('under an LFU policy', () => {
  function usedTimes(usage: Usage, times: number): number {
    const entry = { usage: usage.fresh() }
    for (let n = 0; n < times; n++) usage.touch(entry)
    return usage.frequency(entry.usage)
  }

  test('uses are counted, more rarely the more there were', () => {
    const usage = usageUnder(LFU)
    expect(usedTimes(usage, 0)).toBe(5)
    const counts = [100, 1000, 100_000].map((times) => usedTimes(usage, times))
    // What the documentation of Redis gives for a factor of 10: 10, 18 and 142.
    expect(counts[0]).toBeGreaterThan(5)
    expect(counts[0]).toBeLessThan(18)
    expect(counts[1]).toBeGreaterThan(12)
    expect(counts[1]).toBeLessThan(30)
    expect(counts[2]).toBeGreaterThan(110)
    expect(counts[2]).toBeLessThan(180)
  })

  test('without the factor every use counts, up to 255', () => {
    const usage = usageUnder({ ...LFU, 'lfu-log-factor': '0' })
    expect(usedTimes(usage, 3)).toBe(8)
    expect(usedTimes(usage, 1000)).toBe(255)
  })

  test('the count falls with time, and not below zero', () => {
    const usage = usageUnder({ ...LFU, 'lfu-decay-time': '2' })
    const used = usage.restored({ frequency: 100 })
    usage.setTime(20 * MINUTE_MS)
    expect(usage.frequency(used)).toBe(90)
    usage.setTime(21 * MINUTE_MS)
    expect(usage.frequency(used)).toBe(90)
    usage.setTime(10_000 * MINUTE_MS)
    expect(usage.frequency(used)).toBe(0)
    expect(usageUnder({ ...LFU, 'lfu-decay-time': '0' }).frequency(used)).toBe(100)
  })

  test('a use is counted on top of what time has left', () => {
    const usage = usageUnder({ ...LFU, 'lfu-log-factor': '0' })
    const entry = { usage: usage.restored({ frequency: 100 }) }
    usage.setTime(30 * MINUTE_MS)
    usage.touch(entry)
    expect(usage.frequency(entry.usage)).toBe(71)
  })

  test('the count of a key stays with it when it gets a new value or a new name', () => {
    const client = new NodeHarness({ ...LFU, 'lfu-log-factor': '1000000' }).client()
    client.say('SET k v')
    const payload = payloadOf(client, 'k')
    client.send('RESTORE', 'k', '0', payload, 'REPLACE', 'FREQ', '77')
    client.say('SET k w')
    client.say('RENAME k l')
    expect(client.say('OBJECT FREQ l')).toBe(':77\r\n')
  })

  test('the policy can change while the node runs', () => {
    const client = new NodeHarness().client()
    client.say('SET k v')
    expect(client.say('OBJECT FREQ k')).toContain('-ERR An LFU maxmemory policy is not selected')
    client.say('CONFIG SET maxmemory-policy volatile-lfu')
    client.say('SET new v')
    expect(client.say('OBJECT FREQ new')).toBe(':5\r\n')
    expect(client.say('OBJECT IDLETIME k')).toContain('-ERR An LFU maxmemory policy is selected')
  })

  function payloadOf(client: TestClient, key: string): string {
    const reply = client.send('DUMP', key)
    return reply.slice(reply.indexOf('\r\n') + 2, -2)
  }
})

describe('a snapshot', () => {
  /** Saves a key under one policy and loads it under another. */
  function loadedUnder(policy: string, saved: Usage, usage: number): { found: number; to: Usage } {
    const keyspace = new Keyspace(1, KEY_HASH, saved)
    keyspace.dbs[0]!.put('k', { type: 'string', bytes: 'v' }, undefined, usage)
    let payload = ''
    const snapshot = new Snapshot(keyspace, [], (bytes) => {
      payload += bytes
    })
    while (!snapshot.isOver) snapshot.advance(1000)
    const to = usageUnder({ 'maxmemory-policy': policy })
    const progress = new RdbReader(emptyTables(1), 0, to).push(payload)
    if (progress.kind !== 'done') throw new Error(JSON.stringify(progress))
    return { found: progress.contents.dbs[0]!.get('k')!.usage, to }
  }

  test('carries the count of uses to a node that counts', () => {
    const saved = usageUnder(LFU)
    const { found, to } = loadedUnder('volatile-lfu', saved, saved.restored({ frequency: 123 }))
    expect(to.frequency(found)).toBe(123)
  })

  test('carries the idle time to a node that evicts by it', () => {
    const saved = usageUnder({ 'maxmemory-policy': 'allkeys-lru' })
    const { found, to } = loadedUnder(
      'volatile-lru',
      saved,
      saved.restored({ idleSeconds: 100_000 }),
    )
    expect(to.idleSeconds(found)).toBe(100_000)
  })

  test('says nothing of it where nothing is evicted by use, and a key counts as new then', () => {
    const saved = usageUnder({ 'maxmemory-policy': 'volatile-ttl' })
    const { found, to } = loadedUnder('allkeys-lfu', saved, saved.restored({ idleSeconds: 100 }))
    expect(found).toBe(to.fresh())
  })
})
