/** FAILOVER with the original on the other side: a real master hands over to ours, and ours to a real one. */
import { describe, expect, test } from 'vitest'
import {
  HOST,
  hasRedisServer,
  type RealNode,
  replicationField,
  startOurs,
  startRedis,
} from '../support/real-nodes.ts'
import { nodesOfTest } from '../support/test-nodes.ts'
import { until } from '../support/until.ts'

const nodes = nodesOfTest()
const AT_ONCE = { 'repl-diskless-sync-delay': '0' }

async function pair(
  startMaster: typeof startOurs,
  startReplica: typeof startOurs,
): Promise<[RealNode, RealNode]> {
  const master = await startMaster(AT_ONCE)
  nodes.push(master)
  const replica = await startReplica(AT_ONCE)
  nodes.push(replica)
  await replica.client.replicaof(HOST, master.port)
  await until(async () => (await replicationField(replica, 'master_link_status')) === 'up')
  return [master, replica]
}

/** Writes until it is told that the role is gone; gives the keys that were acknowledged. */
async function writeUntilRefused({ client }: RealNode): Promise<string[]> {
  const acknowledged: string[] = []
  for (let index = 0; index < 100_000; index++) {
    try {
      await client.set(`key-${index}`, 'v')
      acknowledged.push(`key-${index}`)
    } catch (error) {
      expect(String(error)).toContain('READONLY')
      return acknowledged
    }
  }
  throw new Error('nobody has taken the role')
}

const REFUSED = [
  'foo',
  'ABORT',
  'ABORT now',
  'TO HOST',
  'TO HOST x',
  'TIMEOUT',
  'TIMEOUT x',
  'TIMEOUT 0',
  'TIMEOUT -5',
  'TIMEOUT 5 TIMEOUT 6',
  'TO a 1 TO b 2',
  'FORCE',
  'FORCE TIMEOUT 5',
  'TO 1.1.1.1 1',
  'TO 1.1.1.1 1 FORCE',
  'TO 1.1.1.1 1 FORCE TIMEOUT 0',
  'TO 1.1.1.1 1 FORCE TIMEOUT 5',
]

async function refusals({ client }: RealNode): Promise<readonly string[]> {
  const replies: string[] = []
  for (const words of REFUSED) {
    const reply = client.call('FAILOVER', ...words.split(' '))
    replies.push(`${words}: ${await reply.then(String, (error: Error) => error.message)}`)
  }
  return replies
}

describe.skipIf(!hasRedisServer)('with redis-server', () => {
  test('what is refused, and how, on a master, on a replica and on a node alone', async () => {
    const [real, realReplica] = await pair(startRedis, startRedis)
    const [ours, ourReplica] = await pair(startOurs, startOurs)
    expect(await refusals(ours)).toEqual(await refusals(real))
    expect(await refusals(ourReplica)).toEqual(await refusals(realReplica))
    await ourReplica.client.replicaof('NO', 'ONE')
    await realReplica.client.replicaof('NO', 'ONE')
    expect(await refusals(ourReplica)).toEqual(await refusals(realReplica))
  })

  for (const [title, startMaster, startReplica] of [
    ['a real master to our replica', startRedis, startOurs],
    ['our master to a real replica', startOurs, startRedis],
    ['our master to our replica', startOurs, startOurs],
  ] as const) {
    test(`${title}: under writes nothing is lost, and nothing is copied anew`, async () => {
      const [master, replica] = await pair(startMaster, startReplica)
      const before = await replica.syncs()
      const writing = writeUntilRefused(master)
      await until(async () => (await replica.client.dbsize()) > 50)
      const second = master.client.duplicate()
      expect(await second.call('FAILOVER', 'TO', HOST, replica.port, 'TIMEOUT', '10000')).toBe('OK')
      second.disconnect()
      const acknowledged = await writing
      await until(async () => (await replicationField(replica, 'role')) === 'master')
      expect(await replica.client.exists(...acknowledged)).toBe(acknowledged.length)
      await until(async () => (await replicationField(master, 'master_link_status')) === 'up')
      expect(await replicationField(master, 'master_failover_state')).toBe('no-failover')
      const [full, partial] = await replica.syncs()
      expect([full - before[0], partial - before[1]]).toEqual([0, 1])
      await replica.client.set('after', 'v')
      await until(async () => (await master.client.get('after')) === 'v')
    })
  }
})
