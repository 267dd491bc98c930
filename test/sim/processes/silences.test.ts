import { expect, test } from 'vitest'
import { SimWorld } from '../../../src/sim/world.ts'
import { createTopology } from '../topology.ts'

/** For how long those who hold the master down had heard nothing good of it, by their own clocks. */
function silences(world: SimWorld): number[] {
  return world.happenings.flatMap((one) =>
    one.kind === 'event' && one.silentMs !== undefined ? [one.silentMs] : [],
  )
}

test('a Sentinel that lost a master was in touch with it a PING interval before', () => {
  const world = new SimWorld(createTopology(), '1')
  world.runUntil(5_000)
  world.apply({ kind: 'pause', processes: ['n1'] })
  world.runUntil(7_500)
  const found = silences(world)
  expect(found.length).toBe(3)
  for (const ms of found) {
    expect(ms).toBeGreaterThan(1_000)
    expect(ms).toBeLessThan(2_000)
  }
})

test('one that never heard of it has been waiting since its own start', () => {
  const world = new SimWorld(createTopology(), '1')
  world.runUntil(5_000)
  world.apply({ kind: 'kill', processes: ['s2'] })
  world.apply({ kind: 'partition', groups: [['b']] })
  world.apply({ kind: 'restart', processes: ['s2'], disk: 'kept' })
  world.runUntil(6_500)
  const [ms = 0] = silences(world)
  expect(ms).toBeGreaterThan(1_000)
  expect(ms).toBeLessThan(1_100)
})
