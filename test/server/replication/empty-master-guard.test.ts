/** Never the empty master: a restart without a disk must not become the loss of everything. */
import { expect, test } from 'vitest'
import { bulk, integer } from '../../../src/resp/reply.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'

const DATA = 20

function world() {
  const world = new ReplicationWorld()
  const master = world.node({ 'enable-debug-command': 'yes' })
  const replicas = [world.replicaOf(master), world.replicaOf(master)] as const
  for (let index = 0; index < DATA; index++) master.call('SET', `k${index}`, 'v')
  for (const replica of replicas) world.untilInStep(master, replica)
  return { world, master, replicas }
}

/** Another process at the master's address: the same name, nothing else. */
function restartEmpty(world: ReplicationWorld, master: TestNode): TestNode {
  master.kill()
  return world.restart(master, { keepsFiles: false })
}

function refusing(node: TestNode) {
  return node.info('replica_empty_master_guard')
}

test('a master that restarts without its data is not copied', () => {
  const { world: play, master, replicas } = world()
  const offset = replicas[0].offset
  const reborn = restartEmpty(play, master)
  play.run(30_000)
  for (const replica of replicas) {
    expect(replica.call('DBSIZE')).toEqual(integer(DATA))
    expect(replica.get('k7')).toBe('v')
    expect([
      refusing(replica),
      replica.info('replica_guard_master_offset'),
      replica.info('replica_guard_own_offset'),
      replica.info('slave_repl_offset'),
    ]).toEqual(['1', '0', String(offset), String(offset)])
    expect(replica.info('master_link_status')).toBe('down')
  }
  expect(reborn.call('DBSIZE')).toEqual(integer(0))
})

test('it stays a replica like any other whose link is down', () => {
  const { world: play, master, replicas } = world()
  restartEmpty(play, master)
  play.run(5500)
  const role = replicas[0].call('ROLE')
  const words = role.kind === 'array' ? role.items.slice(0, 4) : []
  expect(words).toEqual([bulk('slave'), bulk(master.address), integer(6379), bulk('connect')])
  expect(replicas[0].info('role')).toBe('slave')
})

test('it says why once, and asks again no more than once a second, without costing a snapshot', () => {
  const { world: play, master, replicas } = world()
  const reborn = restartEmpty(play, master)
  play.run(30_000)
  const told = replicas[0].logs.filter((line) => line.includes('is not copied'))
  expect(told).toHaveLength(1)
  expect(told[0]).toContain('CONFIG SET replica-empty-master-guard no')
  const snapshots = reborn.logs.filter((line) => line.includes('needs a full copy')).length
  expect(snapshots).toBeLessThanOrEqual(replicas.length)
})

test('writes to the empty master do not make it acceptable before it is as far as we are', () => {
  const { world: play, master, replicas } = world()
  const reborn = restartEmpty(play, master)
  play.run(2000)
  reborn.call('SET', 'fresh', 'x')
  play.run(5000)
  expect([refusing(replicas[0]), replicas[0].get('fresh')]).toEqual(['1', undefined])
})

test('a replica that may not ask names the right it needs, in its log and in INFO', () => {
  const play = new ReplicationWorld()
  const master = play.node({ appendonly: 'yes', appendfsync: 'always' })
  const rights = ['resetkeys', '-@all', '+psync', '+replconf', '+ping']
  const makeUser = (node: TestNode) => node.call('ACL', 'SETUSER', 'copier', 'on', '>pw', ...rights)
  makeUser(master)
  const replica = play.replicaOf(master, { masteruser: 'copier', masterauth: 'pw' })
  for (let index = 0; index < DATA; index++) master.call('SET', `k${index}`, 'v')
  play.untilInStep(master, replica)
  master.kill()
  const reborn = play.restart(master, { keepsFiles: true })
  makeUser(reborn)
  play.run(30_000)
  expect(replica.info('replica_guard_needs')).toBe('+info for user copier on the master')
  const told = replica.logs.find((line) => line.includes('is not copied'))
  expect(told).toContain('ACL SETUSER copier +info')
  // Being told to follow it again proves nothing about a master that cannot be asked.
  replica.follow(reborn)
  play.run(15_000)
  expect(refusing(replica)).toBe('1')
  reborn.call('ACL', 'SETUSER', 'copier', '+info')
  play.untilInStep(reborn, replica)
  expect([refusing(replica), replica.info('replica_guard_needs')]).toEqual([undefined, undefined])
})

test('a replica without data has nothing to protect', () => {
  const { world: play, master, replicas } = world()
  master.call('FLUSHALL')
  play.untilInStep(master, replicas[0])
  const reborn = restartEmpty(play, master)
  play.untilInStep(reborn, replicas[0])
  expect(refusing(replicas[0])).toBeUndefined()
})

