import { expect, test } from 'vitest'
import { lostIncrements } from '../../src/scenario/facts/read-back.ts'
import { HistoryBuilder } from './history-builder.ts'

/** How many of the increments with these answers are lost when the counter ends there. */
function lostOf(answers: readonly (number | undefined)[], standing: number): number {
  const story = new HistoryBuilder()
  answers.forEach((value, place) => {
    const outcome = value === undefined ? 'unknown' : 'acknowledged'
    const answer = value === undefined ? {} : { value }
    const operation = { kind: 'increment', counter: 'c' } as const
    story.write({ atMs: place, node: 'n1', operation, outcome, ...answer })
  })
  return lostIncrements(story.writes, new Map([['c', standing]])).size
}

test('a counter that stands where the last answer put it has lost nothing', () => {
  expect(lostOf([1, 2, 3], 3)).toBe(0)
})

test('increments nobody was told of hide no loss', () => {
  // Two were done without an answer, then the new master did not know the last two acknowledged ones.
  expect(lostOf([1, undefined, undefined, 4, 5, 4, 5, 6], 6)).toBe(2)
  expect(lostOf([1, undefined, undefined, 4, 5], 3)).toBe(2)
})

test('an increment that was done without an answer is no loss', () => {
  expect(lostOf([1, 2, undefined], 3)).toBe(0)
})

test('a counter that began anew has lost everything before', () => {
  expect(lostOf([1, 2, 3, 4, 1, 2], 2)).toBe(4)
  expect(lostOf([1, 2, 3, 4], 0)).toBe(4)
})

test('what an old master promised while the next one counted on is lost', () => {
  expect(lostOf([8, 9, 10, 8, 9, 10, 11], 11)).toBe(3)
})

test('without values the last ones are lost, as many as the counter is short of', () => {
  const story = new HistoryBuilder()
  const operation = { kind: 'increment', counter: 'c' } as const
  const writes = [1, 2, 3, 4].map((atMs) => story.write({ atMs, node: 'n1', operation }))
  expect(lostIncrements(writes, new Map([['c', 3]])).size).toBe(1)
})
