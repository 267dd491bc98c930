import { expect, test } from 'vitest'
import { error, OK } from '../../../src/resp/reply.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'

/** A connection that has asked for everything and read its payload. */
function attached(world: ReplicationWorld, master: TestNode) {
  const client = world.client(master)
  client.call('REPLCONF', 'capa', 'eof', 'capa', 'psync2')
  client.send('PSYNC', '?', '-1')
  world.run(20)
  client.take()
  return client
}

const REFUSALS: { argv: string[]; text: string }[] = [
  { argv: ['REPLCONF', 'capa'], text: 'ERR syntax error' },
  { argv: ['REPLCONF', 'nosuch', '8.0'], text: 'ERR Unrecognized REPLCONF option: nosuch' },
  {
    argv: ['REPLCONF', 'rdb-only', '2'],
    text: 'ERR value is out of range, value must between 0 and 1',
  },
  {
    argv: ['REPLCONF', 'listening-port', 'x'],
    text: 'ERR value is not an integer or out of range',
  },
  { argv: ['PSYNC', '?', 'x'], text: 'ERR value is not an integer or out of range' },
  {
    argv: ['PSYNC', '?', '-1', 'FAILOVER'],
    text: "ERR PSYNC FAILOVER can't be sent to a master.",
  },
]

for (const { argv, text } of REFUSALS) {
  test(`${argv.join(' ')} is refused`, () => {
    expect(new ReplicationWorld().node().call(...argv)).toEqual(error(text))
  })
}

test('capabilities nobody knows are taken note of by saying OK', () => {
  const node = new ReplicationWorld().node()
  expect(node.call('REPLCONF', 'capa', 'dual-channel', 'capa', 'eof')).toEqual(OK)
})

test('an ACK of a stranger is not answered and makes no replica of it', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const client = world.client(master)
  client.send('REPLCONF', 'ACK', '100')
  world.run(10)
  expect([client.take(), master.info('connected_slaves')]).toEqual(['', '0'])
})

test('a replica is shown under the address it announces', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  world.replicaOf(master, { 'replica-announce-ip': '192.0.2.1', 'replica-announce-port': '99' })
  expect(master.info('slave0')).toContain('ip=192.0.2.1,port=99,state=online')
})

test('acknowledgements never go back', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const client = attached(world, master)
  client.send('REPLCONF', 'ACK', '50')
  client.send('REPLCONF', 'ACK', '20')
  world.run(5)
  expect(master.info('slave0')).toContain('offset=50')
})

test('what a replica asks besides is not answered into its stream', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const client = attached(world, master)
  client.send('REPLCONF', 'ACK', '0')
  client.send('GET', 'k')
  client.send('PING')
  client.send('PSYNC', '?', '-1')
  world.run(5)
  expect(client.take()).toBe('')
})

test('a replica still loading stays as long as it sends newlines', () => {
  const world = new ReplicationWorld()
  const master = world.node({ 'repl-timeout': '5' })
  const client = attached(world, master)
  for (let round = 0; round < 10; round++) {
    client.sendRaw('\n')
    world.run(2000)
  }
  expect([client.isClosed, master.info('connected_slaves')]).toEqual([false, '1'])
  world.run(7000)
  expect([client.isClosed, master.info('connected_slaves')]).toEqual([true, '0'])
})

test('a connection that asked for the payload only is closed after it', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const client = world.client(master)
  client.call('REPLCONF', 'rdb-only', '1')
  client.send('PSYNC', '?', '-1')
  world.run(20)
  expect(client.take()).toMatch(/^\+FULLRESYNC .*\r\n\$\d+\r\nREDIS/)
  expect([client.isClosed, master.info('connected_slaves')]).toEqual([true, '0'])
})

test('a partial resynchronisation names the history only to those who understand it', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  world.replicaOf(master)
  const client = world.client(master)
  client.send('PSYNC', master.info('master_replid') ?? '', String(master.offset + 1))
  world.run(5)
  expect(client.take()).toBe('+CONTINUE\r\n')
})

test('a master that hands over makes us the master and continues from us', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const replica = world.replicaOf(master)
  const [id, offset] = [master.info('master_replid') ?? '', String(master.offset + 1)]
  expect(replica.call('PSYNC', 'b'.repeat(40), offset, 'FAILOVER')).toEqual(
    error('ERR PSYNC FAILOVER replid must match my replid.'),
  )
  const client = world.client(replica)
  client.call('REPLCONF', 'capa', 'psync2')
  client.send('PSYNC', id, offset, 'FAILOVER')
  world.run(5)
  expect(replica.info('role')).toBe('master')
  expect(client.take()).toBe(`+CONTINUE ${replica.info('master_replid')}\r\n`)
})

test('REPLICAOF on the connection of a replica is refused without a word', () => {
  const world = new ReplicationWorld()
  const master = world.node()
  const client = attached(world, master)
  client.send('REPLICAOF', '10.0.0.9', '6379')
  world.run(5)
  expect([master.info('role'), client.take()]).toEqual(['master', ''])
})

test('credentials are shown to the master, and wrong ones keep the link down', () => {
  const world = new ReplicationWorld()
  const master = world.node({ requirepass: 'secret' })
  const replica = world.node({ replicaof: `${master.address} 6379`, masterauth: 'wrong' })
  world.run(3000)
  expect(replica.info('master_link_status')).toBe('down')
  replica.call('CONFIG', 'SET', 'masterauth', 'secret')
  world.until(() => replica.info('master_link_status') === 'up', 2000)
})
