import { expect, test } from 'vitest'
import { halfClosedAreAnswered } from '../../../src/history/checkers/half-closed.ts'
import type { Occurrence } from '../../../src/history/happening.ts'

/** Each with its time; what the checker says of the last one. */
function verdict(...story: readonly (readonly [number, Occurrence])[]): string | undefined {
  const checker = halfClosedAreAnswered()
  return story.map(([atMs, what]) => checker.observe({ atMs, process: 'app', ...what })).at(-1)
}

function unanswered(tookMs = 2): Occurrence {
  return { kind: 'unanswered', host: '10.0.0.1', asked: 3, answered: 1, tookMs }
}

test('an answer that is owed in a calm cluster is a violation', () => {
  expect(verdict([9_000, unanswered()])).toBe(
    'app closed its half behind 3 commands to 10.0.0.1, and got 1 answers',
  )
})

test.each<[string, Occurrence]>([
  ['a fault', { kind: 'fault', text: 'n1 dies' }],
  ['a change of a role', { kind: 'role', role: { kind: 'master' } } as Occurrence],
  ['a process that has started', { kind: 'status', status: 'running' }],
])('soon after %s nothing is demanded, later it is', (_, what) => {
  expect(verdict([20_000, what], [24_000, unanswered()])).toBeUndefined()
  expect(verdict([20_000, what], [26_000, unanswered()])).toContain('app')
})

test('nothing is demanded of a connection that took longer than a proxy waits', () => {
  expect(verdict([9_000, unanswered(450)])).toBeUndefined()
})
