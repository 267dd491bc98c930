import { describe, expect, test } from 'vitest'
import { assemble } from '../../../src/fuzz/assemble.ts'
import { stirringMs } from '../../../src/fuzz/budget.ts'
import { drawPlan } from '../../../src/fuzz/draw/draw.ts'
import { endOf, SWARM_KINDS } from '../../../src/fuzz/faults/faults.ts'
import { renderScenario } from '../../../src/fuzz/file.ts'
import { numbers } from '../../../src/fuzz/odds.ts'
import { titleOf } from '../../../src/fuzz/run.ts'
import { parseScenario } from '../../../src/scenario/parse.ts'
import { sized } from '../../support/sized.ts'

const SEEDS = numbers(100).map(String)
const PLANS = SEEDS.map((seed) => ({ seed, plan: drawPlan(seed) }))

function textOf(seed: string): string {
  return renderScenario(assemble(drawPlan(seed), titleOf(seed)))
}

describe('a drawn scenario', () => {
  test('is one that the parser takes, whatever the seed', () => {
    const problems = SEEDS.slice(0, sized(30, 100)).flatMap((seed) => {
      const parsed = parseScenario(textOf(seed), seed)
      return parsed.ok ? [] : parsed.problems
    })
    expect(problems).toEqual([])
  })

  test('gives a slow client that mostly asks more time for its next write (seed 31178)', () => {
    const plan = drawPlan('31178')
    expect(plan.clients[0]).toMatchObject({ name: 'app1', operation: 'data', pace: { rate: 2 } })
    const { expect: wanted } = assemble(plan, titleOf('31178'))
    expect(wanted).toContainEqual(expect.objectContaining({ within: '10s' }))
    expect(wanted).toContainEqual(expect.objectContaining({ within: '3s' }))
  })

  test('rests as long as a host was without power: its peers learn of it that late (seed 28968)', () => {
    const plan = drawPlan('28968')
    const [loss] = plan.faults.filter(({ kind }) => kind === 'powerLoss')
    if (loss === undefined) throw new Error('the seed was to draw a power loss')
    const awayMs = endOf(loss) - loss.fromMs
    expect(stirringMs(plan)).toBeGreaterThanOrEqual(10_000 + awayMs)
  })

  test('is the same file whenever the seed is the same', () => {
    for (const seed of SEEDS.slice(0, 10)) expect(textOf(seed)).toBe(textOf(seed))
  })

  test('is another one for another seed', () => {
    expect(new Set(SEEDS.map(textOf)).size).toBe(SEEDS.length)
  })

  test('has nothing broken any more when calm is asked for', () => {
    const late = PLANS.filter(({ plan }) => plan.faults.some((fault) => endOf(fault) > plan.calmMs))
    expect(late).toEqual([])
  })

  test('has about as many groups that go by evidence as by PING', () => {
    const modes = PLANS.flatMap(({ plan }) => plan.topology.groups.map((one) => one.detection))
    const share = modes.filter((mode) => mode === 'evidence').length / modes.length
    expect(share).toBeGreaterThan(0.35)
    expect(share).toBeLessThan(0.65)
  })

  test('has clients that use the same keys in some runs, two of them at least', () => {
    const counts = PLANS.map(({ plan }) => {
      return plan.clients.filter(({ operation }) => operation === 'shared').length
    })
    const some = counts.filter((count) => count > 0)
    expect(some.length).toBeGreaterThan(8)
    expect(some.length).toBeLessThan(25)
    expect(Math.min(...some)).toBe(2)
  })

  test('never takes the disk of a Sentinel away, which no protocol survives', () => {
    const emptied = PLANS.flatMap(({ plan }) =>
      plan.faults.flatMap((fault) =>
        fault.kind === 'death' && fault.disk === 'empty' ? fault.processes : [],
      ),
    )
    expect(emptied.length).toBeGreaterThan(0)
    expect(emptied.filter((name) => name.startsWith('s'))).toEqual([])
  })
})

describe('the swarm', () => {
  test('has every kind of fault in some runs, and none of them in all', () => {
    const runsWith = [...SWARM_KINDS, 'join'].map((kind) => ({
      kind,
      runs: PLANS.filter(({ plan }) => plan.faults.some((fault) => fault.kind === kind)).length,
    }))
    expect(runsWith.filter(({ runs }) => runs === 0 || runs === PLANS.length)).toEqual([])
  })

  test('has quiet runs and busy ones', () => {
    const counts = PLANS.map(({ plan }) => plan.faults.length).sort((a, b) => a - b)
    expect(counts[5]).toBeLessThan(6)
    expect(counts.at(-5)).toBeGreaterThan(25)
  })
})
