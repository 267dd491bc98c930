/** Groups whose clients fight for the same keys. */
import { expect, test } from 'vitest'
import { drawRun } from '../../src/fuzz/draw/draw.ts'
import { numbers } from '../../src/fuzz/odds.ts'
import { runSeed, scenarioOf } from '../../src/fuzz/run.ts'
import { sized } from '../support/sized.ts'

const SEEDS = numbers(20).map(String)
const drawn = (seed: string) => drawRun({ seed, profile: 'shared', detection: undefined })

test('drawn runs are scenarios that the parser takes, and have two rivals', () => {
  const rivals = SEEDS.map(drawn).map((plan) => {
    const { clients } = scenarioOf(plan, 'x').topology
    return clients.filter(({ operation }) => operation === 'shared').length
  })
  expect(Math.min(...rivals)).toBe(2)
})

test('drawn runs hold', async () => {
  for (const seed of SEEDS.slice(0, sized(1, 10))) {
    const { failure } = await runSeed(seed, { profile: 'shared' })
    expect([seed, failure]).toEqual([seed, undefined])
  }
})
