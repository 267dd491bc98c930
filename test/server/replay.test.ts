/** What the stream of a master may do to its replica. */
import { describe, expect, test } from 'vitest'
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
