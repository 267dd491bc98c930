/** CLIENT MAINT_NOTIFICATIONS in a coordinated failover: who is told what, when, and what becomes of the writes. */
import { describe, expect, test } from 'vitest'
import { error, OK, type Reply } from '../../../src/resp/reply.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import {
  ReplicationWorld,
  type TestClient,
  type TestNode,
} from '../../support/replication-harness.ts'

const READONLY = error("READONLY You can't write against a read only replica.")
const ON = ['CLIENT', 'MAINT_NOTIFICATIONS', 'ON', 'moving-endpoint-type']

function pair() {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master)
  world.run(1_500)
  return { world, master, replica }
}

/** A client that has asked as node-redis does. */
function taker(world: ReplicationWorld, node: TestNode, type = 'internal-ip'): TestClient {
  const client = world.client(node)
  client.call('HELLO', '3')
  expect(client.call(...ON, type)).toEqual(OK)
  return client
}

function failOver(master: TestNode, replica: TestNode): void {
  expect(master.call('FAILOVER', 'TO', replica.address, '6379', 'TIMEOUT', '5000')).toEqual(OK)
}

/** The pushes that have come, as words. */
function told(client: TestClient): string[] {
  const lines: string[] = []
  for (let reply = client.takeReply(); reply !== undefined; reply = client.takeReply()) {
    lines.push(reply.kind === 'push' ? reply.items.map(wordOf).join(' ') : JSON.stringify(reply))
  }
  return lines
}

function wordOf(reply: Reply): string {
  if (reply.kind === 'bulk') return reply.bytes
  return reply.kind === 'integer' ? String(reply.value) : reply.kind
}

describe('a client that has asked', () => {
  test('is told where to go, is served until it leaves, and its next write waits there for the new master', () => {
    const { world, master, replica } = pair()
    const old = taker(world, master)
    failOver(master, replica)
    world.run(15)
    expect(told(old)).toEqual(['FAILING_OVER 1 5', `MOVING 2 5 ${replica.address}:6379`])
    expect(old.call('SET', 'k', 'on its way')).toEqual(OK)
    const moved = taker(world, replica)
    moved.send('APPEND', 'k', ', and the next')
    world.run(10)
    expect([moved.takeReply(), replica.info('role')]).toEqual([undefined, 'slave'])
    old.close()
    world.until(() => replica.info('role') === 'master')
    world.run(10)
    expect(told(moved)).toEqual(['FAILED_OVER 1', expect.stringContaining('integer')])
    expect(replica.get('k')).toBe('on its way, and the next')
  })

  test('and came to the new master in time is not sent away with those who have to ask a Sentinel', () => {
    const { world, master, replica } = pair()
    const old = taker(world, master)
    const reader = world.client(replica)
    failOver(master, replica)
    world.run(15)
    const moved = taker(world, replica)
    old.close()
    world.until(() => replica.info('role') === 'master')
    replica.call('CLIENT', 'KILL', 'TYPE', 'normal')
    world.run(10)
    expect([moved.isClosed, reader.isClosed]).toEqual([false, true])
  })

  test('and does not leave is waited for no longer than a moment', () => {
    const { world, master, replica } = pair()
    const old = taker(world, master)
    const startMs = world.network.nowMs
    failOver(master, replica)
    world.until(() => replica.info('role') === 'master')
    expect(world.network.nowMs - startMs).toBeLessThan(1_200)
    world.run(10)
    expect(told(old)[1]).toBe(`MOVING 2 5 ${replica.address}:6379`)
  })

  test('for no address is told none, so that it goes back to where it is configured to go', () => {
    const { world, master, replica } = pair()
    const old = taker(world, master, 'none')
    failOver(master, replica)
    world.run(15)
    expect(told(old)[1]).toBe('MOVING 2 5 null')
  })

  test('hears that it is over when the master keeps its role', () => {
    const { world, master, replica } = pair()
    const old = taker(world, master)
    replica.isFrozen = true
    failOver(master, replica)
    world.run(50)
    master.call('FAILOVER', 'ABORT')
    world.run(5)
    expect(told(old)).toEqual(['FAILING_OVER 1 5', 'FAILED_OVER 2'])
    expect(old.call('SET', 'k', 'v')).toEqual(OK)
  })

  test('is sent back by an heir that never becomes the master', () => {
    const { world, master, replica } = pair()
    const old = taker(world, master)
    failOver(master, replica)
    world.run(15)
    master.call('FAILOVER', 'ABORT')
    const moved = taker(world, replica)
    moved.send('SET', 'k', 'v')
    world.run(5_100)
    const refused = expect.stringContaining('READONLY')
    expect(told(moved)).toEqual([`MOVING 1 5 ${master.address}:6379`, refused])
    expect(old.isClosed).toBe(false)
  })
})

