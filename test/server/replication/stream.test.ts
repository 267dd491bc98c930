import { expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { error, integer } from '../../../src/resp/reply.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'
import { ScriptedMaster } from '../../support/scripted-master.ts'

const GETACK = encodeCommand(['REPLCONF', 'GETACK', '*'])
const PING = encodeCommand(['ping'])

function ack(offset: number): string {
  return encodeCommand(['REPLCONF', 'ACK', String(offset)])
}

/** A replica in step, at offset 1000, with a master the test plays. */
function scripted() {
  const world = new ReplicationWorld()
  const master = new ScriptedMaster(world.network, '10.0.2.1')
  const replica = world.node({ replicaof: `${master.address} 6379` })
  world.until(() => master.isStreaming)
  world.run(5)
  master.take()
  return { world, master, replica }
}

test('the answer to GETACK is the offset before it, and newlines count with the next command', () => {
  const { world, master } = scripted()
  const answers: string[] = []
  for (const bytes of [GETACK, GETACK, `\n\r\n${GETACK}`, PING + GETACK]) {
    master.send(bytes)
    world.run(5)
    answers.push(master.take())
  }
  expect(answers).toEqual([ack(1000), ack(1037), ack(1074), ack(1128)])
})

test('a command that has not arrived whole does not move the offset', () => {
  const { world, master, replica } = scripted()
  master.send('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1')
  world.run(5)
  expect([replica.info('slave_repl_offset'), replica.info('slave_read_repl_offset')]).toEqual([
    '1000',
    '1022',
  ])
  master.send('\r\nv\r\n')
  world.run(5)
  expect([replica.offset, replica.get('k')]).toEqual([1027, 'v'])
})

test('a transaction moves the offset as a whole, and GETACK inside it is answered from before it', () => {
  const { world, master, replica } = scripted()
  master.send(encodeCommand(['MULTI']) + encodeCommand(['SET', 'k', 'v']) + GETACK)
  world.run(5)
  expect([replica.offset, replica.get('k'), master.take()]).toEqual([1000, undefined, ''])
  master.send(encodeCommand(['EXEC']))
  world.run(5)
  expect([replica.offset, replica.get('k'), master.take()]).toEqual([1093, 'v', ack(1000)])
})

test('a transaction cut off by the link is asked for again from its beginning', () => {
  const { world, master, replica } = scripted()
  master.send(encodeCommand(['MULTI']) + encodeCommand(['SET', 'k', 'v']))
  world.run(1500)
  master.hangUp()
  world.until(() => master.psync !== undefined)
  expect(master.psync).toEqual([master.id, '1001'])
  master.send(`+CONTINUE\r\n${encodeCommand(['SET', 'l', 'w'])}`)
  world.run(5)
  expect([replica.get('k'), replica.get('l'), replica.offset]).toEqual([undefined, 'w', 1027])
})

test('an inline command on the link is damage: the next resynchronisation is a full one', () => {
  const { world, master } = scripted()
  master.send('PING\r\n')
  world.until(() => master.psync !== undefined)
  expect(master.psync).toEqual(['?', '-1'])
})

test('a master that answers in another history gives its id to everybody below', () => {
  const { world, master, replica } = scripted()
  const below = world.replicaOf(replica)
  world.run(1500)
  master.hangUp()
  world.until(() => master.psync !== undefined)
  master.send(`+CONTINUE ${'b'.repeat(40)}\r\n`)
  world.until(() => below.info('master_replid') === 'b'.repeat(40), 1000)
  expect([replica.info('master_replid2'), below.info('master_replid2')]).toEqual([
    master.id,
    master.id,
  ])
  expect(replica.info('second_repl_offset')).toBe(String(replica.offset + 1))
})

test('a replica acknowledges once a second', () => {
  const { world, master } = scripted()
  world.run(3000)
  expect(master.take()).toBe(ack(1000).repeat(3))
})

test('a replica passes on the very bytes it got, and nothing of its own', () => {
  const { world, master, replica } = scripted()
  const below = world.client(replica)
  below.call('REPLCONF', 'capa', 'eof', 'capa', 'psync2')
  below.send('PSYNC', master.id, '1001')
  world.run(5)
  expect(below.take()).toBe(`+CONTINUE ${master.id}\r\n`)
  const stream = `${encodeCommand(['select', '3'])}${PING}${GETACK}${encodeCommand(['set', 'k', 'v'])}`
  master.send(stream)
  world.run(3000)
  expect(below.take()).toBe(stream)
})

test('the database a chained replica starts with is the one the stream has selected', () => {
  const { world, master, replica } = scripted()
  master.send(encodeCommand(['SELECT', '3']))
  world.run(5)
  const below = world.replicaOf(replica)
  master.send(encodeCommand(['SET', 'k', 'v']))
  world.run(5)
  const client = world.client(below)
  client.call('SELECT', '3')
  expect(client.call('GET', 'k')).toMatchObject({ bytes: 'v' })
})

test('commands nobody knows are counted and otherwise ignored', () => {
  const { world, master, replica } = scripted()
  const stream = encodeCommand(['NOSUCH', 'thing']) + encodeCommand(['SET', 'k', 'v'])
  master.send(stream)
  world.run(5)
  expect([replica.offset, replica.get('k')]).toEqual([1000 + stream.length, 'v'])
})

test('a master pings its replicas, and that is part of the history', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-ping-replica-period': '2' })
  const replica = world.replicaOf(master)
  world.run(1100)
  const before = master.offset
  world.run(6000)
  expect(master.offset - before).toBe(3 * PING.length)
  world.run(5)
  expect(replica.offset).toBe(master.offset)
})

