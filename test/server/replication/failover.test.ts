/** FAILOVER on data nodes: a planned exchange of roles that loses nothing and copies nothing anew. */
import { expect, test } from 'vitest'
import { array, error, integer, OK } from '../../../src/resp/reply.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'

const READONLY = error("READONLY You can't write against a read only replica.")

function pair(directives: Record<string, string> = {}) {
  const world = new ReplicationWorld()
  const master = world.node(directives)
  const replica = world.replicaOf(master)
  world.run(1_500)
  return { world, master, replica }
}

function isMaster(node: TestNode): boolean {
  return node.info('role') === 'master'
}

function logged(node: TestNode, text: string): number {
  return node.logs.filter((line) => line.includes(text)).length
}

test('the roles are exchanged without a full copy', () => {
  const { world, master, replica } = pair()
  master.call('SET', 'k', 'v')
  expect(master.call('FAILOVER', 'TO', replica.address, '6379', 'TIMEOUT', '5000')).toEqual(OK)
  expect(master.info('master_failover_state')).toBe('waiting-for-sync')
  world.untilInStep(replica, master)
  expect(master.info('master_failover_state')).toBe('no-failover')
  expect(isMaster(replica)).toBe(true)
  expect(replica.get('k')).toBe('v')
  expect(logged(master, 'full resynchronisation')).toBe(0)
  expect(logged(replica, 'full resynchronisation')).toBe(1)
})

test('it takes a few round trips, not the second until the next acknowledgement', () => {
  const { world, master, replica } = pair()
  master.call('SET', 'k', 'v')
  const startMs = world.network.nowMs
  master.call('FAILOVER')
  world.until(() => isMaster(replica))
  expect(world.network.nowMs - startMs).toBeLessThan(50)
})

test('a write that came while writes waited is told that the role is gone', () => {
  const { world, master, replica } = pair()
  const client = world.client(master)
  // The replica has yet to acknowledge it.
  master.call('SET', 'earlier', 'v')
  master.call('FAILOVER')
  client.send('SET', 'k', 'late')
  world.run(2)
  expect(client.takeReply()).toBeUndefined()
  world.until(() => isMaster(replica))
  world.until(() => master.info('master_failover_state') === 'no-failover')
  world.run(10)
  expect(client.takeReply()).toEqual(READONLY)
  expect(replica.get('k')).toBeUndefined()
})

test('reads are served all the time, on the same connection where demotion closes none', () => {
  const { world, master } = pair({ 'demotion-closes-clients': 'no' })
  master.call('SET', 'k', 'v')
  const client = world.client(master)
  master.call('FAILOVER')
  for (let turn = 0; turn < 30; turn++) {
    client.send('GET', 'k')
    world.run(2)
    expect(client.takeReply()).toMatchObject({ bytes: 'v' })
  }
})

test('without a target the first replica that has everything takes over', () => {
  const { world, master, replica } = pair()
  const other = world.replicaOf(master)
  world.run(1_500)
  replica.isFrozen = true
  master.call('SET', 'k', 'v')
  master.call('FAILOVER', 'TIMEOUT', '5000')
  world.until(() => isMaster(other))
  expect(other.get('k')).toBe('v')
})

test('a target that does not catch up in time ends it, and writes go on', () => {
  const { world, master, replica } = pair()
  const client = world.client(master)
  replica.isFrozen = true
  client.call('SET', 'k', '1')
  master.call('FAILOVER', 'TO', replica.address, '6379', 'TIMEOUT', '300')
  client.send('SET', 'k', '2')
  world.run(250)
  expect(client.takeReply()).toBeUndefined()
  world.run(100)
  expect(client.takeReply()).toEqual(OK)
  expect(master.info('master_failover_state')).toBe('no-failover')
  expect(isMaster(master)).toBe(true)
})

test('with FORCE a target that lacks something takes over when the time is up', () => {
  const { world, master, replica } = pair()
  const endpoint = [replica.address, '6379']
  replica.isFrozen = true
  master.call('SET', 'k', 'unheard')
  master.call('FAILOVER', 'TO', ...endpoint, 'FORCE', 'TIMEOUT', '300')
  world.run(400)
  expect(master.info('master_failover_state')).toBe('failover-in-progress')
  replica.isFrozen = false
  world.until(() => isMaster(replica))
  world.until(() => master.info('master_link_status') === 'up')
  expect(master.get('k')).toBe(replica.get('k'))
})

