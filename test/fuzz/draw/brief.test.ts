import { expect, test } from 'vitest'
import { briefly } from '../../../src/cli/fuzz/fuzz-engine.ts'
import { drawPlan } from '../../../src/fuzz/draw/draw.ts'
import { costOf, endOf } from '../../../src/fuzz/faults/faults.ts'
import { FIRST_FAULT_MS } from '../../../src/fuzz/plan.ts'
import { scenarioOf } from '../../../src/fuzz/run.ts'

const PLANS = Array.from({ length: 60 }, (_, index) => drawPlan(`${index + 1}`))
const CALM_MS = FIRST_FAULT_MS + 5_000

test('a brief run has five seconds of faults, and none that costs half a minute of TILT', () => {
  const faults = PLANS.flatMap((plan) => briefly(plan, () => true).faults)
  expect(faults.length).toBeGreaterThan(PLANS.length)
  expect(faults.filter((fault) => endOf(fault) > CALM_MS || costOf(fault) === 'tilt')).toEqual([])
})

test('it has the same cluster and clients, and is a scenario that ends when all has come to rest', () => {
  for (const [index, plan] of PLANS.slice(0, 4).entries()) {
    const brief = briefly(plan, () => true)
    expect(brief).toMatchObject({ topology: plan.topology, clients: plan.clients, ending: 'rest' })
    expect(() => scenarioOf(brief, `${index}`)).not.toThrow()
  }
})

test('what the world cannot do is left out, one fault at a time', () => {
  const [plan] = PLANS.filter(({ faults }) => new Set(faults.map(({ kind }) => kind)).size > 2)
  if (plan === undefined) throw new Error('no plan has three kinds of faults')
  const asked: number[] = []
  const brief = briefly(plan, ({ faults }) => {
    asked.push(faults.length)
    return faults.every(({ kind }) => kind !== 'cut')
  })
  expect(new Set(asked)).toEqual(new Set([1]))
  expect(brief.faults.some(({ kind }) => kind === 'cut')).toBe(false)
})
