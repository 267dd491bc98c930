/** Expiry, pauses, sleeping and idle clients: what a node does with time. */
import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

describe('a key with an expiry', () => {
  test('is alive at its last millisecond and gone after it', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.say('SET k v PX 100')
    harness.monoMs += 100
    expect(client.say('GET k')).toBe('$1\r\nv\r\n')
    harness.monoMs += 1
    expect(client.say('GET k')).toBe('$-1\r\n')
  })

  test('is deleted although nobody asks for it, and replicas are told', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    const replica = harness.replica()
    client.say('SET k v PX 100')
    harness.advance(300)
    expect(client.say('DBSIZE')).toBe(':0\r\n')
    expect(replica.told().at(-1)).toBe('DEL k')
  })

  test('is deleted soon even among many that live on', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    for (let n = 0; n < 5000; n++) client.say(`SET long:${n} v EX 10000`)
    for (let n = 0; n < 5000; n++) client.say(`SET short:${n} v PX 10`)
    harness.advance(3000)
    expect(client.say('DBSIZE')).toBe(':5000\r\n')
  })

  test('is deleted in runs that leave clients their turn, and none of its database waits for another', () => {
    let micros = 0
    class Timed extends NodeHarness {
      stopwatch() {
        micros += 10
        return micros
      }
    }
    const harness = new Timed()
    const client = harness.client()
    for (let n = 0; n < 9000; n++) client.say(`SET k:${n} v PX 10`)
    client.bytes('SELECT 1\r\nSET other v PX 10\r\n')
    const sizes = () => [0, 1].map((db) => harness.node.keyspace.dbs[db]?.entries.size ?? 0)
    for (let ms = 0; ms < 200 && sizes()[0] === 9000; ms++) harness.advance(1)
    const [first = 0, other] = sizes()
    expect([first > 1000 && first < 9000, other]).toEqual([true, 1])
    harness.advance(8)
    const [second = 0, none] = sizes()
    expect([second > 0 && second < first, none]).toEqual([true, 0])
    harness.advance(50)
    expect(sizes()).toEqual([0, 0])
    const stats = client.say('INFO stats')
    expect(stats).not.toContain('expired_time_cap_reached_count:0')
    expect(stats).not.toContain('expire_cycle_cpu_milliseconds:0')
  })

  test('does not expire while the clients are paused', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.bytes('SET k v PX 10\r\nCLIENT PAUSE 1000 WRITE\r\n')
    harness.advance(500)
    expect(client.say('GET k')).toBe('$-1\r\n')
    expect(client.say('DBSIZE')).toBe(':1\r\n')
    harness.advance(600)
    expect(client.say('DBSIZE')).toBe(':0\r\n')
  })

  test('shares the transaction of the command that found it dead', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    const replica = harness.replica()
    client.bytes('DEBUG SET-ACTIVE-EXPIRE 0\r\nSET k 5 PX 10\r\n')
    harness.advance(20)
    replica.told()
    expect(client.say('INCR k')).toBe(':1\r\n')
    expect(replica.told()).toEqual(['MULTI', 'DEL k', 'INCR k', 'EXEC'])
  })

  test('is deleted for itself when a scan meets it', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    const replica = harness.replica()
    client.bytes('DEBUG SET-ACTIVE-EXPIRE 0\r\nSET a 1 PX 10\r\nSET b 1 PX 10\r\n')
    harness.advance(20)
    replica.told()
    client.say('SCAN 0')
    expect(replica.told()).toEqual(['DEL a', 'DEL b'])
  })
})

describe('DEBUG SLEEP', () => {
  test('answers, and lets everything else happen, when it is over', () => {
    const harness = new NodeHarness()
    const [sleeper, other] = [harness.client(), harness.client()]
    expect(sleeper.bytes('PING\r\nDEBUG SLEEP 1\r\nECHO late\r\n')).toBe('')
    expect(other.say('SET k v')).toBe('')
    const newcomer = harness.client()
    expect(newcomer.say('GET k')).toBe('')
    harness.advance(999)
    expect(sleeper.take() + other.take() + newcomer.take()).toBe('')
    harness.advance(1)
    expect(sleeper.take()).toBe('+PONG\r\n+OK\r\n$4\r\nlate\r\n')
    expect(other.take()).toBe('+OK\r\n')
    expect(newcomer.take()).toBe('$1\r\nv\r\n')
  })

  test('keeps nobody from leaving', () => {
    const harness = new NodeHarness()
    const [sleeper, other] = [harness.client(), harness.client()]
    sleeper.say('DEBUG SLEEP 1')
    other.drop()
    harness.advance(1000)
    expect(sleeper.say('INFO clients')).toContain('connected_clients:1')
  })

  test('may follow another one in the same pipeline', () => {
    const harness = new NodeHarness()
    const [sleeper, other] = [harness.client(), harness.client()]
    sleeper.bytes('DEBUG SLEEP 1\r\nDEBUG SLEEP 1\r\nPING\r\n')
    other.say('PING')
    harness.advance(1500)
    expect(other.take()).toBe('')
    harness.advance(500)
    expect(sleeper.take()).toBe('+OK\r\n+OK\r\n+PONG\r\n')
    expect(other.take()).toBe('+PONG\r\n')
  })

  test('is refused unless it is allowed', () => {
    const client = new NodeHarness({ 'enable-debug-command': 'no' }).client()
    expect(client.say('DEBUG SLEEP 1')).toMatch(/^-ERR DEBUG command not allowed/)
  })
})

