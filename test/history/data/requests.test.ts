import { expect, test } from 'vitest'
import { type CarriedOut, NO_HOLDINGS } from '../../../src/history/data/holdings.ts'
import { applyRequest } from '../../../src/history/data/requests.ts'

const AT: CarriedOut = {
  ...{ fromMs: 0, untilMs: 1 },
  ...{ areClocksRight: true, mayKeepDead: false, mayBeFull: false },
}

// The worker of the laboratory ended for want of memory (seed 36052).
test('two members of hundreds that were taken at random are not looked for in every pair', () => {
  const members = Array.from({ length: 300 }, (_, at) => `m${at}`)
  const added = { commands: [['SADD', 'e1', ...members]], form: 'command' } as const
  const popped = {
    commands: [
      ['SPOP', 'e1'],
      ['SPOP', 'e1'],
    ],
    form: 'transaction',
  } as const
  const [held = NO_HOLDINGS] = applyRequest(NO_HOLDINGS, added, AT, members.length)
  const states = applyRequest(held, popped, AT, undefined, 1_000)
  expect(states.length).toBeGreaterThan(1_000)
  expect(states.length).toBeLessThanOrEqual(1_000 + members.length)
})
