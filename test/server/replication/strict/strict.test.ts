/** Strict replication on three nodes: fences, promotions, and what clients see meanwhile. */
import { expect, test } from 'vitest'
import { bulk, OK, type Reply } from '../../../../src/resp/reply.ts'
import { ReplicationWorld, type TestNode } from '../../../support/replication-harness.ts'
import { fence, group, LEADER, promote, STRICT, VOTERS } from '../../../support/strict-group.ts'

const PING_BYTES = 14

test('a node without a term answers nothing on data, and says why', () => {
  const world = new ReplicationWorld()
  const node = world.node(STRICT)
  expect(node.call('GET', 'a')).toMatchObject({
    kind: 'error',
    text: expect.stringMatching(/^NOSYNCREPLICAS /),
  })
  expect(node.call('SET', 'a', '1')).toMatchObject({ kind: 'error' })
  expect(node.call('PING')).toMatchObject({ text: 'PONG' })
})

test('a write is answered when a voter has it, and not before', () => {
  const { world, master, one, two } = group()
  const client = world.client(master)
  expect(client.call('SET', 'a', '1')).toEqual(OK)
  world.network.cut(master, one)
  world.network.cut(master, two)
  client.send('SET', 'a', '2')
  const reader = world.client(master)
  reader.send('GET', 'a')
  reader.send('PING')
  world.run(1_000)
  expect(client.takeReply()).toBe(undefined)
  expect(reader.take()).toBe('')
})

test('what has waited for too long is never sent: the connection is closed, and later commands are refused', () => {
  const { world, master, one, two } = group()
  const client = world.client(master)
  client.call('SET', 'a', '1')
  for (const node of [one, two]) world.network.cut(master, node)
  client.send('SET', 'a', '2')
  world.run(5_100)
  expect([client.isClosed, client.take()]).toEqual([true, ''])
  const late = world.client(master)
  expect(textOf(late.call('GET', 'a'))).toMatch(/^NOSYNCREPLICAS too few voters/)
  for (const node of [one, two]) world.network.join(master, node)
  world.until(() => late.call('GET', 'a').kind !== 'error')
  expect(late.call('GET', 'a')).toEqual(bulk('2'))
})

test('scripts, transactions, blocked clients and messages wait like any write', () => {
  const { world, master, one, two } = group()
  const blocked = world.client(master)
  blocked.send('BLPOP', 'list', '0')
  const listener = world.client(master)
  listener.call('SUBSCRIBE', 'news')
  world.run(10)
  for (const node of [one, two]) world.network.cut(master, node)
  const script = world.client(master)
  script.send('EVAL', "return redis.call('INCR', KEYS[1])", '1', 'n')
  const transaction = world.client(master)
  for (const argv of [['MULTI'], ['INCR', 'n'], ['EXEC']]) transaction.send(...argv)
  const other = world.client(master)
  other.send('RPUSH', 'list', 'x')
  other.send('PUBLISH', 'news', 'y')
  world.run(100)
  const heard = [blocked, listener, script, other].map((client) => client.take())
  expect(heard).toEqual(['', '', '', ''])
  expect(transaction.take()).not.toContain('*1')
})

test('FLUSHALL that has waited for the disk waits for voters as well', () => {
  const { world, master, one, two } = group()
  world.client(master).call('CONFIG', 'SET', 'save', '3600 1')
  const client = world.client(master)
  expect(client.call('FLUSHALL')).toEqual(OK)
  for (const node of [one, two]) world.network.cut(master, node)
  client.send('FLUSHALL')
  world.run(1_000)
  expect(client.take()).toBe('')
})

test('INFO and PING answer while writes wait, unless they stand behind one', () => {
  const { world, master, one, two } = group()
  for (const node of [one, two]) world.network.cut(master, node)
  const client = world.client(master)
  client.send('SET', 'a', '1')
  expect(world.client(master).call('PING')).toMatchObject({ text: 'PONG' })
  client.send('PING')
  world.run(10)
  expect(client.take()).toBe('')
  expect(master.info('sync_clients_waiting')).toBe('1')
})

test('a fenced voter takes nothing more of its master, and answers with its history', () => {
  const { world, master, one } = group()
  const client = world.client(master)
  client.call('SET', 'a', '1')
  world.run(10)
  const { offset } = one
  const answer = fence(one, 2)
  expect(words(answer)).toEqual(['2', '1', String(offset), 'voter', expect.any(String)])
  client.send('SET', 'a', '2')
  world.run(100)
  expect(one.offset).toBe(offset)
  expect(client.take()).toBe('+OK\r\n')
})

