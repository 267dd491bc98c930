import { expect, test } from 'vitest'
import { stirringMs } from '../../src/fuzz/budget.ts'
import type { Fault } from '../../src/fuzz/faults/faults.ts'
import { isCoveredByPromise } from '../../src/fuzz/strict-rules.ts'
import { createPlan } from './support.ts'

const death = (node: string, fromMs: number, disk: 'kept' | 'empty' = 'kept'): Fault => {
  return { kind: 'death', how: 'kill', processes: [node], fromMs, untilMs: fromMs + 1_000, disk }
}

/** One voter of three may be away if writes have to return. */
const isCovered = (...faults: readonly Fault[]) => isCoveredByPromise(createPlan({ faults }))

test('voters are restarted one at a time, the next one when the first had time to catch up', () => {
  expect(isCovered(death('n1', 20_000), death('n2', 25_000))).toBe(false)
  expect(isCovered(death('n1', 20_000), death('n2', 34_000))).toBe(true)
})

test('what keeps a voter from catching up counts (strict seed 300631)', () => {
  const pause = { kind: 'pause', processes: ['n1'], fromMs: 30_000, untilMs: 34_000 } as const
  expect(isCovered(death('n1', 20_000), pause, death('n2', 36_000))).toBe(false)
  expect(isCovered(death('n1', 20_000), pause, death('n2', 47_000))).toBe(true)
  const jump = { kind: 'clockJump', process: 'n1', fromMs: 30_000, byMs: 500 } as const
  expect(isCovered(death('n1', 20_000), jump, death('n2', 36_000))).toBe(true)
})

test('a voter whose disk was replaced has no vote for the rest of the run (strict seed 600018)', () => {
  expect(isCovered(death('n1', 20_000, 'empty'))).toBe(true)
  expect(isCovered(death('n1', 20_000, 'empty'), death('n2', 60_000))).toBe(false)
})

test('a run rests until the last vote that was lost with a disk may have been given back (strict seed 722403)', () => {
  const faults = [death('n3', 12_000, 'empty'), death('n3', 22_000, 'empty')]
  const plan = { ...createPlan({ faults }), calmMs: 33_400 }
  const groups = plan.topology.groups.map((one) => ({ ...one, replication: 'strict' as const }))
  const strict = { ...plan, topology: { ...plan.topology, groups } }
  // The first is given back 5 s after the copy, and the next a minute after that.
  expect(strict.calmMs + stirringMs(strict)).toBeGreaterThan(17_300 + 60_000)
  expect(plan.calmMs + stirringMs(plan)).toBeLessThan(50_000)
})
