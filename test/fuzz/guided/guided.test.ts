import { describe, expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { assemble } from '../../../src/fuzz/assemble.ts'
import { drawPlan } from '../../../src/fuzz/draw/draw.ts'
import { endOf } from '../../../src/fuzz/faults/faults.ts'
import { renderScenario } from '../../../src/fuzz/file.ts'
import { changePlan, isSound } from '../../../src/fuzz/guided/change-plan.ts'
import { Corpus } from '../../../src/fuzz/guided/corpus.ts'
import { CoverageMap, common, featuresOf } from '../../../src/fuzz/guided/coverage.ts'
import { transitionsOf } from '../../../src/fuzz/guided/transitions.ts'
import { numbers } from '../../../src/fuzz/odds.ts'
import { titleOf } from '../../../src/fuzz/run.ts'
import type { Happening } from '../../../src/history/happening.ts'
import { parseScenario } from '../../../src/scenario/parse.ts'
import { createPlan } from '../support.ts'

const F = { start: 10, end: 90, name: 'f', blocks: [] }
const visits = (calls: number, gaps: readonly (readonly [number, number])[]) =>
  new Map([['core/a.js', [{ ...F, calls, gaps }]]])

describe('what runs have reached', () => {
  test('is what at least one of them reached', () => {
    const map = new CoverageMap()
    map.add('1', visits(1, [[20, 40]]))
    map.add('2', visits(1, [[30, 60]]))
    const [[module, functions] = ['', []]] = map.modules()
    expect(module).toBe('core/a.js')
    expect(functions[0]?.gaps).toEqual([[30, 40]])
  })

  test('of a function that was never called is nothing', () => {
    const map = new CoverageMap()
    map.add('1', visits(0, []))
    expect(map.modules()[0]?.[1][0]).toMatchObject({ gaps: [[10, 90]], visitors: [] })
  })

  test('keeps the run that reached something new, however late it came', () => {
    const map = new CoverageMap()
    for (const seed of numbers(30)) map.add(`${seed}`, visits(1, [[20, 40]]))
    map.add('31', visits(1, [[20, 30]]))
    const seeds = map.modules()[0]?.[1][0]?.visitors.map(({ seed }) => seed) ?? []
    expect(seeds).toContain('31')
    expect(seeds).not.toContain('30')
  })

  test('gaps in common', () => {
    expect(
      common(
        [
          [0, 5],
          [8, 12],
        ],
        [
          [3, 9],
          [11, 20],
        ],
      ),
    ).toEqual([
      [3, 5],
      [8, 9],
      [11, 12],
    ])
    expect(common([[0, 5]], [])).toEqual([])
  })

  test('a run that does something more often has another feature, if it is much more often', () => {
    const features = [1, 2, 3, 5, 70].map((calls) => featuresOf(visits(calls, [])).join())
    expect(new Set(features).size).toBe(4)
  })
})

test('an event is told together with the state of the failover of its Sentinel', () => {
  const event = (process: string, name: string) =>
    ({ kind: 'event', atMs: 0, process, name, payload: '' }) as unknown as Happening
  const told = transitionsOf([
    event('s1', '+try-failover'),
    event('s1', '+tilt'),
    event('s2', '+tilt'),
    event('s1', '+failover-end'),
    event('s1', '+sdown'),
  ])
  expect(told).toContain('+try-failover × +tilt')
  expect(told).toContain('none × +tilt')
  expect(told).toContain('none × +sdown')
})

describe('a changed plan', () => {
  const rng = createRng('changes')
  const plans = numbers(40).map((seed) => drawPlan(`${seed}`))
  const changed = plans.map((plan, index) => changePlan(rng, plan, plans[(index + 1) % 40] ?? plan))

  test('differs from the one before, in nearly all cases', () => {
    const same = changed.filter((plan, index) => plan === plans[index])
    expect(same.length).toBeLessThan(10)
  })

  test('is a scenario that the parser takes, with nothing broken any more when calm is asked for', () => {
    const problems = changed.slice(0, 15).flatMap((plan, index) => {
      const parsed = parseScenario(renderScenario(assemble(plan, titleOf(`${index}`))), `${index}`)
      return parsed.ok ? [] : parsed.problems
    })
    expect(problems).toEqual([])
    const late = changed.filter(({ faults, calmMs }) => faults.some((one) => endOf(one) > calmMs))
    expect(late).toEqual([])
  })

  test('holds nobody down twice at once', () => {
    expect(changed.filter((plan, index) => plan !== plans[index] && !isSound(plan))).toEqual([])
    const span = { fromMs: 12_000, untilMs: 15_000, processes: ['n1'] }
    const faults = [
      { kind: 'death', how: 'kill', disk: 'kept', ...span },
      { kind: 'pause', ...span, fromMs: 14_000, untilMs: 18_000 },
    ] as const
    expect(isSound(createPlan({ faults }))).toBe(false)
  })
})

describe('the search', () => {
  const plan = createPlan({
    faults: [{ kind: 'pause', fromMs: 12_000, untilMs: 12_400, processes: ['n1'] }],
  })

  test('keeps what shows something new, and nothing else', () => {
    const corpus = new Corpus(createRng('corpus'))
    expect(corpus.add(plan, ['a', 'b'])).toBe(2)
    expect(corpus.add(plan, ['b'])).toBe(0)
    expect(corpus.add(plan, ['b', 'c'])).toBe(1)
    expect([corpus.size, corpus.features]).toEqual([2, 3])
  })

  test('draws afresh first, and one in four later', () => {
    const corpus = new Corpus(createRng('corpus'))
    for (const run of numbers(19)) {
      corpus.add(plan, [`${run}`])
      expect(corpus.next()).toBeUndefined()
    }
    corpus.add(plan, ['20'])
    const next = numbers(100).map(() => corpus.next())
    const fresh = next.filter((one) => one === undefined).length
    expect(fresh).toBeGreaterThan(10)
    expect(fresh).toBeLessThan(45)
  })
})
