/** [rdb-key-save-delay]: a save, a rewrite and a copy that take as long as a test wants, beside clients that are answered. */
import { expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'

const KEYS = 100
const A_MILLISECOND = '1000'

function filled(directives: Record<string, string> = {}): NodeHarness {
  const node = new NodeHarness({ save: '', ...directives })
  const client = node.client()
  for (let key = 0; key < KEYS; key++) client.send('SET', `key ${key}`, 'v'.repeat(20))
  return node
}

function isLoadingBeside(node: TestNode): boolean {
  const reply = node.call('INFO', 'persistence')
  return reply.kind === 'bulk' && reply.bytes.includes('async_loading:1\r\n')
}

/** How long `field` of INFO shows that something runs. */
function durationMs(node: NodeHarness, field: string): number {
  const startMs = node.now.monoMs
  for (let turns = 0; node.info(field) === '1'; turns++) {
    expect(turns).toBeLessThan(10_000)
    node.advance(1)
  }
  return node.now.monoMs - startMs
}

test.each([
  [A_MILLISECOND, KEYS],
  ['100', KEYS / 10],
  ['20000', 20 * KEYS],
])('BGSAVE takes %s microseconds for each key', (delay, expectedMs) => {
  const node = filled({ 'rdb-key-save-delay': delay })
  node.client().say('BGSAVE')
  expect(durationMs(node, 'rdb_bgsave_in_progress') / expectedMs).toBeCloseTo(1, 0)
  expect(node.info('rdb_last_bgsave_status')).toBe('ok')
})

test.each(['0', '-10'])('with %s it is over in a moment', (delay) => {
  const node = filled({ 'rdb-key-save-delay': delay })
  node.client().say('BGSAVE')
  expect(durationMs(node, 'rdb_bgsave_in_progress')).toBeLessThan(5)
})

test('clients are answered meanwhile, and INFO tells how far it is', () => {
  const node = filled({ 'rdb-key-save-delay': A_MILLISECOND })
  const client = node.client()
  client.say('BGSAVE')
  node.advance(KEYS / 2)
  expect(client.say('SET k v')).toBe('+OK\r\n')
  const done = Number(node.info('current_save_keys_processed'))
  expect(done).toBeGreaterThanOrEqual(KEYS / 4)
  expect(done).toBeLessThan(KEYS)
})

test('a save that runs goes on at once when the delay is taken away', () => {
  const node = filled({ 'rdb-key-save-delay': '2000000000' })
  const client = node.client()
  client.say('BGSAVE')
  node.advance(10)
  client.say('CONFIG SET rdb-key-save-delay 0')
  expect(durationMs(node, 'rdb_bgsave_in_progress')).toBeLessThan(5)
  expect(node.info('rdb_last_bgsave_status')).toBe('ok')
})

test('FLUSHALL and SHUTDOWN NOSAVE do not wait for it', () => {
  const node = filled({ 'rdb-key-save-delay': '2000000000' })
  const client = node.client()
  client.say('BGSAVE')
  node.advance(10)
  client.say('FLUSHALL')
  expect(durationMs(node, 'rdb_bgsave_in_progress')).toBeLessThan(5)
  client.say('SET k v')
  client.say('BGSAVE')
  client.say('SHUTDOWN NOSAVE')
  node.advance(5)
  expect(node.exitStatus).toBe(0)
})

test.each(['yes', 'no'])('a rewrite is slowed too, with aof-use-rdb-preamble %s', (isRdb) => {
  const node = filled({ 'rdb-key-save-delay': A_MILLISECOND, 'aof-use-rdb-preamble': isRdb })
  const client = node.client()
  client.say('BGREWRITEAOF')
  expect(durationMs(node, 'aof_rewrite_in_progress') / KEYS).toBeCloseTo(1, 0)
  client.say('CONFIG SET rdb-key-save-delay 2000000000')
  client.say('BGREWRITEAOF')
  node.advance(10)
  expect(node.info('aof_rewrite_in_progress')).toBe('1')
})

test.each(['yes', 'no'])('a full copy is slowed too, with repl-diskless-sync %s', (isDiskless) => {
  const world = new ReplicationWorld()
  const directives = { 'repl-diskless-sync': isDiskless, 'repl-diskless-sync-delay': '0' }
  const master = world.node({ ...directives, 'rdb-key-save-delay': '20000' })
  for (let key = 0; key < KEYS; key++) master.call('SET', `key ${key}`, 'v')
  const startMs = world.now.monoMs
  const replica = world.node()
  replica.call('SET', 'old', 'v')
  replica.follow(master)
  world.run(10 * KEYS)
  // As with `repl-diskless-load swapdb`, the old data are there meanwhile.
  expect([isLoadingBeside(replica), replica.get('old')]).toEqual([true, 'v'])
  world.until(() => replica.info('master_link_status') === 'up')
  expect([isLoadingBeside(replica), replica.get('old')]).toEqual([false, undefined])
  expect(world.now.monoMs - startMs).toBeGreaterThan(20 * KEYS)
  world.untilInStep(master, replica)
})