test('an operator lets the copy through, and it comes at once', () => {
  const { world: play, master, replicas } = world()
  const reborn = restartEmpty(play, master)
  play.run(5000)
  replicas[0].call('CONFIG', 'SET', 'replica-empty-master-guard', 'no')
  const startMs = play.network.nowMs
  play.untilInStep(reborn, replicas[0])
  expect(play.network.nowMs - startMs).toBeLessThan(50)
  expect(replicas[0].call('DBSIZE')).toEqual(integer(0))
  expect([refusing(replicas[0]), refusing(replicas[1])]).toEqual([undefined, '1'])
})

test('with the guard off from the start the emptiness is copied, as Redis does', () => {
  const play = new ReplicationWorld()
  const master = play.node()
  const replica = play.replicaOf(master, { 'replica-empty-master-guard': 'no' })
  master.call('SET', 'k', 'v')
  play.untilInStep(master, replica)
  const reborn = restartEmpty(play, master)
  play.untilInStep(reborn, replica)
  expect(replica.call('DBSIZE')).toEqual(integer(0))
})

test('REPLICAOF to the refused master again is no confirmation', () => {
  const { world: play, master, replicas } = world()
  restartEmpty(play, master)
  play.run(5000)
  replicas[0].follow(master)
  play.run(5000)
  expect([refusing(replicas[0]), replicas[0].get('k7')]).toEqual(['1', 'v'])
})

test('going to another node and back does not make the empty master acceptable', () => {
  const { world: play, master, replicas } = world()
  restartEmpty(play, master)
  play.run(2000)
  replicas[0].call('REPLICAOF', '10.0.0.99', '6379')
  expect(refusing(replicas[0])).toBeUndefined()
  play.run(500)
  replicas[0].follow(master)
  play.run(5000)
  expect([refusing(replicas[0]), replicas[0].get('k7')]).toEqual(['1', 'v'])
})

test('a failover to a replica that has the data brings everybody in step, the empty master too', () => {
  const { world: play, master, replicas } = world()
  const reborn = restartEmpty(play, master)
  play.run(3000)
  const [chosen, sibling] = replicas
  chosen.promote()
  sibling.follow(chosen)
  reborn.follow(chosen)
  play.untilInStep(chosen, sibling)
  play.untilInStep(chosen, reborn)
  for (const node of [chosen, sibling, reborn]) {
    expect([refusing(node), node.call('DBSIZE')]).toEqual([undefined, integer(DATA)])
  }
  expect(chosen.logs.filter((line) => line.includes('continues from'))).toHaveLength(1)
})

test('a master whose data come back is followed again', () => {
  const { world: play, master, replicas } = world()
  const reborn = restartEmpty(play, master)
  play.run(3000)
  // Its data are put back by hand, and more than there was.
  const helper = play.replicaOf(reborn)
  for (let index = 0; index < 10 * DATA; index++) reborn.call('SET', `k${index}`, 'w')
  play.untilInStep(reborn, helper)
  play.untilInStep(reborn, replicas[0])
  expect([refusing(replicas[0]), replicas[0].get('k7')]).toEqual([undefined, 'w'])
})

test('a replica that restarts with its data protects them as well', () => {
  const { world: play, master, replicas } = world()
  replicas[0].call('SAVE')
  const { offset } = replicas[0]
  replicas[0].kill()
  restartEmpty(play, master)
  const back = play.restart(replicas[0], { keepsFiles: true })
  play.run(5000)
  expect([refusing(back), back.get('k7')]).toEqual(['1', 'v'])
  expect(back.info('replica_guard_own_offset')).toBe(String(offset))
})

test('a master that comes back with an old dump is not copied by who was further', () => {
  const { world: play, master, replicas } = world()
  master.call('SAVE')
  master.call('SET', 'late', 'x')
  play.untilInStep(master, replicas[0])
  master.kill()
  const reborn = play.restart(master, { keepsFiles: true })
  play.run(5000)
  expect([reborn.get('k7'), reborn.get('late')]).toEqual(['v', undefined])
  expect([refusing(replicas[0]), replicas[0].get('late')]).toEqual(['1', 'x'])
})

test('a master restarted from its append-only file has its data under a new history, and is followed', () => {
  const play = new ReplicationWorld()
  const master = play.node({ appendonly: 'yes' })
  const replica = play.replicaOf(master)
  for (let index = 0; index < DATA; index++) master.call('SET', `k${index}`, 'v')
  play.untilInStep(master, replica)
  master.kill()
  const reborn = play.restart(master, { keepsFiles: true })
  play.untilInStep(reborn, replica)
  expect([refusing(replica), replica.get('k7')]).toEqual([undefined, 'v'])
})

