/** Shrinking against a judge that is made up: what it blames is known, so what is left can be compared. */
import { describe, expect, test } from 'vitest'
import { drawPlan } from '../../src/fuzz/draw/draw.ts'
import type { Failure } from '../../src/fuzz/failure.ts'
import { endOf } from '../../src/fuzz/faults/faults.ts'
import type { FuzzPlan } from '../../src/fuzz/plan.ts'
import { shrink } from '../../src/fuzz/shrink.ts'
import { createPlan } from './support.ts'

const FAILURE: Failure = {
  ...{ kind: 'violation', checker: 'planted', text: '', atMs: 1, signature: 'planted' },
}
const NO_LIMITS = { maxRuns: 2_000, isOver: () => false }

/** Fails for this reason whenever the plan has what is to blame. */
function blames(
  isToBlame: (plan: FuzzPlan) => boolean,
): (plan: FuzzPlan) => Promise<Failure | undefined> {
  return async (plan) => (isToBlame(plan) ? FAILURE : undefined)
}

function hasLongPause({ faults }: FuzzPlan): boolean {
  return faults.some((fault) => fault.kind === 'pause' && endOf(fault) - fault.fromMs >= 700)
}

/** The first seed whose plan is to blame. */
function drawBlamed(isToBlame: (plan: FuzzPlan) => boolean): FuzzPlan {
  for (let seed = 1; seed < 1_000; seed++) {
    const plan = drawPlan(`${seed}`)
    if (plan.faults.length > 10 && isToBlame(plan)) return plan
  }
  throw new Error('no seed draws it')
}

describe('shrinking', () => {
  test('leaves the one fault that is to blame, in whole seconds, in the smallest cluster', async () => {
    const { plan } = await shrink(
      drawBlamed(hasLongPause),
      FAILURE,
      blames(hasLongPause),
      NO_LIMITS,
    )
    expect(plan.faults).toHaveLength(1)
    expect(plan.faults[0]).toMatchObject({ kind: 'pause', fromMs: 12_000, untilMs: 13_000 })
    expect(plan.topology.groups).toHaveLength(1)
    expect(plan.topology.nodes.length + plan.topology.sentinels.length).toBeLessThanOrEqual(3)
    expect(plan.clients).toEqual([])
    expect(plan.topology).toMatchObject({ latencyMs: 1, jitterMs: 1, zones: [], settings: {} })
  })

  test('keeps two faults that are to blame only together', async () => {
    const areBoth = ({ faults }: FuzzPlan): boolean =>
      faults.some(({ kind }) => kind === 'pause') && faults.some(({ kind }) => kind === 'cut')
    const { plan } = await shrink(drawBlamed(areBoth), FAILURE, blames(areBoth), NO_LIMITS)
    expect(plan.faults.map(({ kind }) => kind).sort()).toEqual(['cut', 'pause'])
  })

  test('does not take another failure for the same one', async () => {
    const start = createPlan({
      faults: [{ kind: 'pause', fromMs: 3_000, untilMs: 4_000, processes: ['n1', 's1'] }],
    })
    const other = { ...FAILURE, signature: 'another' }
    const play = async (plan: FuzzPlan) =>
      plan.faults.length === 0 ? other : hasLongPause(plan) ? FAILURE : undefined
    const small = await shrink(start, FAILURE, play, NO_LIMITS)
    expect(small.failure.signature).toBe('planted')
    expect(small.plan.faults).toHaveLength(1)
  })

  test('is the same every time', async () => {
    const start = drawBlamed(hasLongPause)
    const once = await shrink(start, FAILURE, blames(hasLongPause), NO_LIMITS)
    expect(await shrink(start, FAILURE, blames(hasLongPause), NO_LIMITS)).toEqual(once)
  })

  test('does not leave a master that waits for more replicas than it has (seed 31178)', async () => {
    const start = drawPlan('31178')
    expect(start.topology.settings).toMatchObject({ 'min-replicas-to-write': 1 })
    const hasReading = ({ clients }: FuzzPlan): boolean =>
      clients.some(({ operation }) => operation === 'data')
    // The judge blames the guard too, so that the shrinker may not simply leave it out.
    const isGuarded = ({ topology }: FuzzPlan): boolean =>
      'min-replicas-to-write' in topology.settings
    const guarded = (plan: FuzzPlan): boolean => hasReading(plan) && isGuarded(plan)
    const { plan } = await shrink(start, FAILURE, blames(guarded), NO_LIMITS)
    expect(plan.topology.nodes.map(({ replicaOf }) => replicaOf)).toEqual([undefined, 'n1'])
  })

  test('ends when its runs are used up, with the smallest so far', async () => {
    const start = drawBlamed(hasLongPause)
    const limits = { ...NO_LIMITS, maxRuns: 4 }
    const small = await shrink(start, FAILURE, blames(hasLongPause), limits)
    expect(small.runs).toBe(4)
    expect(hasLongPause(small.plan)).toBe(true)
  })

  test('never leaves a fault that speaks of somebody who is gone', async () => {
    const isLarge = ({ topology }: FuzzPlan): boolean => topology.sentinels.length >= 2
    const seeds = ['11', '12', '13', '14', '15', '16', '17', '18']
    for (const seed of seeds.filter((one) => isLarge(drawPlan(one)))) {
      const limits = { ...NO_LIMITS, maxRuns: 60 }
      const { plan } = await shrink(drawPlan(seed), FAILURE, blames(isLarge), limits)
      const names = [...plan.topology.nodes, ...plan.topology.sentinels].map(({ name }) => name)
      const named = plan.faults.flatMap((fault) => ('processes' in fault ? fault.processes : []))
      expect(named.filter((name) => !names.includes(name))).toEqual([])
    }
  })
})