test('with two of three voters fenced the old master has nobody left to acknowledge', () => {
  const { world, master, one, two } = group()
  const client = world.client(master)
  client.call('SET', 'a', '1')
  fence(one, 2)
  fence(two, 2)
  client.send('SET', 'a', 'lost')
  world.run(1_000)
  expect(client.take()).toBe('')
  // The replicas come back to it with the newer term.
  expect(master.info('sync_state')).toBe('idle')
  expect(textOf(world.client(master).call('GET', 'a'))).toMatch(/^NOSYNCREPLICAS/)
})

test('the promoted voter answers nothing before another has its first entry', () => {
  const { world, master, one, two } = group()
  const client = world.client(master)
  client.call('SET', 'a', '1')
  master.kill()
  for (const node of [one, two]) expect(words(fence(node, 2))[3]).toBe('voter')
  expect(promote(one, 2)).toEqual(OK)
  const reader = world.client(one)
  reader.send('GET', 'a')
  world.run(100)
  expect(reader.take()).toBe('')
  two.follow(one)
  world.until(() => reader.input !== '')
  expect(reader.takeReply()).toEqual(bulk('1'))
  expect(two.info('sync_history_term')).toBe('2')
})

test('a fence is refused in an older term, by another leader of the same term, and once the term has its master', () => {
  const { master, one } = group()
  expect(textOf(fence(one, 1, 'b'.repeat(40)))).toMatch(/^STALETERM/)
  expect(textOf(fence(one, 1))).toMatch(/^STALETERM/)
  expect(textOf(fence(master, 1))).toMatch(/^STALETERM/)
  expect(words(fence(one, 3))[0]).toBe('3')
  expect(textOf(fence(one, 2))).toMatch(/^STALETERM/)
  expect(textOf(promote(one, 2))).toMatch(/^STALETERM/)
  expect(textOf(promote(one, 3, 'b'.repeat(40)))).toMatch(/^STALETERM/)
})

test('other voters than those of the term are refused', () => {
  const { one } = group()
  const answer = one.call('FENCE', '2', LEADER, 'ASK', '1', 'normal', ...VOTERS, '10.0.0.4:6379')
  expect(textOf(answer)).toMatch(/^SYNCVOTERS the voters of term 1 are 1\|normal\|10\.0\.0\.1/)
})

test('voters count whose addresses are IPv6, however they are written and announced', () => {
  const world = new ReplicationWorld()
  const [master, one, two] = [1, 2, 3].map((n) => {
    const announced = n === 3 ? { 'replica-announce-ip': '2001:DB8:0::3' } : {}
    return world.node({ ...STRICT, ...announced }, '2001:db8::')
  }) as [TestNode, TestNode, TestNode]
  const voters = ['[2001:db8::1]:6379', '[2001:0DB8::2]:6379', '2001:db8:0:0::3:6379']
  const layout = ['1', 'normal', ...voters]
  for (const node of [master, one, two]) node.call('FENCE', '1', LEADER, 'ASK', ...layout)
  expect(promote(master, 1)).toEqual(OK)
  for (const node of [one, two]) node.follow(master)
  for (const node of [one, two]) world.until(() => node.info('sync_voter') === '1')
  expect(world.client(master).call('SET', 'a', '1')).toEqual(OK)
  const { offset } = master
  expect(master.info('sync_acknowledged')).toBe(
    `[2001:db8::2]:6379=${offset} [2001:db8::3]:6379=${offset}`,
  )
})

test('bad words of FENCE are refused', () => {
  const node = new ReplicationWorld().node(STRICT)
  const refused = [
    ['0', LEADER, 'PROMOTE'],
    ['x', LEADER, 'PROMOTE'],
    ['1', 'a b', 'PROMOTE'],
    ['1', LEADER, 'ASK', '1', 'normal'],
    ['1', LEADER, 'ASK', '1', 'dirty', 'a:1'],
    ['1', LEADER, 'ASK', '-1', 'normal', 'a:1'],
    ['1', LEADER, 'ASK', '1', 'normal', 'a:1', 'a:1'],
    ['1', LEADER, 'ASK', '1', 'normal', 'a:1', 'b'],
    ['1', LEADER, 'FORCE', '2', 'normal', 'a:1', 'b:1'],
    ['1', LEADER, 'FORCE', '0', 'normal', 'a:1', 'b:1'],
    ['1', LEADER, 'FORCE', '1', 'normal'],
    ['1', LEADER, 'PROMOTE', '1', 'normal', 'a:1'],
    ['1', LEADER, 'WISH', '1', 'normal', 'a:1'],
  ]
  for (const argv of refused) {
    // Replies are byte strings: another character would arrive as another one.
    expect(textOf(node.call('FENCE', ...argv)), argv.join(' ')).toMatch(/^ERR [ -~]+$/)
  }
  expect(node.info('sync_term')).toBe('0')
})

