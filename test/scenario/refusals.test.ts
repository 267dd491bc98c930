import { expect, test } from 'vitest'
import { actionsOf, refusalOf } from '../../src/scenario/refusals.ts'
import { altered, parse } from './support.ts'

const FILE = parse(
  altered(
    'expect:',
    '  - { at: 6s, shape: { between: [a, b], loss: 0.1 } }\n  - { at: 7s, clock-jump: { process: s1, by: 1s } }\nexpect:',
  ),
)

test('steps are counted from one, and go by the words of the file', () => {
  expect(actionsOf(FILE).map(({ step, word }) => `${step} ${word}`)).toEqual([
    '1 kill',
    '2 shape',
    '2 shape',
    '3 clock-jump',
  ])
})

test('an engine names every step it cannot do, once', () => {
  const refusal = refusalOf(FILE, ({ kind }) =>
    kind === 'shape' ? 'no such network' : kind === 'clockJump' ? 'no such clock' : undefined,
  )
  expect(refusal).toBe('step 2 (shape): no such network; step 3 (clock-jump): no such clock')
})

test('an engine that can do everything refuses nothing', () => {
  expect(refusalOf(FILE, () => undefined)).toBeUndefined()
})