test('a master that came back with half of its keys is refused', () => {
  const { world: play, master, replicas } = world()
  const reborn = restartEmpty(play, master)
  play.run(20)
  for (let index = 0; index < DATA / 2; index++) reborn.call('SET', `k${index}`, 'v')
  play.run(3_000)
  expect([refusing(replicas[0]), replicas[0].get('k19')]).toEqual(['1', 'v'])
})

test.each([
  ['expired while it was down is followed', 500, undefined],
  ['lost keys that would live on is not', 3_600_000, '1'],
])('a master that came back without keys that %s', (_, lifeMs, guard) => {
  const { world: play, master, replicas } = world()
  for (let index = 0; index < 3 * DATA; index++)
    master.call('SET', `t${index}`, 'v', 'PX', `${lifeMs}`)
  play.untilInStep(master, replicas[0])
  master.kill()
  play.run(1000)
  const reborn = play.restart(master, { keepsFiles: false })
  for (let index = 0; index < DATA; index++) reborn.call('SET', `k${index}`, 'v')
  play.run(5000)
  expect(replicas[0].call('DBSIZE')).toEqual(integer(guard === undefined ? DATA : 4 * DATA))
  expect(refusing(replicas[0])).toBe(guard)
})

test('a chain below a replica that refuses keeps its data too', () => {
  const { world: play, master, replicas } = world()
  const below = play.replicaOf(replicas[0])
  restartEmpty(play, master)
  play.run(20_000)
  expect([below.get('k7'), below.info('master_link_status')]).toEqual(['v', 'up'])
})

test('a demoted master that was further than its successor is an ordinary fork, and is copied over', () => {
  const { world: play, master, replicas } = world()
  const [chosen] = replicas
  for (const replica of replicas) play.network.cut(master, replica)
  for (let index = 0; index < 50; index++) master.call('SET', `lost-${index}`, 'x')
  chosen.promote()
  play.network.join(master, chosen)
  master.follow(chosen)
  expect(master.offset).toBeGreaterThan(chosen.offset)
  play.untilInStep(chosen, master)
  expect([refusing(master), master.get('lost-7')]).toEqual([undefined, undefined])
})

test('a replica that was further than the one that is promoted is an ordinary fork too', () => {
  const { world: play, master, replicas } = world()
  const [behind, ahead] = replicas
  play.network.cut(master, behind)
  master.call('SET', 'lost', 'x')
  play.untilInStep(master, ahead)
  master.kill()
  behind.promote()
  ahead.follow(behind)
  play.untilInStep(behind, ahead)
  expect([refusing(ahead), ahead.get('lost')]).toEqual([undefined, undefined])
})

/** A master that saves, dies and comes back with a file that names its successor. */
function backAsReplica(world: ReplicationWorld, old: TestNode, successor: TestNode): TestNode {
  old.call('SAVE')
  old.kill()
  old.settings.load('replicaof', [successor.address, '6379'])
  return world.restart(old, { keepsFiles: true })
}

test('a master that comes back as the replica of its successor does not take it for empty, however much more it wrote', () => {
  const { world: play, master, replicas } = world()
  // No time passes, so none of it arrives.
  for (let index = 0; index < DATA; index++) master.call('SET', `late${index}`, 'x'.repeat(100))
  replicas[0].promote()
  const back = backAsReplica(play, master, replicas[0])
  play.untilInStep(replicas[0], back)
  expect([refusing(back), back.get('late1')]).toEqual([undefined, undefined])
})

test('a replica whose master comes back empty while it is away itself refuses the emptiness', () => {
  const { world: play, master, replicas } = world()
  const [replica] = replicas
  replica.call('SAVE')
  replica.kill()
  restartEmpty(play, master)
  const back = play.restart(replica, { keepsFiles: true })
  play.run(10_000)
  expect([refusing(back), back.call('DBSIZE')]).toEqual(['1', integer(DATA)])
})

/** The master has copied another one's shorter history, and is the master again. */
function detour() {
  const { world: play, master, replicas } = world()
  const first = play.node()
  const other = play.replicaOf(first)
  first.call('SET', 'other', 'v')
  play.untilInStep(first, other)
  other.call('REPLICAOF', 'NO', 'ONE')
  const [replica] = replicas
  master.call('REPLICAOF', other.address, '6379')
  play.untilInStep(other, master)
  return { play, master, replica }
}

test('a master that followed another one meanwhile is believed once the replica is told to follow it again (seed 20893)', () => {
  const { play, master, replica } = detour()
  master.call('REPLICAOF', 'NO', 'ONE')
  play.run(5_000)
  expect(refusing(replica)).toBe('1')
  replica.call('REPLICAOF', master.address, '6379')
  play.untilInStep(master, replica)
  expect(replica.get('other')).toBe('v')
})