test('ABORT while the target catches up lets the waiting writes run', () => {
  const { world, master, replica } = pair()
  const client = world.client(master)
  replica.isFrozen = true
  client.call('SET', 'k', '1')
  master.call('FAILOVER')
  client.send('SET', 'k', '2')
  world.run(10)
  expect(master.call('FAILOVER', 'ABORT')).toEqual(OK)
  world.run(10)
  expect(client.takeReply()).toEqual(OK)
  expect(master.call('FAILOVER', 'ABORT')).toEqual(error('ERR No failover in progress.'))
})

test('ABORT while the target does not answer gives the role back, in a history of its own', () => {
  const { world, master, replica } = pair()
  master.call('FAILOVER', 'TO', replica.address, '6379')
  const historyId = master.info('master_replid')
  world.until(() => master.info('master_failover_state') === 'failover-in-progress')
  replica.kill()
  world.run(3_000)
  expect(master.info('master_failover_state')).toBe('failover-in-progress')
  expect(master.call('FAILOVER', 'ABORT')).toEqual(OK)
  expect(isMaster(master)).toBe(true)
  expect(master.info('master_replid')).not.toBe(historyId)
  expect(master.call('SET', 'k', 'v')).toEqual(OK)
})

test('a target that has become a master meanwhile refuses, and the role stays', () => {
  const { world, master, replica } = pair()
  master.call('FAILOVER', 'TO', replica.address, '6379')
  world.until(() => master.info('master_failover_state') === 'failover-in-progress')
  replica.promote()
  world.until(() => master.info('master_failover_state') === 'no-failover')
  expect(isMaster(master)).toBe(true)
  expect(logged(master, "PSYNC FAILOVER can't be sent to a master")).toBe(1)
})

test('a request whose answer was lost counts as granted: there are never two masters of it', () => {
  const { world, master, replica } = pair()
  master.call('SET', 'k', 'v')
  master.call('FAILOVER', 'TO', replica.address, '6379')
  world.until(() => isMaster(replica))
  expect(master.info('master_failover_state')).toBe('failover-in-progress')
  // The connection breaks before the answer has arrived.
  world.network.dropAll(replica)
  world.untilInStep(replica, master)
  expect(isMaster(master)).toBe(false)
  expect(isMaster(replica)).toBe(true)
})

test('the other replicas find the new master when they are told, without a full copy', () => {
  const { world, master, replica } = pair()
  const other = world.replicaOf(master)
  world.run(1_500)
  master.call('SET', 'k', '1')
  master.call('FAILOVER', 'TO', replica.address, '6379')
  world.untilInStep(replica, master)
  other.follow(replica)
  world.untilInStep(replica, other)
  replica.call('SET', 'k', '2')
  world.untilInStep(replica, other)
  expect([master.get('k'), other.get('k')]).toEqual(['2', '2'])
  expect(logged(other, 'full resynchronisation')).toBe(1)
})

test('in a transaction with CLIENT PAUSE, writes wait beyond the exchange until UNPAUSE', () => {
  const { world, master, replica } = pair()
  const admin = world.client(master)
  const client = world.client(master)
  // The replica has yet to acknowledge it.
  master.call('SET', 'earlier', 'v')
  admin.call('MULTI')
  admin.call('CLIENT', 'PAUSE', '60000', 'WRITE')
  admin.call('FAILOVER', 'TO', replica.address, '6379', 'TIMEOUT', '60000')
  expect(admin.call('EXEC')).toEqual(array([OK, OK]))
  client.send('SET', 'k', 'v')
  world.untilInStep(replica, master)
  world.run(1_000)
  expect(client.takeReply()).toBeUndefined()
  master.call('CLIENT', 'UNPAUSE')
  world.run(10)
  expect(client.takeReply()).toEqual(READONLY)
})

test('CLIENT UNPAUSE does not let writes run while a failover waits', () => {
  const { world, master, replica } = pair()
  const client = world.client(master)
  replica.isFrozen = true
  client.call('SET', 'k', '1')
  master.call('FAILOVER')
  master.call('CLIENT', 'UNPAUSE')
  client.send('SET', 'k', '2')
  world.run(10)
  expect(client.takeReply()).toBeUndefined()
})

