/** A planned handover of a strict group before its fence: what becomes of the clients of the old master. */
import { expect, test } from 'vitest'
import { bulk, OK, type Reply } from '../../../../src/resp/reply.ts'
import type {
  ReplicationWorld,
  TestClient,
  TestNode,
} from '../../../support/replication-harness.ts'
import { fence, group, LEADER, promote } from '../../../support/strict-group.ts'

const LIMIT_MS = 500

/** The leader's connection to the master: the answer comes when the heir has everything. */
function prepare(world: ReplicationWorld, master: TestNode, heir: TestNode, term = 2) {
  const leader = world.client(master)
  const words = [heir.address, '6379', String(LIMIT_MS)]
  leader.send('FENCE', String(term), LEADER, 'HANDOVER', ...words)
  return leader
}

/** A client that has asked for handoffs. */
function taker(world: ReplicationWorld, node: TestNode): TestClient {
  const client = world.client(node)
  client.call('HELLO', '3')
  const words = ['ON', 'moving-endpoint-type', 'internal-ip']
  expect(client.call('CLIENT', 'MAINT_NOTIFICATIONS', ...words)).toEqual(OK)
  return client
}

function told(client: TestClient): string[] {
  const lines: string[] = []
  for (let reply = client.takeReply(); reply !== undefined; reply = client.takeReply()) {
    lines.push(reply.kind === 'push' ? reply.items.map(wordOf).join(' ') : wordOf(reply))
  }
  return lines
}

function wordOf(reply: Reply): string {
  if (reply.kind === 'bulk') return reply.bytes
  if (reply.kind === 'integer') return String(reply.value)
  return reply.kind === 'error' ? reply.text : reply.kind
}

test('a client that asked goes to the heir, and what it sends there waits for the new term', () => {
  const { world, master, one, two } = group()
  const old = taker(world, master)
  const leader = prepare(world, master, one)
  world.run(15)
  expect(told(old)).toEqual(['FAILING_OVER 1 1', `MOVING 2 5 ${one.address}:6379`])
  expect(old.call('SET', 'k', 'on its way')).toEqual(OK)
  const [reader, writer] = [taker(world, one), taker(world, one)]
  reader.send('GET', 'k')
  writer.send('APPEND', 'k', ', and the next')
  world.run(10)
  expect([leader.take(), reader.take(), writer.take()]).toEqual(['', '', ''])
  old.close()
  world.until(() => leader.take() === '+OK\r\n')
  for (const node of [master, one, two]) fence(node, 2)
  promote(one, 2)
  for (const node of [master, two]) node.follow(one)
  world.run(50)
  expect(told(reader)).toEqual(['FAILED_OVER 1', 'on its way'])
  expect(told(writer)).toEqual(['FAILED_OVER 2', '24'])
})

test('a client that has not asked waits, and its command has not run when it is sent away', () => {
  const { world, master, one, two } = group()
  const client = world.client(master)
  client.call('INCR', 'n')
  const leader = prepare(world, master, one)
  world.until(() => leader.take() === '+OK\r\n')
  client.send('INCR', 'n')
  for (const node of [master, one, two]) fence(node, 2)
  promote(one, 2)
  for (const node of [master, two]) node.follow(one)
  world.run(50)
  master.call('CLIENT', 'KILL', 'TYPE', 'normal')
  master.call('CLIENT', 'UNPAUSE')
  world.run(10)
  expect([client.isClosed, client.take()]).toEqual([true, ''])
  expect(world.client(one).call('GET', 'n')).toEqual(bulk('1'))
})

test('if no fence comes, the master goes on when the time is up', () => {
  const { world, master, one } = group()
  const client = world.client(master)
  const leader = prepare(world, master, one)
  world.until(() => leader.take() === '+OK\r\n')
  client.send('INCR', 'n')
  world.run(LIMIT_MS - 100)
  expect(client.take()).toBe('')
  world.run(200)
  expect(client.take()).toBe(':1\r\n')
})

test('an heir that does not get everything in time is none, and the master goes on', () => {
  const { world, master, one } = group()
  const old = taker(world, master)
  one.isFrozen = true
  const leader = prepare(world, master, one)
  world.run(LIMIT_MS + 10)
  expect(leader.take()).toMatch(/^-ERR the handover is given up: the target did not get/)
  expect(told(old)).toEqual(['FAILING_OVER 1 1', 'FAILED_OVER 2'])
  expect(old.call('SET', 'k', 'v')).toEqual(OK)
})

test('a client that does not leave is waited for no longer than half the time', () => {
  const { world, master, one } = group()
  taker(world, master)
  const leader = prepare(world, master, one)
  world.run(LIMIT_MS / 2 - 20)
  expect(leader.take()).toBe('')
  world.run(40)
  expect(leader.take()).toBe('+OK\r\n')
})

test('the fence of another leader ends it', () => {
  const { world, master, one } = group()
  taker(world, master)
  const leader = prepare(world, master, one)
  world.run(10)
  fence(master, 3, 'b'.repeat(40))
  world.run(10)
  expect(leader.take()).toMatch(/^-ERR the handover is given up: it was fenced in term 3/)
  expect(master.info('sync_state')).toBe('fenced')
})

test('clients hear that it is over if the old master goes on in the new term', () => {
  const { world, master, one } = group()
  const old = taker(world, master)
  const leader = prepare(world, master, one)
  world.until(() => leader.take() === '+OK\r\n')
  told(old)
  for (const node of [master, one]) fence(node, 2)
  promote(master, 2)
  one.follow(master)
  world.run(50)
  expect(told(old)).toEqual(['FAILED_OVER 3'])
})

test('the hellos of Sentinels wait for nothing meanwhile', () => {
  const { world, master, one } = group()
  const sentinel = world.client(master)
  taker(world, master)
  prepare(world, master, one)
  sentinel.send('PUBLISH', '__sentinel__:hello', 'x')
  sentinel.send('PING')
  world.run(10)
  expect(sentinel.take()).toBe(':0\r\n+PONG\r\n')
})

test('it is refused in an older term, by a node that is no master, and for an heir that is no replica', () => {
  const { world, master, one } = group()
  const ask = (node: TestNode, term: string, host: string, ...rest: string[]) =>
    wordOf(world.client(node).call('FENCE', term, LEADER, 'HANDOVER', host, ...rest))
  expect(ask(master, '1', one.address, '6379', '500')).toMatch(/^STALETERM /)
  expect(ask(one, '2', one.address, '6379', '500')).toMatch(/^NOMASTERLINK /)
  expect(ask(master, '2', '10.9.9.9', '6379', '500')).toMatch(
    /^ERR FAILOVER target .* not a replica/,
  )
  for (const rest of [
    ['6379'],
    ['x', '500'],
    ['6379', '0'],
    ['6379', '-1'],
    ['6379', '500', 'x'],
  ]) {
    expect(ask(master, '2', one.address, ...rest)).toBe('ERR syntax error')
  }
  expect(master.info('sync_state')).toBe('master')
  expect(world.client(master).call('SET', 'k', 'v')).toEqual(OK)
})

test('a fenced voter that is told its master again follows it at once', () => {
  const { world, master, one } = group()
  for (const node of [master, one]) fence(node, 2)
  promote(master, 2)
  const client = world.client(master)
  client.send('SET', 'k', 'v')
  one.follow(master)
  world.run(50)
  expect(client.take()).toBe('+OK\r\n')
})
