/** Clients of a node that is of no use to them any more are sent to ask for another. */
import { describe, expect, test } from 'vitest'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'
import { ReplicationWorld } from '../../support/replication-harness.ts'

const NOREPLICAS = '-NOREPLICAS Not enough good replicas to write.\r\n'
const READONLY = "-READONLY You can't write against a read only replica.\r\n"
const OK = '+OK\r\n'

function open(clients: readonly TestClient[]): readonly boolean[] {
  return clients.map(({ isClosed }) => !isClosed)
}

describe('a master that becomes a replica', () => {
  test('closes its normal and pubsub clients in that turn, but for the one that gave the order', () => {
    const node = new NodeHarness()
    const [reader, listener, operator] = [node.client(), node.client(), node.client()]
    listener.say('SUBSCRIBE c')
    expect(operator.say('REPLICAOF 10.0.0.9 6379')).toBe(OK)
    expect(open([reader, listener, operator])).toEqual([false, false, true])
    expect(operator.say('PING')).toBe('+PONG\r\n')
  })

  test('closes them behind the transaction of a Sentinel, which still counts what it kills', () => {
    const node = new NodeHarness()
    const [client, sentinel] = [node.client(), node.client()]
    for (const line of ['MULTI', 'SLAVEOF 10.0.0.9 6379', 'CLIENT KILL TYPE normal'])
      sentinel.say(line)
    expect(sentinel.say('EXEC')).toBe(`*2\r\n${OK}:1\r\n`)
    expect(open([client, sentinel])).toEqual([false, true])
  })

  test('answers what came in the same turn before it closes', () => {
    const node = new NodeHarness()
    const client = node.client()
    client.say('CLIENT PAUSE 1000 WRITE')
    client.say('SET k v')
    node.client().say('REPLICAOF 10.0.0.9 6379')
    expect([client.take(), client.isClosed]).toEqual(['', false])
    node.advance(1_001)
    expect([client.take(), client.isClosed]).toEqual([READONLY, true])
  })

  test('leaves clients that somebody has paused to whoever ends the pause', () => {
    const node = new NodeHarness()
    const [client, conductor] = [node.client(), node.client()]
    conductor.say('CLIENT PAUSE 60000 WRITE')
    conductor.say('REPLICAOF 10.0.0.9 6379')
    conductor.say('CLIENT UNPAUSE')
    node.advance(120_000)
    expect(open([client, conductor])).toEqual([true, true])
  })

  test('keeps its replicas and the clients of a node that was a replica before', () => {
    const node = new NodeHarness()
    const replica = node.client()
    replica.send('PSYNC', '?', '-1')
    node.client().say('REPLICAOF 10.0.0.9 6379')
    const reader = node.client()
    node.client().say('REPLICAOF 10.0.0.8 6379')
    expect(open([replica, reader])).toEqual([true, true])
  })

  test('closes nothing for an order that is refused, or takes back the role while clients are paused', () => {
    const node = new NodeHarness()
    const [client, operator] = [node.client(), node.client()]
    operator.say('REPLICAOF 10.0.0.9 99999')
    operator.say('REPLICAOF NO ONE')
    operator.say('CLIENT PAUSE 1000 WRITE')
    operator.say('REPLICAOF 10.0.0.9 6379')
    operator.say('REPLICAOF NO ONE')
    node.advance(2_000)
    expect(open([client, operator])).toEqual([true, true])
  })

  test('closes nobody where that is switched off', () => {
    const node = new NodeHarness({ 'demotion-closes-clients': 'no' })
    const client = node.client()
    node.client().say('REPLICAOF 10.0.0.9 6379')
    expect(client.isClosed).toBe(false)
  })

  test('by FAILOVER closes them when the target has taken over, and not if it does not', () => {
    const world = new ReplicationWorld()
    const master = world.node()
    const replica = world.replicaOf(master)
    world.run(1_500)
    const client = world.client(master)
    replica.isFrozen = true
    master.call('FAILOVER', 'TO', replica.address, '6379', 'TIMEOUT', '200', 'FORCE')
    world.run(300)
    master.call('FAILOVER', 'ABORT')
    world.run(100)
    expect(client.isClosed).toBe(false)
    replica.isFrozen = false
    world.run(3_000)
    master.call('FAILOVER', 'TO', replica.address, '6379', 'TIMEOUT', '5000')
    world.until(() => replica.info('role') === 'master')
    world.run(10)
    expect(client.isClosed).toBe(true)
  })
})

describe('a master without enough replicas', () => {
  const fenced = { 'min-replicas-to-write': '1' }

  test('closes the connection of a client behind the error its write gets', () => {
    const node = new NodeHarness(fenced)
    const [writer, reader] = [node.client(), node.client()]
    node.advance(5_000)
    reader.say('GET k')
    expect(writer.say('SET k v')).toBe(NOREPLICAS)
    expect(open([writer, reader])).toEqual([false, true])
  })

  test('runs nothing that came behind the refused write', () => {
    const node = new NodeHarness(fenced)
    const writer = node.client()
    node.advance(5_000)
    expect(writer.bytes('SET k v\r\nPING\r\n')).toBe(NOREPLICAS)
  })

  test('spares connections of less than five seconds, so that no client comes and goes without end', () => {
    const node = new NodeHarness(fenced)
    const writer = node.client()
    node.advance(4_999)
    writer.say('SET k v')
    expect(writer.isClosed).toBe(false)
    node.advance(1)
    writer.say('SET k v')
    expect(writer.isClosed).toBe(true)
  })

  test('closes behind EXEC, too, and behind a write that was not even queued', () => {
    const node = new NodeHarness(fenced)
    const [writer, other] = [node.client(), node.client()]
    node.advance(5_000)
    other.say('CONFIG SET min-replicas-to-write 0')
    writer.say('MULTI')
    writer.say('SET k v')
    other.say('CONFIG SET min-replicas-to-write 1')
    expect(writer.say('EXEC')).toMatch(/^-EXECABORT .*NOREPLICAS/)
    other.say('MULTI')
    expect(other.say('SET k v')).toBe(NOREPLICAS)
    expect(open([writer, other])).toEqual([false, false])
  })

  test('closes nobody for other refusals, or where that is switched off', () => {
    const node = new NodeHarness(fenced)
    const writer = node.client()
    node.advance(5_000)
    writer.say('SET k')
    expect(writer.isClosed).toBe(false)
    writer.say('CONFIG SET fenced-closes-clients no')
    expect(writer.say('SET k v')).toBe(NOREPLICAS)
    expect(writer.isClosed).toBe(false)
  })
})