describe('a Sentinel, whose hello would wait behind what waits for the role,', () => {
  const HELLO = ['PUBLISH', '__sentinel__:hello', 'we are here'] as const
  const ANSWERED = { kind: 'integer', value: 0 }

  function threeNodes() {
    const { world, master, replica } = pair()
    const other = world.replicaOf(master)
    world.run(1_500)
    taker(world, master)
    return { world, master, replica, other }
  }

  /** The answers that come within ten milliseconds. */
  function saidSoon(
    world: ReplicationWorld,
    node: TestNode,
    ...commands: readonly (readonly string[])[]
  ): readonly (Reply | undefined)[] {
    const client = world.client(node)
    for (const argv of commands) client.send(...argv)
    world.run(10)
    return commands.map(() => client.takeReply())
  }

  test('is answered by the heir and by the other replica while clients are on their way', () => {
    const { world, master, replica, other } = threeNodes()
    failOver(master, replica)
    world.run(15)
    for (const node of [replica, other]) {
      expect(saidSoon(world, node, HELLO)).toEqual([ANSWERED])
    }
    expect(replica.info('role')).toBe('slave')
  })

  test('turns the other replica to the new master at once', () => {
    const { world, master, replica, other } = threeNodes()
    failOver(master, replica)
    world.until(() => replica.info('role') === 'master')
    const order = ['REPLICAOF', replica.address, '6379']
    expect(saidSoon(world, other, HELLO, order)).toEqual([ANSWERED, OK])
  })
})

test('a replica that is not the heir expects no role: it keeps its readers, and refuses writes at once', () => {
  const { world, master, replica } = pair()
  const other = world.replicaOf(master)
  world.run(1_500)
  taker(world, master)
  failOver(master, replica)
  world.run(15)
  const reader = taker(world, other)
  expect(reader.call('SET', 'k', 'v')).toEqual(READONLY)
  world.run(5_100)
  expect(told(reader)).toEqual([])
})

describe('[client-addresses] a client from another network', () => {
  /** All clients of the stage come from 10.0.1.0/24. */
  function announced() {
    const { world, master, replica } = pair()
    const entry = (node: TestNode, port: number) =>
      `10.0.1.0/24 ${node.address}:6379 outside.example.com:${port}`
    const line = `${entry(master, 7001)} ${entry(replica, 7002)}`
    for (const node of [master, replica]) {
      expect(node.call('CONFIG', 'SET', 'client-addresses', line)).toEqual(OK)
    }
    return { world, master, replica }
  }

  test('is told to move to the address at which it reaches the coming master', () => {
    const { world, master, replica } = announced()
    const old = taker(world, master)
    failOver(master, replica)
    world.run(15)
    expect(told(old)[1]).toBe('MOVING 2 5 outside.example.com:7002')
  })

  test('is sent back to the address at which it reaches the master that stays', () => {
    const { world, master, replica } = announced()
    taker(world, master)
    failOver(master, replica)
    world.run(15)
    master.call('FAILOVER', 'ABORT')
    const moved = taker(world, replica)
    world.run(5_100)
    expect(told(moved)).toEqual(['MOVING 1 5 outside.example.com:7001'])
  })

  test('is told the address inside of a member that has none for its network', () => {
    const { world, master, replica } = announced()
    const line = `10.0.1.0/24 ${master.address}:6379 outside.example.com:7001`
    master.call('CONFIG', 'SET', 'client-addresses', line)
    const old = taker(world, master)
    failOver(master, replica)
    world.run(15)
    expect(told(old)[1]).toBe(`MOVING 2 5 ${replica.address}:6379`)
  })
})

test('a write of a client that has not asked is refused by the heir as by any replica', () => {
  const { world, master, replica } = pair()
  taker(world, master)
  failOver(master, replica)
  world.run(15)
  expect(world.client(replica).call('SET', 'k', 'v')).toEqual(READONLY)
})

test('nobody has asked: the replicas are told nothing new, and nothing is waited for', () => {
  const { world, master, replica } = pair()
  const startMs = world.network.nowMs
  failOver(master, replica)
  world.until(() => replica.info('role') === 'master')
  expect(world.network.nowMs - startMs).toBeLessThan(50)
})

test('a target that does not hold writes, as redis-server, gets no clients before it is the master', () => {
  const node = new NodeHarness()
  const client = node.client()
  client.say('HELLO 3')
  client.send(...ON, 'external-ip')
  const replica = node.client()
  replica.say('REPLCONF listening-port 6400')
  replica.say('PSYNC ? -1')
  node.advance(1_000)
  const ack = () => replica.say(`REPLCONF ACK ${offsetOf(node)}`)
  ack()
  client.take()
  client.say('FAILOVER TO 127.0.0.1 6400 TIMEOUT 5000')
  node.advance(1)
  expect(replica.take()).toContain('takeover')
  ack()
  node.advance(1)
  expect(client.take()).not.toContain('MOVING')
  expect(client.say('INFO replication')).toContain('failover-in-progress')
})

function offsetOf(node: NodeHarness): string {
  const text = node.client().say('INFO replication')
  return /master_repl_offset:(\d+)/.exec(text)?.[1] ?? ''
}

test.each([
  ['ON', 'OK'],
  ['ON moving-endpoint-type external-fqdn', 'OK'],
  ['OFF', 'OK'],
  ['ON moving-endpoint-type nowhere', 'ERR moving-endpoint-type must be one of'],
  ['ON moving-endpoint-type', 'ERR syntax error'],
  ['ON moving-endpoint-type none more', 'ERR syntax error'],
  ['MAYBE', 'ERR syntax error'],
  ['OFF now', 'ERR syntax error'],
])('CLIENT MAINT_NOTIFICATIONS %s: %s', (words, answer) => {
  const client = new NodeHarness().client()
  client.say('HELLO 3')
  expect(client.say(`CLIENT MAINT_NOTIFICATIONS ${words}`)).toContain(answer)
})

test('RESP2 has no pushes, so nothing is promised there', () => {
  expect(new NodeHarness().client().say('CLIENT MAINT_NOTIFICATIONS ON')).toContain('HELLO 3')
})