test('a chain of replicas stands at the same place as its top', () => {
  const world = new ReplicationWorld()
  const top = world.node()
  const middle = world.replicaOf(top)
  const bottom = world.replicaOf(middle)
  top.call('SET', 'k', 'v')
  world.untilInStep(top, bottom)
  expect(bottom.get('k')).toBe('v')
  expect(bottom.info('master_replid')).toBe(top.info('master_replid'))
})

test('expiry is decided by the master alone', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master)
  master.call('SET', 'k', 'v', 'PX', '1000')
  world.untilInStep(master, replica)
  world.network.cut(master, replica)
  world.run(5000)
  expect([replica.get('k'), replica.call('DBSIZE')]).toEqual([undefined, integer(1)])
  expect(replica.call('EXISTS', 'k')).toEqual(integer(0))
  world.network.join(master, replica)
  expect(master.get('k')).toBeUndefined()
  world.untilInStep(master, replica)
  expect(replica.call('DBSIZE')).toEqual(integer(0))
})

test('a promoted replica expires what its master did not live to delete', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master)
  master.call('SET', 'k', 'v', 'PX', '1000')
  world.untilInStep(master, replica)
  master.kill()
  world.run(2000)
  replica.promote()
  expect(replica.get('k')).toBeUndefined()
  expect(replica.call('DBSIZE')).toEqual(integer(0))
})

test('a replica refuses writes of its clients', () => {
  const world = new ReplicationWorld()
  const replica = world.replicaOf(world.node())
  expect(replica.call('SET', 'k', 'v')).toEqual(
    error("READONLY You can't write against a read only replica."),
  )
})

test('local writes on a writable replica move no offset', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master, { 'replica-read-only': 'no' })
  const before = replica.offset
  replica.call('SET', 'local', 'x')
  expect([replica.get('local'), replica.offset]).toEqual(['x', before])
})

function writeAll(node: TestNode, count: number): void {
  for (let index = 0; index < count; index++) node.call('SET', 'k', 'x'.repeat(1000))
}

test('a replica that takes nothing is dropped at the output limit', () => {
  const world = new ReplicationWorld()
  const master = world.node({
    'client-output-buffer-limit': 'replica 2mb 0 0',
    'repl-backlog-size': '16384',
  })
  const replica = world.replicaOf(master)
  world.run(1500)
  replica.isFrozen = true
  writeAll(master, 1000)
  world.run(1500)
  expect(master.info('connected_slaves')).toBe('1')
  writeAll(master, 1500)
  world.run(1500)
  expect(master.info('connected_slaves')).toBe('0')
})

test('a replica that acknowledges nothing is dropped after repl-timeout', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-timeout': '5' })
  const replica = world.replicaOf(master)
  replica.isFrozen = true
  world.run(4500)
  expect(master.info('connected_slaves')).toBe('1')
  world.run(3000)
  expect(master.info('connected_slaves')).toBe('0')
})

test('a backlog nobody has used for repl-backlog-ttl is freed, and the history with it', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-backlog-ttl': '10' })
  const replica = world.replicaOf(master)
  const id = master.info('master_replid')
  replica.kill()
  world.run(9000)
  expect(master.info('repl_backlog_active')).toBe('1')
  world.run(4000)
  expect(master.info('repl_backlog_active')).toBe('0')
  expect(master.info('master_replid')).not.toBe(id)
})
