/** WAITAOF, and replicas that keep an append-only file: who has what on disk. */
import { describe, expect, test } from 'vitest'
import { array, error, integer } from '../../../src/resp/reply.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'

const AOF = { appendonly: 'yes', save: '' }
const INCREMENT = 'appendonlydir/appendonly.aof.2.incr.aof'

function counts(local: number, replicas: number) {
  return array([integer(local), integer(replicas)])
}

/** A node whose disk begins to be slow. */
function slowDown(node: TestNode): TestNode {
  node.hasSlowFiles = true
  return node
}

describe('WAITAOF', () => {
  test('waits for our own disk', () => {
    const world = new ReplicationWorld()
    const master = slowDown(world.node(AOF))
    const client = world.client(master)
    client.call('SET', 'a', '1')
    client.send('WAITAOF', '1', '0', '0')
    world.run(500)
    expect(client.takeReply()).toBe(undefined)
    master.answerFiles()
    world.run(10)
    expect(client.takeReply()).toEqual(counts(1, 0))
  })

  test('answers at once if it need not wait, if nothing was written, and in a transaction', () => {
    const world = new ReplicationWorld()
    const master = slowDown(world.node(AOF))
    const client = world.client(master)
    expect(client.call('WAITAOF', '1', '0', '0')).toEqual(counts(1, 0))
    client.call('SET', 'a', '1')
    expect(client.call('WAITAOF', '0', '0', '0')).toEqual(counts(0, 0))
    client.call('MULTI')
    client.call('WAITAOF', '1', '1', '0')
    expect(client.call('EXEC')).toEqual(array([counts(0, 0)]))
  })

  test('says at the end of its time how far it is', () => {
    const world = new ReplicationWorld()
    const master = slowDown(world.node(AOF))
    const client = world.client(master)
    client.call('SET', 'a', '1')
    expect(client.call('WAITAOF', '1', '1', '100')).toEqual(counts(0, 0))
  })

  test('waits for the disks of replicas, and not for those that keep no file', () => {
    const world = new ReplicationWorld()
    const master = world.node(AOF)
    const replica = world.replicaOf(master, AOF)
    world.replicaOf(master, { save: '' })
    world.run(3_000)
    const client = world.client(master)
    client.call('SET', 'a', '1')
    expect(client.call('WAITAOF', '1', '1', '0')).toEqual(counts(1, 1))
    slowDown(replica)
    client.call('SET', 'a', '2')
    expect(client.call('WAIT', '2', '0')).toEqual(integer(2))
    expect(client.call('WAITAOF', '1', '1', '1500')).toEqual(counts(1, 0))
    client.send('WAITAOF', '0', '1', '0')
    world.run(500)
    expect(client.takeReply()).toBe(undefined)
    replica.answerFiles()
    world.run(10)
    expect(client.takeReply()).toEqual(counts(1, 1))
  })

  test('gives up when the file is switched off', () => {
    const world = new ReplicationWorld()
    const master = slowDown(world.node(AOF))
    const client = world.client(master)
    client.call('SET', 'a', '1')
    client.send('WAITAOF', '1', '0', '0')
    world.run(10)
    master.call('CONFIG', 'SET', 'appendonly', 'no')
    world.run(10)
    expect(client.takeReply()).toMatchObject({ text: expect.stringContaining('disabled') })
  })

  test('counts nothing as long as the files do not have everything', () => {
    const world = new ReplicationWorld()
    const master = slowDown(world.node({ save: '' }))
    const client = world.client(master)
    master.answerFiles()
    master.call('CONFIG', 'SET', 'appendonly', 'yes')
    client.call('SET', 'a', '1')
    expect(client.call('WAITAOF', '1', '0', '50')).toEqual(counts(0, 0))
    client.send('WAITAOF', '1', '0', '0')
    for (let round = 0; round < 50; round++) {
      world.run(10)
      master.answerFiles()
    }
    expect(client.takeReply()).toEqual(counts(1, 0))
  })

  test.each([
    [['2', '0', '0'], 'ERR value is out of range, value must between 0 and 1'],
    [['x', '0', '0'], 'ERR value is out of range, value must between 0 and 1'],
    [['1', '-1', '0'], 'ERR value is out of range, must be positive'],
    [['1', '0', 'x'], 'ERR timeout is not an integer or out of range'],
    [['1', '0', '-1'], 'ERR timeout is negative'],
    [
      ['1', '0', '0'],
      'ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.',
    ],
  ])('%j is refused', (words, text) => {
    const node = new ReplicationWorld().node({ save: '' })
    expect(node.call('WAITAOF', ...words)).toEqual(error(text))
  })

  test('is refused on a replica', () => {
    const world = new ReplicationWorld()
    const replica = world.replicaOf(world.node(), AOF)
    const reply = replica.call('WAITAOF', '1', '0', '0')
    expect(reply).toMatchObject({ text: expect.stringContaining('with replica instances') })
  })
})

describe('a replica with an append-only file', () => {
  test('keeps what its master tells it, and starts from that', () => {
    const world = new ReplicationWorld()
    const master = world.node({ save: '' })
    master.call('SET', 'before', '1')
    const replica = world.replicaOf(master, AOF)
    world.run(2_000)
    master.call('SET', 'short', '1', 'PX', '10')
    master.call('SADD', 'set', 'a')
    master.call('SPOP', 'set')
    master.call('PUBLISH', 'channel', 'message')
    world.run(1_000)
    expect(replica.files.read(INCREMENT)).toContain('short')
    expect(replica.files.read(INCREMENT)).toContain('DEL')
    expect(replica.files.read(INCREMENT)).not.toContain('PUBLISH')
    expect(replica.files.read(INCREMENT)).not.toContain('ping')
    const digest = replica.call('DBSIZE')
    replica.kill()
    const alone = world.restart(replica, { keepsFiles: true })
    expect(alone.call('DBSIZE')).toEqual(digest)
    expect(alone.get('before')).toBe('1')
  })

  test('keeps what its own clients write, if they may', () => {
    const world = new ReplicationWorld()
    const replica = world.replicaOf(world.node({ save: '' }), { ...AOF, 'replica-read-only': 'no' })
    world.run(2_000)
    replica.call('SET', 'mine', '1')
    expect(replica.files.read(INCREMENT)).toContain('mine')
  })
})