test('the term is on disk before the fence is answered, and outlives the process', () => {
  const { world, one, two } = group()
  one.hasSlowFiles = true
  const asker = world.client(one)
  asker.send('FENCE', '2', LEADER, 'ASK', '1', 'normal', ...VOTERS)
  world.run(10)
  for (let step = 0; step < 4; step++) {
    expect(asker.take()).toBe('')
    one.answerFiles()
    world.run(10)
  }
  expect(asker.take()).toMatch(/^\*5\r\n\$1\r\n2/)
  fence(two, 2)
  two.kill()
  const again = world.restart(two, { keepsFiles: true })
  expect(again.info('sync_term')).toBe('2')
  expect(textOf(fence(again, 1))).toMatch(/^STALETERM/)
})

test('a voter that lost its memory is none before it has caught up', () => {
  const { world, master, one } = group()
  const client = world.client(master)
  client.call('SET', 'a', '1')
  one.kill()
  const again = world.restart(one, { keepsFiles: true })
  expect(again.info('sync_voter')).toBe('0')
  world.until(() => again.info('sync_voter') === '1')
  again.kill()
  const emptied = world.restart(again, { keepsFiles: false })
  world.network.cut(master, emptied)
  expect(words(fence(emptied, 2)).slice(1)).toEqual(['0', '0', 'new', expect.any(String)])
})

test('a restarted master is no master, and what it holds is no vote', () => {
  const { world, master } = group()
  world.client(master).call('SET', 'a', '1')
  master.kill()
  const again = world.restart(master, { keepsFiles: true })
  expect(again.info('sync_state')).toBe('idle')
  expect(words(fence(again, 2))[3]).toBe('behind')
})

test('REPLICAOF NO ONE, FAILOVER and MIGRATE are refused in words', () => {
  const { world, master, one } = group()
  expect(textOf(one.call('REPLICAOF', 'NO', 'ONE'))).toMatch(/FENCE <term> <name> FORCE/)
  expect(textOf(master.call('FAILOVER'))).toMatch(/SENTINEL FAILOVER/)
  const client = world.client(master)
  expect(textOf(client.call('MIGRATE', '10.0.0.9', '1', 'a', '0', '100'))).toMatch(
    /sync-replication/,
  )
})

test('an operator can take what one node has for the truth, in a later term', () => {
  const { master, one, world } = group()
  world.client(master).call('SET', 'a', '1')
  world.run(10)
  expect(textOf(one.call('FENCE', '1', 'me', 'FORCE', '1', 'normal', ...VOTERS))).toMatch(
    /^STALETERM/,
  )
  // The time of day is a later term than all, and no Sentinel could follow.
  const late = one.call('FENCE', '1795997000000', 'me', 'FORCE', '1', 'normal', ...VOTERS)
  expect(textOf(late)).toMatch(/^ERR no election reaches term 1795997000000: take the next/)
  expect(one.call('FENCE', '2', 'me', 'FORCE', '1', 'normal', ...VOTERS)).toEqual(OK)
  expect(one.info('sync_state')).toBe('master')
  expect(one.logs.join()).toMatch(/may be lost/)
})

test('a leader in a term that Sentinels could not follow fences no node', () => {
  const { world, master, one } = group()
  const ask = (term: number) =>
    one.call('FENCE', `${term}`, LEADER, 'ASK', '1', 'normal', ...VOTERS)
  for (const term of [1_795_997_000_000, 2 ** 53 - 1])
    expect(textOf(ask(term))).toMatch(/^ERR no election reaches term/)
  expect(world.client(master).call('SET', 'a', '1')).toEqual(OK)
  expect(ask(2 ** 39)).toMatchObject({ kind: 'array' })
})

