import { expect, test } from 'vitest'
import type { Action } from '../../src/history/action.ts'
import type { Happening } from '../../src/history/happening.ts'
import type { Topology } from '../../src/history/topology.ts'
import { renderTrace } from '../../src/history/trace.ts'
import { SimWorld } from '../../src/sim/world.ts'
import { createTopology } from './topology.ts'

type Script = readonly (readonly [atMs: number, action: Action])[]

/** Plays the actions at their times, and goes on until `untilMs`. */
function play(script: Script, untilMs: number, topology = createTopology(), seed = '1'): SimWorld {
  const world = new SimWorld(topology, seed)
  for (const [atMs, action] of script) {
    world.runUntil(atMs)
    world.apply(action)
  }
  world.runUntil(untilMs)
  return world
}

function events(world: SimWorld, name: string): Happening[] {
  return world.happenings.filter(
    (happening) => happening.kind === 'event' && happening.name === name,
  )
}

/** The node every Sentinel names last. */
function masters(world: SimWorld): string[] {
  const views = new Map<string, string>()
  for (const happening of world.happenings) {
    if (happening.kind !== 'view') continue
    views.set(happening.process ?? '', world.nameOf(happening.master))
  }
  return [...new Set(views.values())]
}

/** Whom the node says it follows, and whether it is connected. */
function role(world: SimWorld, node: string): string {
  const found = world.happenings.findLast(
    (happening) => happening.kind === 'role' && happening.process === node,
  )
  if (found?.kind !== 'role') return 'unknown'
  if (found.role.kind === 'master') return 'master'
  return `${found.role.isLinkUp ? 'connected to' : 'without'} ${world.nameOf(found.role.master)}`
}

function acknowledgedAfter(world: SimWorld, atMs: number): number {
  const later = world.writes.filter(({ attemptedAtMs }) => attemptedAtMs >= atMs)
  return later.filter(({ outcome }) => outcome.kind === 'acknowledged').length
}

test('after a power loss at the master the others take over, and it comes back as a replica', () => {
  const world = play(
    [
      [3_000, { kind: 'powerLoss', hosts: ['a'] }],
      [15_000, { kind: 'start', processes: ['n1', 's1'] }],
    ],
    30_000,
  )
  const [master, ...others] = masters(world)
  expect(others).toEqual([])
  expect(master).toMatch(/n[23]/)
  expect(role(world, 'n1')).toBe(`connected to ${master}`)
  expect(acknowledgedAfter(world, 15_000)).toBeGreaterThan(100)
})

test('a power loss takes everybody on the host, also who had not come up', () => {
  const world = play([[0, { kind: 'powerLoss', hosts: ['a', 'b'] }]], 3_000)
  const up = world.happenings.filter(({ kind }) => kind === 'status')
  expect(new Set(up.map(({ process }) => process))).toEqual(new Set(['n3', 's3', 'app']))
})

test('one process that starts again brings back its host and nobody else', () => {
  const world = play(
    [
      [3_000, { kind: 'powerLoss', hosts: ['b'] }],
      [5_000, { kind: 'restart', processes: ['s2'], disk: 'kept' }],
    ],
    6_000,
  )
  expect(world.askAndWait('s2', ['PING'], 1_000)).toBeDefined()
  expect(world.askAndWait('n2', ['PING'], 1_000)).toBeUndefined()
})

test('who looks on sees a host that is back within a moment', () => {
  const world = play(
    [
      [3_000, { kind: 'powerLoss', hosts: ['b'] }],
      [7_500, { kind: 'start', processes: ['n2'] }],
    ],
    7_800,
  )
  expect(role(world, 'n2')).toBe('connected to n1')
  const seen = world.happenings.findLast(({ kind, process }) => kind === 'role' && process === 'n2')
  expect(seen?.atMs).toBeGreaterThan(7_500)
})

test('a replica that gets another address is found there, and both addresses are its', () => {
  const world = new SimWorld(createTopology(), '1')
  world.runUntil(5_000)
  const before = world.addressOf('n2')
  world.apply({ kind: 'readdress', host: 'b', disk: 'kept' })
  const after = world.addressOf('n2')
  expect(after.host).not.toBe(before.host)
  expect([world.nameOf(before), world.nameOf(after)]).toEqual(['n2', 'n2'])
  world.runUntil(20_000)
  expect(role(world, 'n2')).toBe('connected to n1')
  expect(events(world, '+switch-master')).toEqual([])
})

