import { expect, test } from 'vitest'
import { error, OK, simple } from '../../../src/resp/reply.ts'
import { ReplicationWorld } from '../../support/replication-harness.ts'

function pair() {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master)
  world.run(1500)
  return { world, master, replica }
}

test('after a short cut only what was missed is sent', () => {
  const { world, master, replica } = pair()
  world.network.cut(master, replica)
  for (let index = 0; index < 100; index++) master.call('RPUSH', 'log', String(index))
  world.run(3000)
  world.network.join(master, replica)
  world.untilInStep(master, replica)
  expect(master.served()).toEqual([1, 1])
  expect(replica.call('LRANGE', 'log', '0', '-1')).toEqual(master.call('LRANGE', 'log', '0', '-1'))
})

test('a lost link is opened again at once', () => {
  const { world, master, replica } = pair()
  world.network.drop(master, replica)
  const startMs = world.network.nowMs
  world.until(() => replica.info('master_link_status') === 'up')
  expect(world.network.nowMs - startMs).toBeLessThan(20)
})

test('a cut longer than the backlog ends in a full copy', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-backlog-size': '16384' })
  const replica = world.replicaOf(master)
  world.network.cut(master, replica)
  for (let index = 0; index < 10; index++) master.call('SET', `k${index}`, 'x'.repeat(5000))
  world.network.join(master, replica)
  world.untilInStep(master, replica)
  expect(master.served()).toEqual([2, 0])
  expect(replica.get('k0')).toBe('x'.repeat(5000))
})

test('a transaction of which a part got lost is applied as a whole or not at all', () => {
  const { world, master, replica } = pair()
  const client = world.client(master)
  client.sendRaw('MULTI\r\nSET a 1\r\nSET b 2\r\nEXEC\r\n')
  world.until(() => master.get('b') === '2')
  // Played by hand: the first half of a transaction arrives, then the link breaks.
  world.network.drop(master, replica)
  expect([replica.get('a'), replica.get('b')]).toEqual([undefined, undefined])
  world.untilInStep(master, replica)
  expect([replica.get('a'), replica.get('b')]).toEqual(['1', '2'])
  expect(master.served()).toEqual([1, 1])
})

test('a promoted replica keeps its siblings without a full copy', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const [chosen, sibling] = [world.replicaOf(master), world.replicaOf(master)]
  master.call('SET', 'k', 'v')
  world.untilInStep(master, chosen)
  world.untilInStep(master, sibling)
  const oldId = master.info('master_replid')
  master.kill()
  chosen.promote()
  sibling.follow(chosen)
  world.untilInStep(chosen, sibling)
  expect(chosen.served()).toEqual([0, 1])
  expect([chosen.info('master_replid2'), sibling.info('master_replid2')]).toEqual([oldId, oldId])
  chosen.call('SET', 'k', 'w')
  world.untilInStep(chosen, sibling)
  expect(sibling.get('k')).toBe('w')
})

test('the first write after a promotion selects its database for whoever continues', () => {
  const world = new ReplicationWorld()
  // The same connection writes before and after.
  const first = world.node({ 'demotion-closes-clients': 'no' })
  const [second, sibling] = [world.replicaOf(first), world.replicaOf(first)]
  const client = world.client(first)
  client.call('SELECT', '5')
  client.call('SET', 'k', 'v')
  world.untilInStep(first, second)
  // The first master's own stream had database 5 selected; then it was another's turn.
  second.promote()
  first.follow(second)
  sibling.follow(second)
  second.call('SET', 'zero', 'v')
  world.untilInStep(second, first)
  world.untilInStep(second, sibling)
  first.promote()
  sibling.follow(first)
  client.call('SET', 'k', 'w')
  world.untilInStep(first, sibling)
  expect([sibling.get('k'), sibling.get('zero')]).toEqual([undefined, 'v'])
  expect(first.served()).toEqual([2, 1])
})

test('a promoted replica sends its own replicas away, so that they learn the new id', () => {
  const world = new ReplicationWorld()
  const top = world.node()
  const middle = world.replicaOf(top)
  const bottom = world.replicaOf(middle)
  world.run(1500)
  middle.promote()
  world.until(() => bottom.info('master_replid') === middle.info('master_replid'), 1000)
  expect(middle.served()).toEqual([1, 1])
})

test('a master demoted without writes of its own continues as a replica of its successor', () => {
  const { world, master, replica } = pair()
  master.call('SET', 'k', 'v')
  world.untilInStep(master, replica)
  replica.promote()
  master.follow(replica)
  world.untilInStep(replica, master)
  expect(replica.served()).toEqual([0, 1])
})

test('a master demoted with writes nobody else has loses them in a full copy', () => {
  const { world, master, replica } = pair()
  master.call('SET', 'common', 'x')
  world.untilInStep(master, replica)
  world.network.cut(master, replica)
  master.call('SET', 'lost', 'x')
  replica.promote()
  replica.call('SET', 'kept', 'x')
  world.network.join(master, replica)
  master.follow(replica)
  expect(master.get('lost')).toBe('x')
  world.untilInStep(replica, master)
  expect(replica.served()).toEqual([1, 0])
  expect([master.get('lost'), master.get('kept'), master.get('common')]).toEqual([
    undefined,
    'x',
    'x',
  ])
})

