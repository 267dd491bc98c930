import { expect, test } from 'vitest'
import type { Write } from '../../src/history/writes.ts'
import { doubledWrites } from '../../src/scenario/final-checks/final-checks.ts'
import type { FinishedRun } from '../../src/scenario/final-checks/finished-run.ts'

/** The answers to the increments of one counter, in the order in which they were asked; undefined: none came. */
function found(...values: readonly (number | undefined)[]): readonly string[] {
  const writes = values.map(
    (value): Write => ({
      ...{ client: 'app', group: 'g', node: 'n1', attemptedAtMs: 0 },
      operation: { kind: 'increment', counter: 'c' },
      outcome:
        value === undefined
          ? { kind: 'unknown', atMs: 1 }
          : { kind: 'acknowledged', atMs: 1, withMajority: true, value },
    }),
  )
  const run = { history: { writes } } as unknown as FinishedRun
  return doubledWrites(run).map(({ text }) => text)
}

test('a counter that is higher than it was ever asked to be was written twice', () => {
  expect(found(1, 3)).toEqual(['app was told 3 by its increment number 2 of c'])
})

test('increments that were lost, or not answered and carried out, are no doubles', () => {
  expect(found(1, undefined, 3)).toEqual([])
  expect(found(1, undefined, 2)).toEqual([])
})