test('a master that gets another address is down for those who knew the old one', () => {
  const world = play([[5_000, { kind: 'readdress', host: 'a', disk: 'kept' }]], 20_000)
  const [master, ...others] = masters(world).filter((name) => name !== 'n1')
  expect(master).toMatch(/n[23]/)
  expect(others).toEqual([])
  expect(events(world, '+switch-master').length).toBeGreaterThan(0)
})

test('a host that lost power can come back at another address', () => {
  const world = play(
    [
      [3_000, { kind: 'powerLoss', hosts: ['c'] }],
      [8_000, { kind: 'readdress', host: 'c', disk: 'empty' }],
    ],
    20_000,
  )
  expect(role(world, 'n3')).toBe('connected to n1')
})

test('a Sentinel that is restarted keeps what its file says, and so what it has learnt since', () => {
  const world = play(
    [
      [3_000, { kind: 'readdress', host: 'a', disk: 'kept' }],
      [15_000, { kind: 'restart', processes: ['s2', 's3'], disk: 'kept' }],
      [16_000, { kind: 'restart', processes: ['s1'], disk: 'empty' }],
    ],
    30_000,
  )
  expect(masters(world).length).toBe(1)
  expect(masters(world)).not.toContain('n1')
  expect(world.happenings.filter(({ kind }) => kind === 'violation')).toEqual([])
})

test('clients find the Sentinels when all hosts have moved', () => {
  const move = (host: string): Action => ({ kind: 'readdress', host, disk: 'kept' })
  const world = play(
    [
      [4_000, move('c')],
      [8_000, move('b')],
      [12_000, move('a')],
    ],
    30_000,
  )
  expect(acknowledgedAfter(world, 20_000)).toBeGreaterThan(150)
})

test('a host that moves before anybody has come up there comes up all the same', () => {
  const world = play([[0, { kind: 'readdress', host: 'b', disk: 'kept' }]], 3_000)
  expect(role(world, 'n2')).toBe('connected to n1')
})

test('who joins later is not there before it is started, and is found then', () => {
  const topology = createTopology()
  const later: Topology = {
    ...topology,
    nodes: topology.nodes.map((node) => ({ ...node, joinsLater: node.name === 'n3' })),
    sentinels: topology.sentinels.map((other) => ({ ...other, joinsLater: other.name === 's3' })),
  }
  const world = play([[5_000, { kind: 'start', processes: ['n3', 's3'] }]], 9_000, later)
  const born = world.happenings.filter(({ kind, process }) => kind === 'status' && process === 's3')
  expect(born.map(({ atMs }) => atMs)).toEqual([5_000])
  expect(role(world, 'n3')).toBe('connected to n1')
  const met = events(world, '+sentinel').filter(({ atMs }) => atMs >= 5_000)
  expect(met.length).toBe(4)
})

test('a start of who runs already changes nothing', () => {
  const world = play([[3_000, { kind: 'start', processes: ['n1'] }]], 5_000)
  const own = world.happenings.filter(({ kind, process }) => kind === 'status' && process === 'n1')
  expect(own.length).toBe(1)
})

test('a master whose event loop hangs is replaced, and follows when it goes on', () => {
  const world = play([[3_000, { kind: 'stall', processes: ['n1'], forMs: 8_000 }]], 25_000)
  const own = world.happenings.filter(({ kind, process }) => kind === 'status' && process === 'n1')
  expect(own.slice(1).map(({ atMs }) => atMs)).toEqual([3_000, 11_000])
  const [master, ...others] = masters(world)
  expect(others).toEqual([])
  expect(role(world, 'n1')).toBe(`connected to ${master}`)
})

test('connections that are reset are opened again, and nobody fails over for it', () => {
  const world = play([[5_000, { kind: 'reset', host: 'a', peer: undefined }]], 15_000)
  expect(events(world, '+sdown')).toEqual([])
  expect(masters(world)).toEqual(['n1'])
  expect(role(world, 'n2')).toBe('connected to n1')
  const broken = world.writes.filter(({ outcome }) => outcome.kind === 'unknown')
  expect(broken.length).toBeLessThanOrEqual(2)
  expect(acknowledgedAfter(world, 6_000)).toBeGreaterThan(100)
})

