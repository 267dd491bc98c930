import { describe, expect, test } from 'vitest'
import { createFailingFile } from '../../src/fuzz/failing-file.ts'
import { crashOf } from '../../src/fuzz/failure.ts'
import type { FuzzPlan } from '../../src/fuzz/plan.ts'
import { runPlan, runSeed } from '../../src/fuzz/run.ts'
import { shrink } from '../../src/fuzz/shrink.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import { runScenario } from '../../src/scenario/run.ts'
import { createPlan } from './support.ts'

/** A replica of a replica is known to no Sentinel: when it is told to be a master it stays one. */
const NOBODY_KNOWS_IT: FuzzPlan = createPlan({
  chained: true,
  faults: [
    { kind: 'pause', fromMs: 12_000, untilMs: 12_400, processes: ['s1'] },
    { kind: 'command', fromMs: 13_000, process: 'n3', argv: ['REPLICAOF', 'NO', 'ONE'] },
  ],
})

describe('a seed', () => {
  test('stands for one run: played twice it leaves the same trace', async () => {
    const [once, again] = [await runSeed('3'), await runSeed('3')]
    expect(once.traceHash).toMatch(/^[0-9a-f]{16}$/)
    expect(again).toEqual(once)
  })

  test('that differs leaves another trace', async () => {
    const plan = createPlan({ faults: [] })
    const hashes = [await runPlan(plan, 'a'), await runPlan(plan, 'b')].map((run) => run.traceHash)
    expect(hashes[0]).not.toBe(hashes[1])
  })

  test('counts what it did', async () => {
    const plan = createPlan({
      faults: [
        {
          kind: 'failover',
          fromMs: 13_000,
          sentinel: 's1',
          group: 'mymaster',
          isCoordinated: false,
        },
      ],
    })
    const run = await runPlan(plan, '1')
    expect(run.failure).toBeUndefined()
    expect(run).toMatchObject({ faults: { failover: 1 }, failovers: 1 })
  })
})

describe('a run that never comes to rest', () => {
  test('fails, and shrinks to the one fault that matters', async () => {
    const { failure } = await runPlan(NOBODY_KNOWS_IT, '1')
    expect(failure).toMatchObject({ kind: 'expectation', signature: 'converges' })
    if (failure === undefined) return
    const play = async (plan: FuzzPlan) => (await runPlan(plan, '1')).failure
    const small = await shrink(NOBODY_KNOWS_IT, failure, play, {
      maxRuns: 100,
      isOver: () => false,
    })
    expect(small.plan.faults).toEqual([
      { kind: 'command', fromMs: 12_000, process: 'n3', argv: ['REPLICAOF', 'NO', 'ONE'] },
    ])
    expect(small.plan.clients).toEqual([])
    expect(small.plan.topology.sentinels).toHaveLength(1)
  })

  test('is written as a file that fails in the same way', async () => {
    const { failure } = await runPlan(NOBODY_KNOWS_IT, '1')
    if (failure === undefined) throw new Error('it was to fail')
    const file = await createFailingFile(NOBODY_KNOWS_IT, failure, '1')
    expect(file.reproduces).toBe(true)
    const parsed = parseScenario(file.text, 'failing.yml')
    if (!parsed.ok) throw new Error('it was to parse')
    const { verdict } = await runScenario(parsed.value, { seed: '1' })
    expect(verdict).toBe('failed')
  })
})

test('two crashes are the same when the claim that broke is, whoever it broke for', () => {
  const [one, other] = [3, 14].map((at) => crashOf(new Error(`broken invariant: n${at} is up`)))
  expect(one?.signature).toBe(other?.signature)
  expect(crashOf(new Error('broken invariant: it is down')).signature).not.toBe(one?.signature)
})
