import { expect, test } from 'vitest'
import { renderTrace } from '../../src/history/trace.ts'
import { SimWorld } from '../../src/sim/world.ts'
import { createTopology } from './topology.ts'

/** A run with a bit of everything: a cut, a pause, a clock jump, a kill and a return. */
function run(seed: string): string {
  const world = new SimWorld(createTopology(), seed)
  world.runUntil(3_000)
  world.apply({ kind: 'partition', groups: [['a'], ['b', 'c', 'd']] })
  world.runUntil(8_000)
  world.apply({ kind: 'heal' })
  world.apply({ kind: 'clockJump', process: 's3', byMs: -60_000 })
  world.runUntil(12_000)
  world.apply({ kind: 'pause', processes: ['n2'] })
  world.runUntil(14_000)
  world.apply({ kind: 'resume', processes: ['n2'] })
  world.apply({ kind: 'kill', processes: ['s1'] })
  world.runUntil(16_000)
  world.apply({ kind: 'restart', processes: ['s1'], disk: 'kept' })
  world.runUntil(20_000)
  return renderTrace(world.happenings, world.writes, (address) => world.nameOf(address))
}

test('the same seed gives the same trace, byte for byte', () => {
  expect(run('7')).toBe(run('7'))
})

test('another seed gives another run', () => {
  expect(run('7')).not.toBe(run('8'))
})

test('a cluster that nothing happens to has one master, and every write is acknowledged', () => {
  const world = new SimWorld(createTopology(), '1')
  world.runUntil(10_000)
  const events = world.happenings.filter((happening) => happening.kind === 'event')
  expect(events.filter(({ name }) => /down|failover|tilt/.test(name))).toEqual([])
  expect(world.writes.length).toBeGreaterThan(150)
  const unanswered = world.writes.filter(({ outcome }) => outcome.kind !== 'acknowledged')
  // The last one may still be on its way.
  expect(unanswered.length).toBeLessThanOrEqual(1)
})

test('the replicas of a quiet cluster hold what the master acknowledged', () => {
  const world = new SimWorld(createTopology(), '1')
  world.runUntil(10_000)
  const keys = world.writes
    .slice(0, 50)
    .map(({ operation }) => (operation.kind === 'key' ? operation.key : ''))
  const reply = world.askAndWait('n2', ['MGET', ...keys], 1_000)
  const values = reply?.kind === 'array' ? reply.items.map((item) => item.kind) : []
  expect(values).toEqual(keys.map(() => 'bulk'))
})

test('a Sentinel that comes back with its disk is the one it was', () => {
  const [before, after] = sentinelIds('kept')
  expect(before).toEqual(after)
})

test('a Sentinel that comes back without its disk is another one', () => {
  const [before, after] = sentinelIds('empty')
  expect(before).not.toEqual(after)
})

/** Of s1, before and after a restart. */
function sentinelIds(disk: 'kept' | 'empty'): unknown[] {
  const world = new SimWorld(createTopology(), '1')
  const id = (): unknown => world.askAndWait('s1', ['SENTINEL', 'MYID'], 1_000)
  world.runUntil(3_000)
  const before = id()
  world.apply({ kind: 'restart', processes: ['s1'], disk })
  world.runUntil(6_000)
  return [before, id()]
}

test('a process can be killed or restarted before it has come up', () => {
  const world = new SimWorld(createTopology(), '1')
  world.apply({ kind: 'kill', processes: ['n2'] })
  world.apply({ kind: 'restart', processes: ['n3'], disk: 'kept' })
  world.runUntil(2_000)
  const started = world.happenings.filter(({ kind }) => kind === 'status')
  expect(started.filter(({ process }) => process === 'n2')).toEqual([])
  expect(started.filter(({ process }) => process === 'n3')).toHaveLength(1)
})

test('a dead process does not answer, and one that waits for it goes on', () => {
  const world = new SimWorld(createTopology(), '1')
  world.runUntil(1_000)
  world.apply({ kind: 'kill', processes: ['n1'] })
  expect(world.askAndWait('n1', ['PING'], 1_000)).toBeUndefined()
})

test.each(['n2', 's2', 'app'])('%s ends by itself when it is asked to', (name) => {
  const world = new SimWorld(createTopology(), '1')
  world.runUntil(3_000)
  world.apply({ kind: 'stop', processes: [name] })
  world.runUntil(16_000)
  const own = world.happenings.filter(({ kind, process }) => kind === 'status' && process === name)
  expect(own.at(-1)).toMatchObject({ status: 'down' })
})

test('a Sentinel whose disk fails says so and gives no vote', () => {
  const world = new SimWorld(createTopology(), '1')
  world.runUntil(3_000)
  world.apply({
    kind: 'diskFailure',
    process: 's2',
    operation: 'write',
    reason: 'No space left on device',
  })
  world.apply({
    kind: 'diskFailure',
    process: 's3',
    operation: 'write',
    reason: 'No space left on device',
  })
  world.apply({ kind: 'kill', processes: ['n1'] })
  world.runUntil(8_000)
  const votes = world.happenings.filter(({ kind }) => kind === 'vote')
  expect(votes.map(({ process }) => process)).not.toContain('s2')
  expect(votes.map(({ process }) => process)).not.toContain('s3')
})
