import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addScenario } from '../../../src/cli/laboratory-commands.ts'
import { durationOrNone, seeds } from '../../../src/cli/options.ts'
import { planRuns, type ScenarioOptions } from '../../../src/cli/scenario/scenario-options.ts'

const OPTIONS: ScenarioOptions = { engine: 'sim', against: 'vedette' }

test('one run with the same seed every time, unless another is asked for', () => {
  expect(planRuns(OPTIONS)).toMatchObject({ ok: true, plan: { seeds: ['1'] } })
  expect(planRuns({ ...OPTIONS, seed: 'x' })).toMatchObject({ ok: true, plan: { seeds: ['x'] } })
})

test('a range of seeds means one run for each', () => {
  const planned = planRuns({ ...OPTIONS, seeds: { first: 9, last: 11 } })
  expect(planned).toMatchObject({ ok: true, plan: { seeds: ['9', '10', '11'] } })
})

test('a seed and a range of seeds exclude each other', () => {
  const planned = planRuns({ ...OPTIONS, seed: '1', seeds: { first: 1, last: 2 } })
  expect(planned).toMatchObject({ ok: false, hint: 'leave one out' })
})

test('only real processes can be those of Redis', () => {
  const planned = planRuns({ ...OPTIONS, against: 'redis' })
  expect(planned).toMatchObject({ ok: false, message: '--against redis needs real processes' })
  expect(planRuns({ ...OPTIONS, engine: 'process', against: 'mixed' }).ok).toBe(true)
})

test('virtual time needs no grace, and real time gets some', () => {
  expect(planRuns(OPTIONS)).toMatchObject({ plan: { graceMs: 0 } })
  expect(planRuns({ ...OPTIONS, engine: 'tcp' })).toMatchObject({ plan: { graceMs: 250 } })
  expect(planRuns({ ...OPTIONS, engine: 'tcp', grace: 5 })).toMatchObject({ plan: { graceMs: 5 } })
})

test.each([
  ['0s', 0],
  ['0ms', 0],
  ['1.5s', 1_500],
])('a grace of %s is taken, also none on real sockets', (text, ms) => {
  const grace = durationOrNone(text)
  expect(planRuns({ ...OPTIONS, engine: 'tcp', grace })).toMatchObject({ plan: { graceMs: ms } })
})

test.each(['', '0', '5', '-1s', '1x'])(
  '"%s" is no grace, and the answer names one that is',
  (text) => {
    expect(() => durationOrNone(text)).toThrow('such as 500ms, 1s or 0s')
  },
)

test.each([
  ['1..3', { first: 1, last: 3 }],
  ['7', { first: 1, last: 7 }],
  ['7..7', { first: 7, last: 7 }],
])('%s is a range of seeds', (text, range) => {
  expect(seeds(text)).toEqual(range)
})

test.each(['', 'a..b', '3..1', '1..', '1...3', '-1..3', '0..1000000', '1e3..2'])(
  '"%s" is no range of seeds',
  (text) => {
    expect(() => seeds(text)).toThrow(/expected a range of at most a million seeds/)
  },
)

test('a seed of no letter is refused: a script has not set its variable', async () => {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  addScenario(program)
  const words = ['scenario', 'run', 'any.yml', '--seed', '']
  await expect(program.parseAsync(words, { from: 'user' })).rejects.toThrow(
    "argument '' is invalid. expected a number or a word, such as 7",
  )
})

test('no run at a time plays nothing, and is refused', async () => {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  addScenario(program)
  const words = ['scenario', 'run', 'any.yml', '--engine', 'tcp', '--jobs', '0']
  await expect(program.parseAsync(words, { from: 'user' })).rejects.toThrow(
    "argument '0' is invalid. expected a whole number from 1 to 256",
  )
})
