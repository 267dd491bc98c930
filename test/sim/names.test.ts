/** A cluster whose Sentinels know the master by the name of its host, in a world that resolves names. */
import { expect, test } from 'vitest'
import { SIMULATED } from '../../src/sim/processes/programs.ts'
import { SentinelProgram } from '../../src/sim/processes/sentinel-program.ts'
import { SimWorld } from '../../src/sim/world.ts'
import { createTopology } from './topology.ts'

/** Long enough for a dead connection to be given up before anyone is called down. */
const DOWN_AFTER_MS = 40_000

function createWorld(seed: string): SimWorld {
  const topology = createTopology()
  const [group] = topology.groups
  if (group === undefined) throw new Error('no group')
  const groups = [{ ...group, downAfterMs: DOWN_AFTER_MS }]
  const sentinels = topology.sentinels.map((one) => ({ ...one, host: `of ${one.name}` }))
  const byName = { host: 'a', port: 6379 }
  const sentinel: typeof SIMULATED.sentinel = (start) => {
    const { config } = start
    const named = config.groups.map((one) => ({ ...one, ...byName }))
    return new SentinelProgram({
      ...start,
      config: { ...config, resolveHostnames: true, groups: named },
    })
  }
  // Who moves with its disk has its data, and is no stranger to its replicas.
  const directives = new Map([['appendonly', 'yes']])
  const nodes = topology.nodes.map((one) => ({ ...one, directives }))
  return new SimWorld({ ...topology, nodes, groups, sentinels }, seed, {
    make: { ...SIMULATED, sentinel },
  })
}

function masterAddress(world: SimWorld, sentinel: string): string[] {
  const ask = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster']
  const reply = world.askAndWait(sentinel, ask, 1_000)
  if (reply?.kind !== 'array') throw new Error('no answer')
  return reply.items.map((item) => (item.kind === 'bulk' ? item.bytes : ''))
}

function eventsOf(world: SimWorld): string[] {
  return world.happenings.flatMap((one) => (one.kind === 'event' ? [one.name] : []))
}

test('a master by name is watched at the address of its host', () => {
  const world = createWorld('1')
  world.runUntil(5_000)
  for (const one of ['s1', 's2', 's3']) expect(masterAddress(world, one)[0]).toBe('10.0.0.1')
  expect(eventsOf(world).filter((name) => name === '+slave')).toHaveLength(6)
})

test('a master whose host gets another address is found again by its name, and nobody replaces it', () => {
  const world = createWorld('1')
  world.runUntil(20_000)
  const [before] = masterAddress(world, 's1')
  world.apply({ kind: 'readdress', host: 'a', disk: 'kept' })
  world.runUntil(80_000)
  const [after] = masterAddress(world, 's1')
  expect(after).not.toBe(before)
  for (const one of ['s2', 's3']) expect(masterAddress(world, one)[0]).toBe(after)
  expect(eventsOf(world)).not.toContain('+try-failover')
  // The replicas were told the address of before, and are told the new one.
  expect(eventsOf(world)).toContain('+fix-slave-config')
})

test('the same seed gives the same run', () => {
  const [first, second] = ['7', '7'].map((seed) => {
    const world = createWorld(seed)
    world.runUntil(10_000)
    return world.happenings
  })
  expect(first).toEqual(second)
})