test('both ends hear a reset, whatever stands between them', () => {
  const world = play(
    [
      [5_000, { kind: 'partition', groups: [['a']] }],
      [5_100, { kind: 'reset', host: 'a', peer: 'd' }],
    ],
    5_110,
  )
  const lost = world.writes.filter(({ outcome }) => outcome.kind === 'unknown')
  expect(lost.length).toBeGreaterThan(0)
})

test('a reset between two hosts spares the others', () => {
  const reset: Action = { kind: 'reset', host: 'd', peer: 'c' }
  const world = play([[5_000, reset]], 7_000)
  expect(world.writes.filter(({ outcome }) => outcome.kind === 'unknown')).toEqual([])
})

test('a refusal breaks what stands, answers for the other host, and is taken back by a heal', () => {
  const world = play(
    [
      [5_000, { kind: 'refuse', from: 'b', to: 'a' }],
      [7_000, { kind: 'heal' }],
    ],
    12_000,
  )
  const said = world.happenings.flatMap((one) =>
    one.kind === 'log' && one.process === 'n2' ? [`${one.atMs} ${one.text}`] : [],
  )
  const refused = said.filter((text) => text.endsWith('connection refused'))
  expect(refused.length).toBeGreaterThan(2)
  expect(refused.filter((text) => Number.parseInt(text, 10) > 7_000)).toEqual([])
  expect(role(world, 'n2')).toBe('connected to n1')
  expect(role(world, 'n3')).toBe('connected to n1')
})

test('a refusal of one direction lets the other one be opened', () => {
  const world = play([[5_000, { kind: 'refuse', from: 'a', to: 'd' }]], 8_000)
  expect(acknowledgedAfter(world, 6_500)).toBeGreaterThan(20)
})

test('a hold of both ways is an outage that loses nothing once it is released', () => {
  const world = play(
    [
      [5_000, { kind: 'hold', from: 'd', to: 'a' }],
      [5_500, { kind: 'release' }],
    ],
    8_000,
  )
  const done = world.writes.filter(({ attemptedAtMs }) => attemptedAtMs < 7_900)
  expect(done.filter(({ outcome }) => outcome.kind !== 'acknowledged')).toEqual([])
  const times = done.flatMap(({ outcome }) => (outcome.kind === 'acknowledged' ? outcome.atMs : []))
  expect(times.filter((atMs) => atMs > 5_010 && atMs < 5_500)).toEqual([])
})

test('healing takes back holds and shapes too', () => {
  const world = play(
    [
      [5_000, { kind: 'hold', from: 'b', to: 'a' }],
      [5_000, { kind: 'shape', from: undefined, to: undefined, shape: { loss: 1 } }],
      [5_300, { kind: 'heal' }],
    ],
    9_000,
  )
  expect(events(world, '+sdown')).toEqual([])
  expect(acknowledgedAfter(world, 7_000)).toBeGreaterThan(30)
})

test('a way of its own takes its own time, in both directions', () => {
  const topology: Topology = {
    ...createTopology(),
    ways: [{ hosts: ['a', 'd'], latency: { baseMs: 40, jitterMs: 0 } }],
  }
  const world = play([], 5_000, topology)
  const times = world.writes.flatMap(({ outcome, attemptedAtMs }) =>
    outcome.kind === 'acknowledged' ? outcome.atMs - attemptedAtMs : [],
  )
  expect(new Set(times)).toEqual(new Set([80]))
})

test('a Sentinel whose clocks run fast does not fail over a good master', () => {
  const world = play([[3_000, { kind: 'clockDrift', process: 's2', rate: 1.05 }]], 60_000)
  expect(events(world, '+sdown')).toEqual([])
  expect(events(world, '+tilt')).toEqual([])
})

test('a Sentinel whose saves do not get synced gives no vote', () => {
  const failing = (process: string): Action => ({
    ...{ kind: 'diskFailure', process, operation: 'sync', reason: 'Input/output error' },
  })
  const world = play(
    [
      [3_000, failing('s2')],
      [3_000, failing('s3')],
      [3_000, { kind: 'kill', processes: ['n1'] }],
    ],
    8_000,
  )
  const votes = world.happenings.filter(({ kind }) => kind === 'vote')
  expect(votes.map(({ process }) => process)).not.toContain('s2')
  expect(votes.map(({ process }) => process)).not.toContain('s3')
})

