/** Which refusal a client gets when several are due: the order is Redis'. */
import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../support/node-harness.ts'

const NO_AUTH = '-NOAUTH Authentication required.\r\n'
const READ_ONLY = "-READONLY You can't write against a read only replica.\r\n"
const MASTER_DOWN =
  "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n"
const NO_REPLICAS = '-NOREPLICAS Not enough good replicas to write.\r\n'

describe('a client without the password', () => {
  const harness = new NodeHarness({ requirepass: 'secret', replicaof: '10.0.0.9 6379' })

  test('learns that a command does not exist or is malformed, and nothing else', () => {
    const client = harness.client()
    expect(client.say('NOSUCH')).toMatch(/^-ERR unknown command/)
    expect(client.say('GET')).toMatch(/^-ERR wrong number/)
    expect(client.say('SET k v')).toBe(NO_AUTH)
    expect(client.say('PING')).toBe(NO_AUTH)
    expect(client.say('HELLO 3')).toMatch(/^-NOAUTH HELLO must be called/)
  })

  test('is let in by AUTH and by HELLO', () => {
    const client = harness.client()
    expect(client.say('AUTH wrong')).toMatch(/^-WRONGPASS/)
    expect(client.say('AUTH nobody secret')).toMatch(/^-WRONGPASS/)
    expect(client.say('AUTH secret')).toBe('+OK\r\n')
    expect(client.say('GET k')).toBe('$-1\r\n')
    const other = harness.client()
    expect(other.say('HELLO 2 AUTH default secret')).toContain('replica')
    expect(other.say('GET k')).toBe('$-1\r\n')
  })

  test('cannot send much', () => {
    expect(harness.client().bytes('*11\r\n')).toMatch(/unauthenticated multibulk length/)
    expect(harness.client().bytes('*1\r\n$16385\r\n')).toMatch(/unauthenticated bulk length/)
  })

  test('is asked again after RESET', () => {
    const client = harness.client()
    client.bytes('AUTH secret\r\nRESET\r\n')
    expect(client.say('GET k')).toBe(NO_AUTH)
  })
})

describe('a replica', () => {
  test('refuses writes, also those of a transaction', () => {
    const client = new NodeHarness({ replicaof: '10.0.0.9 6379' }).client()
    expect(client.say('SET k v')).toBe(READ_ONLY)
    expect(client.say('GET k')).toBe('$-1\r\n')
    client.say('MULTI')
    expect(client.say('SET k v')).toBe(READ_ONLY)
    expect(client.say('EXEC')).toMatch(/^-EXECABORT/)
  })

  test('takes writes if it is told to', () => {
    const harness = new NodeHarness({ replicaof: '10.0.0.9 6379', 'replica-read-only': 'no' })
    expect(harness.client().say('SET k v')).toBe('+OK\r\n')
  })

  test('that must not serve stale data says so to reads, after READONLY to writes', () => {
    const harness = new NodeHarness({
      replicaof: '10.0.0.9 6379',
      'replica-serve-stale-data': 'no',
    })
    const client = harness.client()
    expect(client.say('GET k')).toBe(MASTER_DOWN)
    expect(client.say('PING')).toBe(MASTER_DOWN)
    expect(client.say('SET k v')).toBe(READ_ONLY)
    expect(client.say('INFO replication')).toContain('role:slave')
    expect(client.say('CONFIG GET hz')).toContain('hz')
    client.bytes('MULTI\r\nINFO replication\r\n')
    expect(client.say('EXEC')).toContain('role:slave')
  })
})

describe('a master that needs replicas', () => {
  test('refuses writes, but neither reads nor publishing', () => {
    const client = new NodeHarness({ 'min-replicas-to-write': '1' }).client()
    expect(client.say('SET k v')).toBe(NO_REPLICAS)
    expect(client.say('FLUSHALL')).toBe(NO_REPLICAS)
    expect(client.say('GET k')).toBe('$-1\r\n')
    expect(client.say('PUBLISH c m')).toBe(':0\r\n')
  })

  test('refuses an EXEC whose writes were queued before', () => {
    const harness = new NodeHarness()
    const [client, operator] = [harness.client(), harness.client()]
    client.bytes('MULTI\r\nSET k v\r\n')
    operator.say('CONFIG SET min-replicas-to-write 1')
    const reason = 'NOREPLICAS Not enough good replicas to write.'
    expect(client.say('EXEC')).toBe(`-EXECABORT Transaction discarded because of: ${reason}\r\n`)
    expect(client.say('EXEC')).toBe('-ERR EXEC without MULTI\r\n')
  })
})

describe('a connection that became a replica', () => {
  test('can neither touch keys nor get an answer into its stream', () => {
    const harness = new NodeHarness()
    const [replica, client] = [harness.client(), harness.client()]
    replica.say('PSYNC ? -1')
    harness.advance(2000)
    replica.take()
    expect(replica.bytes('SET k v\r\nSUBSCRIBE c\r\nPING\r\n')).toBe('')
    expect(client.say('EXISTS k')).toBe(':0\r\n')
    expect(client.say('PUBLISH c m')).toBe(':1\r\n')
    expect(replica.take()).not.toContain('message')
  })
})

describe('a transaction', () => {
  test('cannot contain what takes over the connection or ends the process', () => {
    const client = new NodeHarness().client()
    client.say('MULTI')
    expect(client.say('SHUTDOWN')).toBe('-ERR Command not allowed inside a transaction\r\n')
    expect(client.say('PSYNC ? -1')).toBe('-ERR Command not allowed inside a transaction\r\n')
  })
})

describe('a connection', () => {
  test('from elsewhere is refused in protected mode unless there is a password', () => {
    const open = new NodeHarness()
    const stranger = open.client('10.1.2.3')
    expect(stranger.take()).toMatch(/^-DENIED /)
    expect(stranger.isClosed).toBe(true)
    expect(new NodeHarness({ requirepass: 'x' }).client('10.1.2.3').isClosed).toBe(false)
    expect(new NodeHarness({ 'protected-mode': 'no' }).client('10.1.2.3').isClosed).toBe(false)
  })

  test('beyond [maxclients] is refused', () => {
    const harness = new NodeHarness({ maxclients: '1' })
    const first = harness.client()
    const second = harness.client()
    expect(second.take()).toBe('-ERR max number of clients reached\r\n')
    expect([first.isClosed, second.isClosed]).toEqual([false, true])
    first.drop()
    expect(harness.client().isClosed).toBe(false)
  })
})