test('a promotion that is taken back before anything was written costs no full copy', () => {
  const { world, master, replica } = pair()
  const id = master.info('master_replid')
  const below = world.replicaOf(replica)
  replica.promote()
  world.untilInStep(replica, below)
  replica.follow(master)
  master.call('SET', 'k', 'v')
  world.untilInStep(master, replica)
  world.untilInStep(master, below)
  expect([master.served(), replica.info('master_replid'), below.get('k')]).toEqual([
    [1, 1],
    id,
    'v',
  ])
})

test('a promotion that is taken back goes on in the database the stream was at', () => {
  const { world, master, replica } = pair()
  const client = world.client(master)
  client.call('SELECT', '9')
  client.call('SET', 'k', 'before')
  world.untilInStep(master, replica)
  replica.promote()
  replica.follow(master)
  world.untilInStep(master, replica)
  // The master has no reason to select it again.
  client.call('SET', 'k', 'after')
  world.untilInStep(master, replica)
  expect([master.served(), replica.get('k')]).toEqual([[1, 1], undefined])
  expect(replica.call('DEBUG', 'DIGEST')).toEqual(master.call('DEBUG', 'DIGEST'))
  const reader = world.client(replica)
  reader.call('SELECT', '9')
  expect(reader.call('GET', 'k')).toEqual({ kind: 'bulk', bytes: 'after' })
})

test('following the master one follows already changes nothing', () => {
  const { world, master, replica } = pair()
  expect(replica.call('REPLICAOF', master.address, '6379')).toEqual(
    simple('OK Already connected to specified master'),
  )
  world.run(100)
  expect([replica.info('master_link_status'), ...master.served()]).toEqual(['up', 1, 0])
})

test('REPLICAOF NO ONE on a master changes nothing', () => {
  const { world, master, replica } = pair()
  const id = master.info('master_replid')
  expect(master.call('SLAVEOF', 'no', 'one')).toEqual(OK)
  world.run(100)
  expect([master.info('master_replid'), replica.info('master_link_status')]).toEqual([id, 'up'])
})

test('an impossible port is refused', () => {
  const { master } = pair()
  for (const port of ['-1', '65536', 'x', '']) {
    expect(master.call('REPLICAOF', '10.0.0.9', port)).toEqual(error('ERR Invalid master port'))
  }
})

test('a replica without its master keeps its offset, its data and its replicas', () => {
  const { world, master, replica } = pair()
  const below = world.replicaOf(replica)
  master.call('SET', 'k', 'v')
  world.untilInStep(master, below)
  master.kill()
  world.run(20_000)
  const offset = replica.info('slave_repl_offset')
  expect(offset).toBe(replica.info('master_repl_offset'))
  expect(Number(offset)).toBeGreaterThan(30)
  expect(Number(replica.info('master_link_down_since_seconds'))).toBeGreaterThanOrEqual(19)
  expect([replica.get('k'), below.info('master_link_status')]).toEqual(['v', 'up'])
})

test('a replica that never reached its master says so', () => {
  const world = new ReplicationWorld()
  const replica = world.node({ replicaof: '10.0.0.9 6379' })
  world.run(5000)
  expect([
    replica.info('master_link_down_since_seconds'),
    replica.info('slave_repl_offset'),
    replica.info('master_last_io_seconds_ago'),
  ]).toEqual(['-1', '1', '-1'])
})

test('a replica whose master is unreachable refuses replicas of its own', () => {
  const { world, master, replica } = pair()
  master.kill()
  world.run(10)
  expect(replica.call('PSYNC', '?', '-1')).toEqual(
    error("NOMASTERLINK Can't SYNC while not connected with my master"),
  )
})

test('a frozen master is left after repl-timeout and found again when it thaws', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master, { 'repl-timeout': '20' })
  master.isFrozen = true
  world.run(19_000)
  expect(replica.info('master_link_status')).toBe('up')
  world.run(4000)
  expect(replica.info('master_link_status')).toBe('down')
  master.isFrozen = false
  master.call('SET', 'k', 'v')
  world.untilInStep(master, replica)
  expect(replica.get('k')).toBe('v')
})

test('a link that was lost a moment ago has been down for no second, whatever the second', () => {
  for (const startMs of [0, 500, 900]) {
    const { world, master, replica } = pair()
    world.run(startMs)
    master.kill()
    world.run(150)
    expect(replica.info('master_link_down_since_seconds')).toBe('0')
  }
})

test('how long the link is down goes on to count when another master is named', () => {
  const { world, master, replica } = pair()
  replica.call('REPLICAOF', '10.0.0.99', '6379')
  world.run(5000)
  expect(replica.info('master_link_down_since_seconds')).toBe('5')
  replica.call('REPLICAOF', '10.0.0.98', '6379')
  world.run(5000)
  expect(replica.info('master_link_down_since_seconds')).toBe('10')
  replica.promote()
  replica.call('REPLICAOF', '10.0.0.99', '6379')
  expect(replica.info('master_link_down_since_seconds')).toBe('-1')
  replica.follow(master)
  world.untilInStep(master, replica)
  expect(replica.info('master_link_down_since_seconds')).toBeUndefined()
})

test('a full copy makes up for the commands that a replica could not carry out', () => {
  const { world, master, replica } = pair()
  replica.node.services.streamTarget.apply(['NOSUCHCOMMAND', 'k'])
  expect(replica.info('vedette_unapplied_commands')).toBe('1')
  replica.call('REPLICAOF', 'NO', 'ONE')
  replica.call('SET', 'own', 'history')
  replica.call('REPLICAOF', master.address, '6379')
  world.untilInStep(master, replica)
  expect(replica.info('vedette_unapplied_commands')).toBeUndefined()
})