test('a node without a term may be fenced in one that its master is near, however far that is', () => {
  const { world, master, one, two } = group()
  for (const term of [2 ** 39, 2 ** 40]) for (const node of [master, one, two]) fence(node, term)
  expect(promote(master, 2 ** 40)).toEqual(OK)
  const late = world.node(STRICT)
  expect(textOf(fence(late, 2 ** 40 + 5))).toMatch(/^ERR no election reaches/)
  late.follow(master)
  world.run(2_000)
  expect(words(fence(late, 2 ** 40 + 5))[3]).toBe('new')
})

test('a replica that is no voter deposes no master, whatever term it has been in', () => {
  const { world, master, one } = group()
  const stranger = world.node(STRICT)
  const other = ['FORCE', '1', 'normal', '10.0.0.4:6379', '10.0.0.5:6379'] as const
  expect(stranger.call('FENCE', '7', 'me', ...other)).toEqual(OK)
  stranger.follow(master)
  world.run(2_000)
  expect(stranger.info('master_link_status')).toBe('down')
  expect(master.info('sync_state')).toBe('master')
  expect(world.client(master).call('SET', 'a', '1')).toEqual(OK)
  // A voter has heard it from a leader of this group.
  fence(one, 7)
  one.follow(master)
  world.until(() => master.info('sync_state') === 'idle')
})

test('a master takes other voters for its own next term, and clients notice nothing', () => {
  const { world, master, one, two } = group()
  const client = world.client(master)
  client.call('SET', 'a', '1')
  const added = world.node(STRICT)
  added.follow(master)
  world.until(() => added.info('master_link_status') === 'up')
  const voters = [...VOTERS.slice(0, 2), '10.0.0.4:6379']
  expect(master.call('FENCE', '2', 'me', 'FORCE', '1', 'normal', ...voters)).toEqual(OK)
  world.until(() => one.info('sync_voters') === voters.join(' '))
  expect(client.call('GET', 'a')).toEqual(bulk('1'))
  world.network.cut(master, one)
  client.send('SET', 'a', '2')
  world.run(1_000)
  // The third node is no voter any more, and the new one has none before the next fence.
  expect(two.info('sync_term')).toBe('2')
  expect(client.take()).toBe('')
})

test('a replica of another kind may follow, and its acknowledgements count for nothing', () => {
  const { world, master, one, two } = group()
  world.replicaOf(master, { save: '' })
  for (const node of [one, two]) world.network.cut(master, node)
  const client = world.client(master)
  client.send('SET', 'a', '1')
  world.run(2_000)
  expect(client.take()).toBe('')
})

test('with linearizable reads a read waits for a round that began after it came in', () => {
  const { world, master, one, two } = group('linearizable')
  const client = world.client(master)
  client.call('SET', 'a', '1')
  world.run(100)
  for (const node of [one, two]) world.network.cut(master, node)
  client.send('GET', 'a')
  world.run(1_000)
  expect(client.take()).toBe('')
})

test('reads that come in while a round is under way share the next one', () => {
  const { world, master } = group('linearizable')
  const readers = Array.from({ length: 20 }, () => world.client(master))
  world.run(100)
  const before = master.offset
  for (const reader of readers) reader.send('GET', 'a')
  world.run(100)
  expect(readers.map((reader) => reader.take())).toEqual(readers.map(() => '$-1\r\n'))
  expect((master.offset - before) / PING_BYTES).toBe(2)
})

test('a read that comes in while an earlier write is under way waits for a round of its own', () => {
  const { world, master } = group('linearizable')
  const [writer, reader] = [world.client(master), world.client(master)]
  writer.call('SET', 'a', '1')
  const bytesOf = (act: () => void) => {
    const before = master.offset
    act()
    world.run(100)
    return master.offset - before
  }
  const alone = bytesOf(() => writer.send('SET', 'a', '2'))
  const both = bytesOf(() => {
    writer.send('SET', 'a', '3')
    reader.send('GET', 'a')
  })
  expect(reader.take()).toBe('$1\r\n3\r\n')
  expect(both - alone).toBe(PING_BYTES)
})

test('a fenced master keeps clients waiting, and serves them when it goes on in the new term', () => {
  const { world, master } = group()
  const client = world.client(master)
  client.call('SET', 'a', '1')
  fence(master, 2)
  client.send('INCR', 'a')
  world.run(100)
  expect(client.take()).toBe('')
  expect(world.client(master).call('PING')).toMatchObject({ text: 'PONG' })
  promote(master, 2)
  world.run(1_000)
  expect(client.take()).toBe(':2\r\n')
})