test('nobody attaches and nobody changes the role while a failover runs', () => {
  const { world, master, replica } = pair()
  replica.isFrozen = true
  master.call('SET', 'k', 'v')
  master.call('FAILOVER')
  expect(master.call('REPLICAOF', 'NO', 'ONE')).toEqual(
    error('ERR REPLICAOF not allowed while failing over.'),
  )
  const client = world.client(master)
  expect(client.call('PSYNC', '?', '-1')).toEqual(
    error("NOMASTERLINK Can't SYNC while failing over"),
  )
  expect(client.call('SYNC')).toEqual(error("NOMASTERLINK Can't SYNC while failing over"))
})

test('PUBLISH waits like a write, which is why Sentinels keep their hellos back', () => {
  const { world, master, replica } = pair()
  const client = world.client(master)
  replica.isFrozen = true
  client.call('SET', 'k', 'v')
  master.call('FAILOVER')
  client.send('PUBLISH', 'c', 'm')
  world.run(100)
  expect(client.takeReply()).toBeUndefined()
  master.call('FAILOVER', 'ABORT')
  world.run(10)
  expect(client.takeReply()).toEqual(integer(0))
})

test.each([
  [['TO', '127.0.0.1'], 'ERR syntax error'],
  [['foo'], 'ERR syntax error'],
  [['ABORT', 'x'], 'ERR syntax error'],
  [['TIMEOUT', '5', 'TIMEOUT', '6'], 'ERR syntax error'],
  [['TO', 'a', '1', 'TO', 'b', '2'], 'ERR syntax error'],
  [['TO', '127.0.0.1', 'x'], 'ERR value is not an integer or out of range'],
  [['TIMEOUT', 'x'], 'ERR value is not an integer or out of range'],
  [['TIMEOUT', '0'], 'ERR FAILOVER timeout must be greater than 0'],
  [['TIMEOUT', '-1'], 'ERR FAILOVER timeout must be greater than 0'],
  [['ABORT'], 'ERR No failover in progress.'],
  [['FORCE'], 'ERR FAILOVER with force option requires both a timeout and target HOST and IP.'],
  [
    ['TO', '1.1.1.1', '1', 'FORCE'],
    'ERR FAILOVER with force option requires both a timeout and target HOST and IP.',
  ],
  [['TO', '1.1.1.1', '1'], 'ERR FAILOVER target HOST and PORT is not a replica.'],
])('FAILOVER %j is refused as Redis refuses it', (words, text) => {
  const { master } = pair()
  expect(master.call('FAILOVER', ...words)).toEqual(error(text))
})

test('FAILOVER needs a master with replicas, an online target, and no other one running', () => {
  const { world, master, replica } = pair()
  expect(replica.call('FAILOVER')).toEqual(
    error('ERR FAILOVER is not valid when server is a replica.'),
  )
  expect(world.node().call('FAILOVER')).toEqual(error('ERR FAILOVER requires connected replicas.'))
  const loading = world.client(master)
  loading.call('REPLCONF', 'listening-port', '7777', 'capa', 'eof')
  loading.send('PSYNC', '?', '-1')
  world.run(5)
  expect(master.call('FAILOVER', 'TO', loading.address, '7777')).toEqual(
    error('ERR FAILOVER target replica is not online.'),
  )
  replica.isFrozen = true
  master.call('SET', 'k', 'v')
  master.call('FAILOVER')
  expect(master.call('FAILOVER')).toEqual(error('ERR FAILOVER already in progress.'))
})

test('one that may take as long as it takes does not let the other replicas believe that we are dead', () => {
  const { world, master, replica } = pair()
  const other = world.replicaOf(master, { 'repl-timeout': '30' })
  world.run(1_500)
  replica.isFrozen = true
  master.call('SET', 'k', 'v')
  expect(master.call('FAILOVER', 'TO', replica.address, '6379')).toEqual(OK)
  world.run(50_000)
  expect(master.info('master_failover_state')).toBe('waiting-for-sync')
  expect(logged(other, 'the link is lost')).toBe(0)
  replica.isFrozen = false
  world.until(() => isMaster(replica))
})

test('one that has to end in time waits for a stream that has an end', () => {
  const { world, master, replica } = pair({ 'repl-ping-replica-period': '1' })
  replica.isFrozen = true
  master.call('SET', 'k', 'v')
  master.call('FAILOVER', 'TO', replica.address, '6379', 'TIMEOUT', '20000')
  world.run(100)
  const { offset } = master
  world.run(10_000)
  expect(master.info('master_failover_state')).toBe('waiting-for-sync')
  expect(master.offset).toBe(offset)
})
