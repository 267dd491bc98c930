/** What the stream of a master may do to its replica. */
import { describe, expect, test } from 'vitest'
import { sha1Hex } from '../../src/server/scripting/sha1-hex.ts'
import { NodeHarness } from '../support/node-harness.ts'

/** A replica whose master sends what `fromMaster` is given. */
function replica() {
  const harness = new NodeHarness()
  const client = harness.client()
  client.say('REPLICAOF 127.0.0.1 1')
  const fromMaster = (...argv: readonly string[]) => harness.node.services.streamTarget.apply(argv)
  return { harness, client, fromMaster }
}

describe('what a master may not tell its replica', () => {
  const COMMANDS = [
    'SHUTDOWN NOSAVE',
    'CLIENT PAUSE 60000 ALL',
    'CLIENT KILL TYPE normal',
    'DEBUG SLEEP 100',
    'CONFIG SET dir /tmp',
    'REPLICAOF NO ONE',
    'ACL SETUSER default off',
    'FAILOVER',
    'BGSAVE',
    'FUNCTION LIST',
    'SUBSCRIBE c',
    'GET k',
  ]

  test('is passed over, counted and logged', () => {
    const { harness, client, fromMaster } = replica()
    for (const line of COMMANDS) fromMaster(...line.split(' '))
    expect(client.say('INFO replication')).toContain(`vedette_refused_commands:${COMMANDS.length}`)
    expect(client.say('INFO replication')).not.toContain('vedette_unapplied_commands')
    expect(client.say('ROLE')).toContain('slave')
    expect(client.say('PING')).toBe('+PONG\r\n')
    expect(harness.exitStatus).toBeUndefined()
    expect(harness.logs).toContain('the master sent what is no change, and is refused: shutdown')
  })

  test('cannot be hidden in a transaction', () => {
    const { harness, client, fromMaster } = replica()
    for (const line of ['MULTI', 'SET k 1', 'SHUTDOWN NOSAVE', 'CLIENT PAUSE 9999', 'EXEC']) {
      fromMaster(...line.split(' '))
    }
    expect([client.say('GET k'), harness.exitStatus]).toEqual(['$1\r\n1\r\n', undefined])
  })

  test('is no change and no message: those it may, whatever they do to the data', () => {
    const { harness, client, fromMaster } = replica()
    const reader = harness.client()
    reader.say('SUBSCRIBE news')
    for (const line of ['SELECT 3', 'SET k 1', 'SWAPDB 0 3', 'PFCOUNT hll', 'PUBLISH news x']) {
      fromMaster(...line.split(' '))
    }
    expect(client.say('GET k')).toBe('$1\r\n1\r\n')
    expect(reader.take()).toContain('news')
    fromMaster('FLUSHALL')
    expect(client.say('DBSIZE')).toBe(':0\r\n')
    expect(harness.node.services.stats.refusedCommands).toBe(0)
  })
})

describe('a change of the master that fails here', () => {
  test('is counted and logged, for a while by name, and stays known after a promotion', () => {
    const { harness, client, fromMaster } = replica()
    fromMaster(...'GEOADD g 13 38 a'.split(' '))
    // A shape that only newer servers know.
    const search = 'GEOSEARCHSTORE near g BYPOLYGON 3 12 36 17 36 17 39'.split(' ')
    for (let n = 0; n < 150; n++) fromMaster(...search)
    const logged = harness.logs.filter((line) => line.includes('failed here: ERR syntax error'))
    expect(logged).toHaveLength(100)
    expect(logged[99]).toContain('(from now on they are only counted)')
    client.say('REPLICAOF NO ONE')
    expect(client.say('INFO replication')).toContain('vedette_unapplied_commands:150\r\n')
  })

  test('is seen within a transaction', () => {
    const { harness, fromMaster } = replica()
    for (const line of ['MULTI', 'SET k v', 'LPUSH k a', 'EXEC']) fromMaster(...line.split(' '))
    expect(harness.node.services.stats.unappliedCommands).toBe(1)
    expect(harness.logs.at(-1)).toContain("the master's lpush failed here: WRONGTYPE")
  })
})

describe('a script in the stream, which masters before Redis 7.0 send instead of its effects', () => {
  const WRITES = "redis.call('SET', KEYS[1], ARGV[1]); return redis.call('INCR', KEYS[1])"

  test('changes a replica that is read-only', () => {
    const { harness, client, fromMaster } = replica()
    fromMaster('EVAL', WRITES, '1', 'k', '41')
    expect(client.say('GET k')).toBe('$2\r\n42\r\n')
    expect(harness.node.services.stats.refusedCommands).toBe(0)
  })

  test('may be named by its digest once it was sent', () => {
    const { harness, client, fromMaster } = replica()
    fromMaster('SCRIPT', 'LOAD', WRITES)
    fromMaster('MULTI')
    fromMaster('EVALSHA', sha1Hex(WRITES), '1', 'k', '1')
    fromMaster('EXEC')
    expect(client.say('GET k')).toBe('$1\r\n2\r\n')
    fromMaster('SCRIPT', 'FLUSH')
    fromMaster('EVALSHA', sha1Hex(WRITES), '1', 'k', '5')
    expect(harness.logs.at(-1)).toContain("the master's evalsha failed here: NOSCRIPT")
  })

  test('runs to its end before the next command', () => {
    const { client, fromMaster } = replica()
    const long = "for i = 1, 300000 do local x = i end; redis.call('SET', 'k', 'a')"
    fromMaster('EVAL', long, '1', 'k')
    fromMaster('APPEND', 'k', 'b')
    expect(client.say('GET k')).toBe('$2\r\nab\r\n')
  })

  test('is told to the own replicas as the stream tells it, and to the own file as its effects', () => {
    const harness = new NodeHarness({ appendonly: 'yes' })
    const client = harness.client()
    const offset = () => /master_repl_offset:(\d+)/.exec(client.say('INFO replication'))?.[1]
    client.say('REPLICAOF 127.0.0.1 1')
    const before = offset()
    harness.node.services.streamTarget.apply(['EVAL', WRITES, '1', 'k', '41'])
    expect(offset()).toBe(before)
    expect(harness.files.read('appendonlydir/appendonly.aof.1.incr.aof')).toContain('INCR')
  })

  test('calls nothing that a script may not call', () => {
    const { harness, client, fromMaster } = replica()
    fromMaster('EVAL', "redis.call('SHUTDOWN', 'NOSAVE')", '0')
    fromMaster('EVAL', "redis.call('REPLICAOF', 'NO', 'ONE')", '0')
    expect([client.say('PING'), harness.exitStatus]).toEqual(['+PONG\r\n', undefined])
    expect(client.say('ROLE')).toContain('slave')
  })
})
