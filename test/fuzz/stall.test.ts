/** Stops and one-way cuts are drawn so that the checker of min-replicas-to-write can judge every promise. */
import { describe, expect, test } from 'vitest'
import { assemble } from '../../src/fuzz/assemble.ts'
import { drawRun } from '../../src/fuzz/draw/draw.ts'
import { endOf, type Fault } from '../../src/fuzz/faults/faults.ts'
import { renderScenario } from '../../src/fuzz/file.ts'
import { numbers } from '../../src/fuzz/odds.ts'
import type { FuzzPlan } from '../../src/fuzz/plan.ts'
import { runSeed, titleOf } from '../../src/fuzz/run.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import { sized } from '../support/sized.ts'

const SEEDS = numbers(100).map(String)
const PLANS = SEEDS.map((seed) => drawn(seed))

function drawn(seed: string): FuzzPlan {
  return drawRun({ seed, profile: 'stall', detection: undefined })
}

function lengthOf(fault: Fault): number {
  return endOf(fault) - fault.fromMs
}

describe('drawn stalls', () => {
  test('are scenarios that the parser takes', () => {
    const problems = SEEDS.flatMap((seed) => {
      const parsed = parseScenario(renderScenario(assemble(drawn(seed), titleOf(seed))), seed)
      return parsed.ok ? [] : parsed.problems
    })
    expect(problems).toEqual([])
  })

  test('are the same whenever the seed is the same', () => {
    for (const seed of SEEDS.slice(0, 10)) expect(drawn(seed)).toEqual(drawn(seed))
  })

  test('are stops, hangs, cuts and deaths, and nothing that makes a way slow', () => {
    const kinds = new Set(PLANS.flatMap(({ faults }) => faults.map(({ kind }) => kind)))
    expect(kinds).toEqual(new Set(['pause', 'stall', 'cut', 'death']))
  })

  test('hit masters that need a replica for every promise', () => {
    for (const { topology } of PLANS) {
      const needed = Number(topology.settings['min-replicas-to-write'])
      expect(needed).toBeGreaterThanOrEqual(1)
      expect(needed).toBeLessThan(topology.nodes.length)
    }
  })

  test('are longer than the lag allows, as often as not', () => {
    const isLong = PLANS.flatMap(({ faults, topology }) => {
      const lagMs = Number(topology.settings['min-replicas-max-lag']) * 1_000
      return faults.filter(({ kind }) => kind !== 'death').map((one) => lengthOf(one) > lagMs)
    })
    expect(isLong.filter(Boolean).length).toBeGreaterThan(isLong.length / 2)
  })

  test('come one after the other, and are over when calm is asked for', () => {
    for (const { faults, calmMs } of PLANS) {
      const cuts = faults.filter(({ kind }) => kind === 'cut')
      const isMixed = cuts.some((one) =>
        cuts.some(({ fromMs }) => fromMs > one.fromMs && fromMs < endOf(one)),
      )
      expect(isMixed).toBe(false)
      expect(faults.every((one) => endOf(one) <= calmMs)).toBe(true)
    }
  })

  test('meet clients that lose no command', () => {
    const clients = PLANS.flatMap((plan) => plan.clients)
    const patient = clients.filter(({ manner }) => manner === 'ioredis')
    expect(patient.length).toBeGreaterThan(clients.length / 2)
  })

  // Each of them lost what a thawed master had promised.
  test.each(sized(['12'], ['10', '12', '16']))(
    'seed %s: nobody promises what only he has',
    async (seed) => {
      expect((await runSeed(seed, { profile: 'stall' })).failure).toBeUndefined()
    },
  )
})
