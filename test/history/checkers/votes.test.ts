import { expect, test } from 'vitest'
import { Stage } from './support.ts'

const NAME = 'a leader has its votes'

test('a leader with its own vote and one more of three is right', () => {
  const stage = new Stage().votes('s2', 1, 's1').leads('s1', 1)
  expect(stage.violations).toEqual([])
})

test('a leader nobody else voted for is caught', () => {
  expect(new Stage().leads('s1', 1).violations).toEqual([NAME])
})

test('a vote of another epoch does not count', () => {
  expect(new Stage().votes('s2', 1, 's1').leads('s1', 2).violations).toEqual([NAME])
})

test('a vote for somebody else does not count', () => {
  expect(new Stage().votes('s2', 1, 's3').leads('s1', 1).violations).toEqual([NAME])
})

test('a leader that voted for somebody else lacks its own vote', () => {
  const stage = new Stage().votes('s1', 1, 's3').votes('s2', 1, 's1').leads('s1', 1)
  expect(stage.violations).toEqual([NAME])
})

test('a quorum above the majority is asked of the leader, too', () => {
  const stage = new Stage().votes('s2', 1, 's1').leads('s1', 1, { known: 3, quorum: 3 })
  expect(stage.violations).toEqual([NAME])
})

test('of a leader whose electorate is unknown nothing is said', () => {
  const id = '1'.repeat(40)
  const leader = { kind: 'leader', sentinelId: id, group: 'mymaster', epoch: 1 } as const
  expect(new Stage().tell('s1', leader).violations).toEqual([])
})
