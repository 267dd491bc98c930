import { expect, test } from 'vitest'
import { assemble } from '../../../src/fuzz/assemble.ts'
import { drawLongLife } from '../../../src/fuzz/draw/draw-long-life.ts'
import { endOf, type Fault } from '../../../src/fuzz/faults/faults.ts'
import { renderScenario } from '../../../src/fuzz/file.ts'
import { numbers } from '../../../src/fuzz/odds.ts'
import { runPlan, titleOf } from '../../../src/fuzz/run.ts'
import { parseScenario } from '../../../src/scenario/parse.ts'
import { createPlan } from '../support.ts'

const DAY_MS = 24 * 3_600_000

test('a long life is a month of rare faults, measured every day', () => {
  const { faults, calmMs } = drawLongLife('1', 30)
  const count = (kind: string): number => faults.filter((fault) => fault.kind === kind).length
  expect(calmMs).toBe(30 * DAY_MS)
  expect(count('measure')).toBe(30)
  expect(count('death')).toBeGreaterThan(3)
  expect(faults.filter((fault) => endOf(fault) > calmMs)).toEqual([])
  const drifts = faults.filter(({ kind }) => kind === 'longDrift')
  expect(Math.max(...drifts.map((one) => endOf(one) - one.fromMs))).toBeGreaterThan(DAY_MS / 6)
})

test.each([30, 366])('one of %i days is a scenario like any other', (days) => {
  const text = renderScenario(assemble(drawLongLife('2', days), titleOf('2')))
  expect(parseScenario(text, 'long life').ok).toBe(true)
})

test('a machine that grows is noticed', async () => {
  const measures = numbers(9).map(
    (number): Fault => ({ kind: 'measure', fromMs: 11_000 + number * 500 }),
  )
  // Groups that nobody asked for stand for a leak: a Sentinel keeps each of them.
  const leak = numbers(40).map(
    (number): Fault => ({
      ...{ kind: 'command', process: 's1', fromMs: 13_000 + number * 25 },
      argv: ['SENTINEL', 'MONITOR', `leak${number}`, '10.9.9.9', '6379', '1'],
    }),
  )
  const plan = createPlan({ faults: [...measures, ...leak] })
  const anything = { kind: 'anything', group: 'mymaster' } as const
  const short = {
    ...plan,
    calmMs: 16_000,
    restMs: 0,
    ending: 'limit',
    demands: [anything],
  } as const
  expect((await runPlan(short, '1')).failure?.checker).toBe('machines stay small')
})
