/** What a node that kept its data knows when it comes back, and what it may claim. */
import { expect, test } from 'vitest'
import { integer } from '../../../src/resp/reply.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'

function pair() {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master)
  master.call('SET', 'k', 'v')
  world.untilInStep(master, replica)
  return { world, master, replica }
}

function restart(world: ReplicationWorld, node: TestNode): TestNode {
  node.kill()
  return world.restart(node, { keepsFiles: true })
}

test('a replica that comes back goes on where its dump was', () => {
  const { world, master, replica } = pair()
  replica.call('SAVE')
  replica.kill()
  for (let index = 0; index < 10; index++) master.call('RPUSH', 'log', String(index))
  const back = world.restart(replica, { keepsFiles: true })
  world.untilInStep(master, back)
  expect(master.served()).toEqual([1, 1])
  expect(back.call('LLEN', 'log')).toEqual(integer(10))
})

test('a replica that comes back applies the stream to the database it was at', () => {
  const { world, master, replica } = pair()
  const client = world.client(master)
  client.call('SELECT', '5')
  client.call('SET', 'k', 'before')
  world.untilInStep(master, replica)
  replica.call('SAVE')
  const back = restart(world, replica)
  // The master has no reason to select it again.
  client.call('SET', 'k', 'after')
  world.untilInStep(master, back)
  const reader = world.client(back)
  reader.call('SELECT', '5')
  expect(reader.call('GET', 'k')).toEqual({ kind: 'bulk', bytes: 'after' })
  expect([master.served(), back.get('k')]).toEqual([[1, 1], 'v'])
})

test('a master that comes back and is told to follow applies the stream to the database it was at', () => {
  const { world, master, replica } = pair()
  const client = world.client(master)
  client.call('SELECT', '5')
  client.call('SET', 'k', 'before')
  world.untilInStep(master, replica)
  master.call('SAVE')
  // The replica has more than the dump, and nothing in it selects the database.
  client.call('SET', 'k', 'after')
  world.untilInStep(master, replica)
  master.kill()
  replica.promote()
  const back = world.restart(master, { keepsFiles: true })
  back.follow(replica)
  world.untilInStep(replica, back)
  expect([replica.served(), back.get('k')]).toEqual([[0, 1], 'v'])
  const reader = world.client(back)
  reader.call('SELECT', '5')
  expect(reader.call('GET', 'k')).toEqual({ kind: 'bulk', bytes: 'after' })
})

test('a replica that was promoted, wrote nothing and is back as a replica keeps the database it was at', () => {
  const { world, master, replica } = pair()
  const client = world.client(master)
  client.call('SELECT', '5')
  client.call('SET', 'k', 'before')
  world.untilInStep(master, replica)
  replica.promote()
  replica.call('SAVE')
  replica.kill()
  replica.settings.load('replicaof', [master.address, '6379'])
  const back = world.restart(replica, { keepsFiles: true })
  world.untilInStep(master, back)
  client.call('SET', 'k', 'after')
  world.untilInStep(master, back)
  expect([master.served(), back.get('k')]).toEqual([[1, 1], 'v'])
  const reader = world.client(back)
  reader.call('SELECT', '5')
  expect(reader.call('GET', 'k')).toEqual({ kind: 'bulk', bytes: 'after' })
})

test('a replica that never had a master keeps no position', () => {
  const world = new ReplicationWorld()
  const lone = world.node({ replicaof: '10.0.0.9 6379' })
  expect(lone.node.services.replication.position()).toBeUndefined()
  expect(world.node().node.services.replication.position()).toBeUndefined()
})

test('a position is where the data are, on a master with replicas and on a replica without its link', () => {
  const { world, master, replica } = pair()
  const place = { id: master.info('master_replid'), offset: master.offset, streamDb: 0 }
  expect(master.node.services.replication.position()).toEqual(place)
  expect(replica.node.services.replication.position()).toEqual({
    ...place,
    master: `${master.address}:6379`,
  })
  world.network.cut(master, replica)
  world.run(100)
  expect(replica.node.services.replication.position()).toMatchObject(place)
})