test('a node that ends in its own start, as its disk fails, holds no port and can be started again', () => {
  const topology = createTopology()
  const directives = new Map([['appendonly', 'yes']])
  const nodes = topology.nodes.map((node) => ({ ...node, directives }))
  const failure = { operation: 'write', reason: 'No space left on device' } as const
  const script: Script = [
    [3_000, { kind: 'kill', processes: ['n3'] }],
    [3_000, { kind: 'diskFailure', process: 'n3', ...failure }],
    [3_100, { kind: 'restart', processes: ['n3'], disk: 'empty' }],
    [3_200, { kind: 'diskRepair', process: 'n3' }],
    [3_200, { kind: 'start', processes: ['n3'] }],
  ]
  const world = play(script, 8_000, { ...topology, nodes })
  expect(role(world, 'n3')).toBe('connected to n1')
})

test('the same seed gives the same run, whatever is done to it', () => {
  const script: Script = [
    [2_000, { kind: 'shape', from: 'a', to: undefined, shape: { loss: 0.2, jitterMs: 30 } }],
    [4_000, { kind: 'stall', processes: ['n1'], forMs: 1_500 }],
    [6_000, { kind: 'clockDrift', process: 's1', rate: 0.97 }],
    [7_000, { kind: 'powerLoss', hosts: ['b'] }],
    [8_000, { kind: 'hold', from: 'c', to: 'a' }],
    [9_000, { kind: 'start', processes: ['s2', 'n2'] }],
    [10_000, { kind: 'heal' }],
    [11_000, { kind: 'reset', host: 'a', peer: 'c' }],
    [12_000, { kind: 'shape', from: 'd', to: 'a', shape: { bytesPerSecond: 500 } }],
    [15_000, { kind: 'readdress', host: 'c', disk: 'kept' }],
  ]
  const trace = (seed: string): string => {
    const world = play(script, 25_000, createTopology(), seed)
    return renderTrace(world.happenings, world.writes, (address) => world.nameOf(address))
  }
  expect(trace('7')).toBe(trace('7'))
  expect(trace('7')).not.toBe(trace('8'))
})

test('a vote that the disk takes its time for is told that much later', () => {
  const slow = (process: string): Action => ({ kind: 'diskDelay', process, byMs: 1_500 })
  const world = play(
    [
      [3_000, slow('s1')],
      [3_000, slow('s2')],
      [3_000, slow('s3')],
      [4_000, { kind: 'kill', processes: ['n1'] }],
    ],
    20_000,
  )
  const stood = world.happenings.find(({ kind }) => kind === 'candidacy')
  const voted = world.happenings.find(({ kind }) => kind === 'vote')
  expect(voted?.process).toBe(stood?.process)
  expect((voted?.atMs ?? 0) - (stood?.atMs ?? 0)).toBeGreaterThanOrEqual(1_500)
})

test('a node without memory refuses writes, takes them again, and is down for nobody', () => {
  const use = (share: number): Action => ({ kind: 'memoryUse', process: 'n1', share })
  const world = play(
    [
      [3_000, use(0.8)],
      [6_000, use(0)],
    ],
    9_000,
  )
  const acknowledged = world.writes.flatMap(({ outcome }) =>
    outcome.kind === 'acknowledged' ? outcome.atMs : [],
  )
  expect(acknowledged.filter((atMs) => atMs > 3_100 && atMs < 6_000)).toEqual([])
  expect(acknowledged.some((atMs) => atMs > 7_000)).toBe(true)
  expect(events(world, '+sdown')).toEqual([])
})

test('a Sentinel from a backup has forgotten the failover, and hears of it', () => {
  const world = play(
    [
      [3_000, { kind: 'kill', processes: ['n1'] }],
      [12_000, { kind: 'rollBack', process: 's1', byMs: 10_000 }],
    ],
    20_000,
  )
  const told = world.happenings.flatMap((one) =>
    one.kind === 'hello' && one.process === 's1'
      ? [{ atMs: one.atMs, epoch: one.currentEpoch }]
      : [],
  )
  const [first] = told.filter(({ atMs }) => atMs > 12_000)
  expect(told.filter(({ atMs }) => atMs < 12_000).at(-1)?.epoch).toBe(1)
  expect(told.at(-1)?.epoch).toBe(1)
  expect(first?.atMs).toBeDefined()
})
