/** What a resynchronisation throws away is kept: played through with nodes on a virtual network. */
import { expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { writeLedger } from '../../../src/server/ledger/ledger-file.ts'
import type { LedgerFacts } from '../../../src/server/ledger/ledger-format.ts'
import { readLedger } from '../../../src/server/ledger/ledger-reader.ts'
import { LostCommands } from '../../../src/server/ledger/lost-commands.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'

function ledgers(node: TestNode): string[] {
  return node.files.paths().filter((path) => path.endsWith('.ledger'))
}

function read(node: TestNode, path = ledgers(node).at(-1) ?? '') {
  const reading = readLedger(node.files.read(path) ?? '')
  if (reading.kind !== 'ledger') throw new Error(`${path}: ${reading.text} at ${reading.offset}`)
  return reading
}

function words(node: TestNode): string[] {
  return read(node).commands.map(({ db, argv }) => `${db}: ${argv.join(' ')}`)
}

const FACTS: LedgerFacts = {
  ...{
    node: ':1',
    writtenAtMs: 1,
    history: 'a'.repeat(40),
    from: 1,
    to: 1,
    kept: 1,
    rule: 'exact',
  },
  ...{ master: 'm:1', masterHistory: 'b'.repeat(40), masterOffset: 1 },
}

/** A master with two replicas in step, then cut off from the one that will succeed it. */
function split(directives: Record<string, string> = {}) {
  const world = new ReplicationWorld()
  const master = world.node({ save: '', ...directives })
  const replica = world.replicaOf(master, { save: '' })
  master.call('SET', 'common', 'x')
  world.untilInStep(master, replica)
  world.network.cut(master, replica)
  return { world, master, replica }
}

function join({ world, master, replica }: ReturnType<typeof split>): void {
  replica.promote()
  replica.call('SET', 'kept', 'x')
  world.network.join(master, replica)
  master.follow(replica)
  world.untilInStep(replica, master)
}

test('the writes of a demoted master that its successor never had are in a ledger, and no others', () => {
  const stage = split()
  const fork = stage.replica.offset + 1
  stage.master.call('SET', 'lost', '1')
  stage.master.call('INCR', 'lost')
  const { offset } = stage.master
  join(stage)
  expect(words(stage.master)).toEqual(['0: SET lost 1', '0: INCR lost'])
  const { facts, end } = read(stage.master)
  expect(facts).toMatchObject({ from: fork, kept: fork, to: offset, rule: 'exact' })
  expect(facts.master).toBe(`${stage.replica.address}:6379`)
  expect(end).toMatchObject({ commands: 2, keys: 1 })
  expect(stage.master.get('lost')).toBeUndefined()
})

test('INFO and the log tell of it', () => {
  const stage = split()
  stage.master.call('SET', 'lost', '1')
  expect(stage.master.info('lost_writes_ledgers')).toBeUndefined()
  join(stage)
  const [file] = ledgers(stage.master)
  expect([
    stage.master.info('lost_writes_ledgers'),
    stage.master.info('last_ledger_file'),
    stage.master.info('last_ledger_commands'),
  ]).toEqual(['1', file, '1'])
  expect(file).toMatch(/^lost-writes-[0-9a-f]{8}-\d+-\d+\.ledger$/)
  expect(stage.master.logs.find((line) => line.includes(file ?? '?'))).toMatch(
    /^warning: ledger: 1 writes to 1 keys/,
  )
})

test('nothing but pings lost is nothing lost', () => {
  const stage = split({ 'repl-ping-replica-period': '1' })
  stage.world.replicaOf(stage.master)
  stage.world.run(5000)
  expect(stage.master.offset).toBeGreaterThan(stage.replica.offset)
  join(stage)
  expect([ledgers(stage.master), stage.master.info('lost_writes_ledgers')]).toEqual([[], undefined])
})

test('a demoted master that lost nothing writes none', () => {
  const stage = split()
  join(stage)
  expect(ledgers(stage.master)).toEqual([])
})

test('writes to several databases and transactions are kept as they were', () => {
  const stage = split()
  const client = stage.world.client(stage.master)
  client.call('SELECT', '2')
  client.sendRaw('MULTI\r\nSET a 1\r\nSELECT 3\r\nSET b 2\r\nEXEC\r\nSET c 3\r\n')
  stage.world.run(5)
  join(stage)
  expect(words(stage.master)).toEqual([
    ...['2: MULTI', '2: SET a 1', '3: SET b 2', '3: EXEC', '3: SET c 3'],
  ])
})

test('the database of the lost part is known although its SELECT is long trimmed', () => {
  const stage = split({ 'repl-backlog-size': '16384' })
  const client = stage.world.client(stage.master)
  client.call('SELECT', '5')
  for (let index = 0; index < 40; index++) client.call('SET', 'k', 'x'.repeat(2000))
  client.call('SET', 'last', '1')
  join(stage)
  expect(words(stage.master).at(-1)).toBe('5: SET last 1')
  const { facts } = read(stage.master)
  expect(facts.kept).toBeGreaterThan(facts.from)
})

test('a replica of the lost branch keeps what it had of it', () => {
  const world = new ReplicationWorld()
  const master = world.node({ save: '' })
  const [behind, ahead] = [world.replicaOf(master), world.replicaOf(master)]
  world.network.cut(master, behind)
  master.call('SET', 'lost', 'x')
  world.untilInStep(master, ahead)
  master.kill()
  behind.promote()
  ahead.follow(behind)
  world.untilInStep(behind, ahead)
  expect(words(ahead)).toEqual(['0: SET lost x'])
  expect(read(ahead).facts.rule).toBe('exact')
})

test('a promoted node that goes back below its old master keeps what it wrote meanwhile', () => {
  const stage = split()
  stage.replica.promote()
  stage.replica.call('SET', 'mine', '1')
  stage.world.network.join(stage.master, stage.replica)
  stage.replica.follow(stage.master)
  stage.world.untilInStep(stage.master, stage.replica)
  expect(words(stage.replica)).toEqual(['0: SET mine 1'])
  expect(read(stage.replica).facts.rule).toBe('exact')
})

test('against a master nobody knows the kin of, everything the backlog has is kept', () => {
  const stage = split()
  stage.master.call('SET', 'lost', '1')
  const stranger = stage.world.node()
  for (let index = 0; index < 100; index++) stranger.call('SET', `s${index}`, 'x')
  const helper = stage.world.replicaOf(stranger)
  for (let index = 0; index < 100; index++) stranger.call('SET', `s${index}`, 'y')
  stage.world.untilInStep(stranger, helper)
  stage.master.follow(stranger)
  stage.world.untilInStep(stranger, stage.master)
  expect(words(stage.master)).toEqual(['0: SET common x', '0: SET lost 1'])
  expect(read(stage.master).facts).toMatchObject({ rule: 'at most', from: 1, kept: 1 })
})

test('a ledger names its node with brackets around an IPv6 address', () => {
  const stage = split()
  stage.master.call('CONFIG', 'SET', 'replica-announce-ip', 'fd00::1')
  stage.master.call('SET', 'lost', '1')
  join(stage)
  expect(read(stage.master).facts.node).toMatch(/^\[fd00::1\]:\d+$/)
})

test('what the backlog does not reach back to is named: data that came with a copy are in no ledger', () => {
  const world = new ReplicationWorld()
  const first = world.node()
  first.call('SET', 'old', 'x')
  const node = world.replicaOf(first, { 'replica-empty-master-guard': 'no' })
  first.call('SET', 'older', 'x')
  const late = world.replicaOf(first, { 'replica-empty-master-guard': 'no' })
  const copiedAt = late.offset
  late.promote()
  late.call('SET', 'lost', '1')
  late.follow(world.node())
  world.run(2000)
  expect(words(late)).toEqual(['0: SET lost 1'])
  expect(read(late).facts).toMatchObject({ rule: 'at most', from: 1, kept: copiedAt + 1 })
  expect(late.logs.join('\n')).toContain(
    `what was written at the offsets 1 to ${copiedAt} is not in it`,
  )
  expect(ledgers(node)).toEqual([])
})

test('a transfer that breaks and begins again leaves one ledger', () => {
  const stage = split()
  const { world, master, replica } = stage
  master.call('PUBLISH', 'news', 'is no write')
  master.call('SET', 'lost', '1')
  replica.promote()
  for (let index = 0; index < 30; index++) replica.call('SET', `k${index}`, 'x'.repeat(100_000))
  world.network.join(master, replica)
  master.follow(replica)
  world.until(() => master.info('master_sync_in_progress') === '1')
  world.run(3)
  world.network.drop(master, replica)
  world.untilInStep(replica, master)
  expect(ledgers(master)).toHaveLength(1)
})

test('a disk that takes nothing does not keep the node out of step, and the log says so', () => {
  const stage = split()
  stage.master.call('SET', 'lost', '1')
  stage.master.files.failWith({ operation: 'write', code: 'ENOSPC' })
  join(stage)
  expect(stage.master.info('lost_writes_ledgers')).toBeUndefined()
  expect(stage.master.logs.join('\n')).toContain(
    'warning: ledger: the writes that are lost now could not be kept: ENOSPC',
  )
})

test('a disk that does not answer is waited for, and not for ever', () => {
  const stage = split()
  const { world, master, replica } = stage
  master.call('SET', 'lost', '1')
  master.hasSlowFiles = true
  replica.promote()
  world.network.join(master, replica)
  master.follow(replica)
  world.run(3000)
  expect([master.get('lost'), master.info('master_sync_in_progress')]).toEqual(['1', '1'])
  world.run(3000)
  expect([master.get('lost'), master.info('master_link_status')]).toEqual([undefined, 'up'])
  master.hasSlowFiles = false
  master.answerFiles()
  expect(words(master)).toEqual(['0: SET lost 1'])
})

test('old ledgers make room: by number', () => {
  const stage = split({ 'ledger-max-files': '2' })
  const first = loseAgain(stage)
  loseAgain(stage)
  loseAgain(stage)
  expect(ledgers(stage.master)).toHaveLength(2)
  expect(ledgers(stage.master)).not.toContain(first)
  expect(stage.master.logs.join('\n')).toContain(`the oldest were removed: ${first}`)
})

test('old ledgers make room: by size, and no single one is larger', () => {
  const stage = split({ 'ledger-max-bytes': '1mb', 'repl-backlog-size': '4mb' })
  for (let index = 0; index < 20; index++)
    stage.master.call('SET', `k${index}`, 'x'.repeat(100_000))
  const first = loseAgain(stage)
  expect(stage.master.files.read(first)?.length).toBeLessThan(1.2 * 2 ** 20)
  expect(read(stage.master).commands.at(-1)?.argv).toEqual(['SET', 'lost', '1'])
  loseAgain(stage)
  expect(ledgers(stage.master)).not.toContain(first)
})

test('ledger-max-files 0 keeps none', () => {
  const stage = split({ 'ledger-max-files': '0' })
  stage.master.call('SET', 'lost', '1')
  join(stage)
  expect(stage.master.files.paths()).toEqual([])
})

test('ledgers that are wanted after all are written at the next attempt', () => {
  const stage = split({ 'ledger-max-files': '0' })
  const { world, master, replica } = stage
  master.call('SET', 'lost', '1')
  replica.promote()
  for (let index = 0; index < 30; index++) replica.call('SET', `k${index}`, 'x'.repeat(100_000))
  world.network.join(master, replica)
  master.follow(replica)
  world.until(() => master.info('master_sync_in_progress') === '1')
  world.run(3)
  master.call('CONFIG', 'SET', 'ledger-max-files', '16')
  world.network.drop(master, replica)
  world.untilInStep(replica, master)
  expect(words(master)).toEqual(['0: SET lost 1'])
})

test('a long stretch of the stream without a write is read a little at a time', () => {
  const pieces = Array.from({ length: 1000 }, () => encodeCommand(['PUBLISH', 'c', 'm']))
  const part = { start: 1, db: 0, from: 1, pieces }
  const work = writeLedger(FACTS, new LostCommands(part, () => undefined), 'temporary')
  let turns = 0
  while (work.next({ kind: 'failed', code: 'ENOENT', text: 'ENOENT' }).done !== true) turns++
  expect(turns).toBeGreaterThan(50)
})

/** A write that is lost, and the ledger it is in. */
function loseAgain({ world, master, replica }: ReturnType<typeof split>): string {
  world.network.cut(master, replica)
  master.promote()
  master.call('SET', 'lost', '1')
  replica.promote()
  world.network.join(master, replica)
  master.follow(replica)
  world.untilInStep(replica, master)
  world.run(10)
  return master.info('last_ledger_file') ?? ''
}