test('a master that comes back lets those go on who had no more than its dump', () => {
  const { world, master, replica } = pair()
  const id = master.info('master_replid')
  const { offset } = master
  master.call('SAVE')
  const back = restart(world, master)
  expect([
    back.info('master_replid2'),
    back.info('second_repl_offset'),
    back.info('master_repl_offset'),
  ]).toEqual([id, String(offset + 1), String(offset)])
  expect(back.info('master_replid')).not.toBe(id)
  back.call('SET', 'k', 'w')
  world.untilInStep(back, replica)
  expect([back.served(), replica.get('k')]).toEqual([[0, 1], 'w'])
})

test('a master that comes back with less than it told gives nobody a part', () => {
  const { world, master, replica } = pair()
  master.call('SAVE')
  master.call('SET', 'late', 'x')
  world.untilInStep(master, replica)
  const [id, next] = [replica.info('master_replid') ?? '', replica.offset + 1]
  const back = restart(world, master)
  const client = world.client(back)
  client.send('PSYNC', id, String(next))
  world.run(10)
  expect(client.take()).toContain('+FULLRESYNC')
})

test('keys that died while the master was away are deleted where they still live', () => {
  const { world, master, replica } = pair()
  master.call('SET', 'mortal', 'x', 'PX', '1000')
  world.untilInStep(master, replica)
  master.call('SAVE')
  master.kill()
  world.run(5000)
  const back = world.restart(master, { keepsFiles: true })
  world.untilInStep(back, replica)
  expect([back.served(), replica.call('DBSIZE')]).toEqual([[0, 1], integer(1)])
})

test('a master that comes back and is told to follow offers the history it was in', () => {
  const { world, master, replica } = pair()
  master.call('SAVE')
  master.kill()
  replica.promote()
  replica.call('SET', 'k', 'w')
  const back = world.restart(master, { keepsFiles: true })
  back.follow(replica)
  world.untilInStep(replica, back)
  expect([back.get('k'), replica.served()]).toEqual(['w', [0, 1]])
  expect(back.info('master_replid2')).toBe(replica.info('master_replid2'))
})

test('a master that comes back and has written since offers its own history', () => {
  const { world, master, replica } = pair()
  master.call('SAVE')
  master.kill()
  replica.promote()
  const back = world.restart(master, { keepsFiles: true })
  back.call('SET', 'lost', 'x')
  back.follow(replica)
  world.untilInStep(replica, back)
  expect([back.get('lost'), replica.served()]).toEqual([undefined, [1, 0]])
  expect(back.info('last_ledger_commands')).toBe('1')
})

test('a replica that was promoted by mistake and wrote nothing goes on with its master over a restart', () => {
  const { world, master, replica } = pair()
  replica.promote()
  replica.call('SAVE')
  replica.kill()
  replica.settings.load('replicaof', [master.address, '6379'])
  const back = world.restart(replica, { keepsFiles: true })
  master.call('SET', 'k', 'w')
  world.untilInStep(master, back)
  expect([back.get('k'), master.served()]).toEqual(['w', [1, 1]])
})

test('a replica of a lost branch that comes back keeps the difference', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const [behind, ahead] = [world.replicaOf(master), world.replicaOf(master)]
  world.network.cut(master, behind)
  master.call('SET', 'lost', 'x')
  world.untilInStep(master, ahead)
  ahead.call('SAVE')
  master.kill()
  behind.promote()
  behind.call('SET', 'kept', 'x'.repeat(1000))
  const back = restart(world, ahead)
  back.follow(behind)
  world.untilInStep(behind, back)
  expect([back.get('lost'), back.get('kept')]).toEqual([undefined, 'x'.repeat(1000)])
})