describe('CLIENT PAUSE', () => {
  test('of writes lets reads through', () => {
    const harness = new NodeHarness()
    const [a, b] = [harness.client(), harness.client()]
    a.say('CLIENT PAUSE 1000 WRITE')
    expect(b.say('GET k')).toBe('$-1\r\n')
    expect(b.say('SET k v')).toBe('')
    harness.advance(1000)
    expect(b.take()).toBe('+OK\r\n')
  })

  test('of writes holds the scripts that may write, by what their first line says', () => {
    const harness = new NodeHarness()
    const [a, b, c] = [harness.client(), harness.client(), harness.client()]
    const library =
      "#!lua name=l\nredis.register_function('writes', function() return 1 end)\n" +
      "redis.register_function{function_name='reads', callback=function() return 2 end, flags={'no-writes'}}"
    a.send('FUNCTION', 'LOAD', library)
    a.say('CLIENT PAUSE 1000 WRITE')
    expect(b.send('EVAL', '#!lua flags=no-writes\nreturn 3', '0')).toBe(':3\r\n')
    expect(b.send('FCALL', 'reads', '0')).toBe(':2\r\n')
    expect(b.send('EVAL', '#!lua\nreturn 4', '0')).toBe('')
    expect(c.send('FCALL', 'writes', '0')).toBe('')
    expect(a.say('INFO clients')).toContain('blocked_clients:2\r\n')
    harness.advance(1000)
    expect([b.take(), c.take()]).toEqual([':4\r\n', ':1\r\n'])
    expect(a.say('INFO clients')).toContain('blocked_clients:0\r\n')
  })

  test('of everything holds everything, in order', () => {
    const harness = new NodeHarness()
    const [a, b] = [harness.client(), harness.client()]
    a.say('CLIENT PAUSE 1000')
    expect(b.bytes('SET k v\r\nGET k\r\n')).toBe('')
    expect(a.say('PING')).toBe('')
    harness.advance(1000)
    expect(b.take()).toBe('+OK\r\n$1\r\nv\r\n')
    expect(a.take()).toBe('+PONG\r\n')
  })

  test('ends at once with UNPAUSE', () => {
    const harness = new NodeHarness()
    const [a, b] = [harness.client(), harness.client()]
    a.say('CLIENT PAUSE 100000 WRITE')
    b.say('SET k v')
    expect(a.say('CLIENT UNPAUSE')).toBe('+OK\r\n')
    expect(b.take()).toBe('+OK\r\n')
  })

  test('of writes holds a transaction back only if it writes', () => {
    const harness = new NodeHarness()
    const [reader, writer] = [harness.client(), harness.client()]
    reader.bytes('MULTI\r\nGET k\r\n')
    writer.bytes('MULTI\r\nSET k v\r\n')
    harness.client().say('CLIENT PAUSE 1000 WRITE')
    expect(reader.say('EXEC')).toBe('*1\r\n$-1\r\n')
    expect(writer.say('EXEC')).toBe('')
    harness.advance(1000)
    expect(writer.take()).toBe('*1\r\n+OK\r\n')
  })

  test('is never shortened by a second one', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.bytes('CLIENT PAUSE 1000 WRITE\r\nCLIENT PAUSE 10 WRITE\r\n')
    harness.advance(500)
    expect(client.say('SET k v')).toBe('')
  })
})

describe('an idle client', () => {
  test('is closed after [timeout], unless it waits or listens', () => {
    const harness = new NodeHarness({ timeout: '10' })
    const [idle, busy, listener, waiting] = Array.from({ length: 4 }, () => harness.client())
    listener?.say('SUBSCRIBE c')
    waiting?.say('BLPOP l 0')
    harness.advance(6000)
    busy?.say('PING')
    harness.advance(6000)
    expect([idle, busy, listener, waiting].map((client) => client?.isClosed)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })
})