test('clients that waited under a fence are closed by the leader without an answer when the master follows another node', () => {
  const { world, master, one } = group()
  const [writer, reader] = [world.client(master), world.client(master)]
  fence(master, 2)
  writer.send('SET', 'a', '1')
  reader.send('GET', 'a')
  fence(one, 2)
  promote(one, 2)
  master.follow(one)
  world.run(100)
  master.call('CLIENT', 'KILL', 'TYPE', 'normal')
  master.call('CLIENT', 'UNPAUSE')
  world.run(10)
  const met = [writer, reader].map((client) => [client.isClosed, client.take()])
  expect(met).toEqual(Array(2).fill([true, '']))
  const late = world.client(master)
  late.send('SET', 'a', '1')
  world.run(10)
  expect(late.take()).toMatch(/^-READONLY /)
})

test('clients that waited under a fence are told READONLY if no leader closes them', () => {
  const { world, master, one } = group()
  const [writer, reader] = [world.client(master), world.client(master)]
  fence(master, 2)
  writer.send('SET', 'a', '1')
  reader.send('GET', 'a')
  world.run(100)
  fence(one, 2)
  promote(one, 2)
  master.follow(one)
  world.run(900)
  expect([writer.take(), reader.take()]).toEqual(['', ''])
  world.run(200)
  expect([writer.take(), reader.take()]).toEqual(
    Array(2).fill(expect.stringMatching(/^-READONLY /)),
  )
})

test('what waits under a fence is refused when sync-replication-timeout is over, and has not run', () => {
  const { world, master } = group()
  const client = world.client(master)
  client.call('SET', 'a', '1')
  fence(master, 2)
  client.send('INCR', 'a')
  world.run(4_900)
  expect(client.take()).toBe('')
  world.run(200)
  expect(client.take()).toMatch(/^-NOSYNCREPLICAS /)
  promote(master, 2)
  world.run(1_000)
  expect(client.call('GET', 'a')).toEqual(bulk('1'))
})

test('an old master that follows the new one gives up what nobody acknowledged', () => {
  const { world, master, one, two } = group()
  const client = world.client(master)
  client.call('SET', 'a', 'kept')
  for (const node of [one, two]) world.network.cut(master, node)
  client.send('SET', 'a', 'lost')
  world.run(10)
  for (const node of [one, two]) fence(node, 2)
  promote(one, 2)
  two.follow(one)
  for (const node of [one, two]) world.network.join(master, node)
  master.follow(one)
  world.until(() => master.info('sync_voter') === '1' && master.info('sync_term') === '2')
  expect(client.take()).toBe('')
  expect(client.isClosed).toBe(true)
  expect(world.client(one).call('GET', 'a')).toEqual(bulk('kept'))
})

function textOf(reply: Reply): string {
  return 'text' in reply ? reply.text : JSON.stringify(reply)
}

function words(reply: Reply): readonly (string | undefined)[] {
  if (reply.kind === 'array')
    return reply.items.map((item) => (item.kind === 'bulk' ? item.bytes : '?'))
  throw new Error(textOf(reply))
}

test('a node without a term may have lost a fence with its disk: it copies, and has no vote before the next fence', () => {
  const world = new ReplicationWorld()
  const nodes = [1, 2, 3].map(() => world.node(STRICT))
  const [master, one, emptied] = nodes as [TestNode, TestNode, TestNode]
  for (const node of [master, one]) fence(node, 1)
  promote(master, 1)
  for (const node of [one, emptied]) node.follow(master)
  for (const node of [one, emptied]) world.until(() => node.info('master_link_status') === 'up')
  world.network.cut(master, one)
  const client = world.client(master)
  client.send('SET', 'a', '1')
  world.run(1_000)
  expect(client.takeReply()).toBe(undefined)
  expect([emptied.info('sync_voter'), emptied.info('sync_term')]).toEqual(['0', '0'])
})

test('INFO says what a node is: master, replica, and fenced while a newer term has no master', () => {
  const { world, master, one } = group()
  const states = () => [master, one].map((node) => node.info('sync_state'))
  expect(states()).toEqual(['master', 'replica'])
  fence(master, 2)
  expect(states()).toEqual(['fenced', 'replica'])
  world.run(10)
})

test('a master that is told to follow another is none any more, at once', () => {
  const { world, master, one } = group()
  const client = world.client(master)
  expect(client.call('SET', 'a', '1')).toEqual(OK)
  master.follow(one)
  expect(master.info('sync_state')).toBe('replica')
  world.run(5)
  expect(client.isClosed).toBe(true)
})
