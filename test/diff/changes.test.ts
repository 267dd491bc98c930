/**
 * `rdb_changes_since_last_save` after each of the commands that count more than once, or not at all, side by
 * side with a real redis-server.
 */
import { describe, expect, test } from 'vitest'
import { COUNTED } from '../support/counted-changes.ts'
import { hasRedisServer, type RealNode } from '../support/real-nodes.ts'
import { bothServers } from '../support/test-nodes.ts'
import { until } from '../support/until.ts'

const READ_LATER = 'XREADGROUP GROUP g late BLOCK 0 STREAMS waited >'

describe.skipIf(!hasRedisServer)('changes for save points (need redis-server)', () => {
  const servers = bothServers({ save: '' })

  test('redis-server counts each command as we do', async () => {
    const [ours, theirs] = await Promise.all(servers.map(countAll))
    expect(ours).toEqual(theirs)
    expect(ours).toEqual(COUNTED)
  })

  test('what a reader in a group gets after it has waited is no change of its own', async () => {
    expect(await Promise.all(servers.map(countLateRead))).toEqual([2, 2])
  })

  test.each([
    ['BLPOP l 0', 1],
    ['BRPOPLPUSH l m 0', 1],
    ['BLMOVE l m LEFT LEFT 0', 1],
    ['BLMPOP 0 1 l LEFT', 2],
  ])('what %s takes after it has waited', async (command, count) => {
    expect(await Promise.all(servers.map((one) => countWaiting(one, command)))).toEqual([
      count,
      count,
    ])
  })
})

async function countAll(server: RealNode): Promise<[string, number][]> {
  await server.client.flushall()
  const counts: [string, number][] = []
  for (const [command] of COUNTED) counts.push([command, await counted(server, command)])
  return counts
}

/** The entry is one change, the new consumer another. */
async function countLateRead(server: RealNode): Promise<number> {
  await say(server, 'XGROUP CREATE waited g 0 MKSTREAM')
  const reader = server.client.duplicate()
  const [command = '', ...words] = READ_LATER.split(' ')
  const read = reader.call(command, ...words)
  await until(async () => (await server.client.info('clients')).includes('blocked_clients:1'))
  const count = await counted(server, 'XADD waited 1-1 f v')
  await read
  reader.disconnect()
  return count
}

/** How many changes a push is of one element, which a client that waits takes at once. */
async function countWaiting(server: RealNode, text: string): Promise<number> {
  await say(server, 'DEL l m')
  const waiting = server.client.duplicate()
  const [command = '', ...words] = text.split(' ')
  const taken = waiting.call(command, ...words)
  await until(async () => (await server.client.info('clients')).includes('blocked_clients:1'))
  const count = await counted(server, 'RPUSH l x')
  await taken
  waiting.disconnect()
  return count
}

async function counted(server: RealNode, command: string): Promise<number> {
  const before = await changes(server)
  await say(server, command)
  return (await changes(server)) - before
}

async function say({ client }: RealNode, text: string): Promise<void> {
  const [command = '', ...words] = text.split(' ')
  await client.call(command, ...words).catch(() => undefined)
}

async function changes({ client }: RealNode): Promise<number> {
  const text = await client.info('persistence')
  return Number(/^rdb_changes_since_last_save:(\d+)\r$/m.exec(text)?.[1])
}
