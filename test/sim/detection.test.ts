import { expect, test } from 'vitest'
import type { GroupSpec } from '../../src/history/topology.ts'
import { SimWorld } from '../../src/sim/world.ts'
import { createTopology } from './topology.ts'

/** How long after its death the first Sentinel holds the master down. */
function detectionMs(rules: Partial<GroupSpec>): number {
  const topology = createTopology()
  const groups = topology.groups.map((group) => ({ ...group, ...rules }))
  const world = new SimWorld({ ...topology, groups }, '1')
  world.runUntil(5_000)
  world.apply({ kind: 'kill', processes: ['n1'] })
  world.runUntil(8_000)
  const first = world.happenings.find((one) => one.kind === 'event' && one.name === '+sdown')
  return (first?.atMs ?? Infinity) - 5_000
}

test('Sentinels of a simulated world go by the rules of their group', () => {
  expect(detectionMs({ detection: 'ping' })).toBeGreaterThan(1_000)
  expect(detectionMs({ refusedAfterMs: 250 })).toBeLessThan(400)
  expect(detectionMs({ refusedAfterMs: 600 })).toBeGreaterThanOrEqual(600)
  expect(detectionMs({ refusedAfterMs: 600 })).toBeLessThan(900)
})
