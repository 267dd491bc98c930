/** Drawn liars: within their rules, playable, and small when they have found something. */
import { describe, expect, test } from 'vitest'
import { assemble } from '../../src/fuzz/assemble.ts'
import { drawRun, isStill } from '../../src/fuzz/draw/draw.ts'
import { endOf, type Fault } from '../../src/fuzz/faults/faults.ts'
import { renderScenario } from '../../src/fuzz/file.ts'
import { isBearable, voicesIn } from '../../src/fuzz/liar-rules.ts'
import { numbers } from '../../src/fuzz/odds.ts'
import type { FuzzPlan } from '../../src/fuzz/plan.ts'
import { prune, REDUCTIONS } from '../../src/fuzz/reductions.ts'
import { runPlan, titleOf } from '../../src/fuzz/run.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import { createPlan } from './support.ts'

const SEEDS = numbers(60).map(String)
const PLANS = SEEDS.map((seed) => drawRun({ seed, profile: 'liar', detection: undefined }))

type Told = Fault & { readonly kind: 'lie' }

function liesOf({ faults }: FuzzPlan): Told[] {
  return faults.filter((fault) => fault.kind === 'lie')
}

function lie(words: Told['words'], to: readonly string[] = ['n1'], times = 1): Fault {
  return { kind: 'lie', fromMs: 12_000, liar: 'liar1', to, words, times, everyMs: 100 }
}

/** Three boxes and a liar, that falls silent at 14 s; the master dies at the end. */
function lyingPlan(...faults: readonly Fault[]): FuzzPlan {
  const plan = createPlan({ faults })
  const liars = [{ name: 'liar1', knowsPassword: false }]
  return {
    ...{ ...plan, topology: { ...plan.topology, liars }, hasFinalDeath: true },
    demands: [...plan.demands, { kind: 'failsOver', group: 'mymaster' }],
  }
}

describe('drawn liars', () => {
  test('are scenarios the parser takes, and the same for the same seed', () => {
    const problems = PLANS.flatMap((plan, at) => {
      const text = renderScenario(assemble(plan, titleOf(`${at}`)))
      const parsed = parseScenario(text, `${at}`)
      return parsed.ok ? [] : parsed.problems
    })
    expect(problems).toEqual([])
    expect(drawRun({ seed: '7', profile: 'liar', detection: undefined })).toEqual(PLANS[6])
  })

  test('have fewer voices than there are true Sentinels, and lie until they are silenced', () => {
    expect(PLANS.filter((plan) => !isBearable(plan))).toEqual([])
    expect(PLANS.filter((plan) => liesOf(plan).some((one) => endOf(one) > plan.calmMs))).toEqual([])
    expect(PLANS.every((plan) => liesOf(plan).length > 0 && plan.hasFinalDeath)).toBe(true)
  })

  test('say everything that hurts, with a password and without', () => {
    const lies = PLANS.flatMap(liesOf).map(({ words }) => JSON.stringify(words))
    for (const epoch of ['2^48"', '2^48 - 1', '2^63 - 1', '2^64 - 1', '-1', 'current + 1"']) {
      expect(lies.filter((words) => words.includes(epoch)).length, epoch).toBeGreaterThan(0)
    }
    const kinds = PLANS.flatMap(liesOf).flatMap(({ words }) => Object.keys(words))
    expect(new Set(kinds)).toEqual(new Set(['hello', 'vote', 'confer', 'replica', 'answer']))
    const powers = PLANS.flatMap(({ topology: { liars, password } }) =>
      liars.map(({ knowsPassword }) => `${password} ${knowsPassword}`),
    )
    expect(new Set(powers)).toEqual(new Set(['undefined false', 'sesame true', 'sesame false']))
  })
})

describe('voices', () => {
  const answer = lie({ answer: { epoch: 'asked' } }, [])

  test('count where somebody answers', () => {
    const many = lie({ hello: { id: 'new', at: 'new' } }, ['n1'], 5)
    expect(voicesIn([many])).toBe(0)
    expect(voicesIn([many, answer])).toBe(6)
    expect(voicesIn([lie({ hello: { id: 'new', at: 'nowhere' } }, ['n1'], 5), answer])).toBe(1)
  })

  test('a smaller plan may not leave too few Sentinels for them', () => {
    const two = lie({ hello: { id: 'new', at: 'self' } })
    const plan = lyingPlan(answer, two)
    expect(isStill('liar', plan)).toBe(true)
    const sentinels = plan.topology.sentinels.slice(0, 2)
    const smaller = { ...plan, topology: { ...plan.topology, sentinels } }
    expect(isStill('liar', smaller)).toBe(false)
    expect(isStill('faults', smaller)).toBe(true)
  })
})

describe('a smaller plan', () => {
  test('has no lies of liars, nor to or about anybody, that are not there any more', () => {
    const plan = lyingPlan(
      lie({ hello: {} }, ['n1', 'n3']),
      lie({ hello: { id: 's3' } }),
      lie({ vote: { id: 'made-up' } }, ['s3']),
    )
    const { nodes, sentinels } = plan.topology
    const topology = {
      ...plan.topology,
      nodes: nodes.slice(0, 2),
      sentinels: sentinels.slice(0, 2),
    }
    expect(prune({ ...plan, topology }).faults).toEqual([lie({ hello: {} }, ['n1'])])
    expect(prune({ ...plan, topology: { ...topology, liars: [] } }).faults).toEqual([])
  })

  test('says it less often, to fewer, and can do without the last death', () => {
    const smaller = REDUCTIONS.flatMap((reduction) => [
      ...reduction(lyingPlan(lie({ hello: {} }, ['n1', 'n2'], 9))),
    ])
    const left = smaller.flatMap(liesOf)
    expect(left.some(({ times }) => times === 1)).toBe(true)
    expect(left.some(({ to }) => to.length === 1)).toBe(true)
    expect(smaller.some(({ hasFinalDeath }) => !hasFinalDeath)).toBe(true)
  })
})

describe('after the liar has fallen silent', () => {
  test('a master that dies is replaced in ordinary time', async () => {
    const { failure, failovers } = await runPlan(lyingPlan(lie({ hello: { epoch: '3' } })), '1')
    expect(failure).toBeUndefined()
    expect(failovers).toBe(1)
  })

  /** Six voices that answered once and never again make a majority of nine impossible, here as with C Sentinel. */
  test('a failover that never comes is a failure', async () => {
    const answers = lie({ answer: { epoch: 'asked' } }, [])
    const many = lie({ hello: { id: 'new', at: 'new' } }, ['n1'], 5)
    const { failure } = await runPlan(lyingPlan(answers, many), '1')
    expect(failure?.checker).toBe('writes return')
  })
})
