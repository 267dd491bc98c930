import { expect, test } from 'vitest'
import { GROUP, ID, type SentinelName, Stage } from './support.ts'

const NAME = 'a pause holds'

/** These Sentinels hold a pause from now on. */
function paused(...sentinels: readonly SentinelName[]): Stage {
  const stage = new Stage().until(5_000)
  for (const sentinel of sentinels) stage.event(sentinel, '+pause')
  return stage.until(6_000)
}

/** What this checker says; others have their own opinions of such short histories. */
function said(stage: Stage): readonly string[] {
  return stage.violations.filter((name) => name === NAME)
}

test('a Sentinel that holds a pause and begins a failover is caught', () => {
  expect(said(paused('s1').stands('s1', 1))).toEqual([NAME])
})

test('one that has not heard of it is not: it cannot know', () => {
  expect(said(paused('s2', 's3').stands('s1', 1))).toEqual([])
})

test('an operator may order a failover in a pause, and votes are given for it', () => {
  const stage = paused('s1', 's2', 's3').tell('s1', {
    ...{ kind: 'candidacy', sentinelId: ID.s1, group: GROUP, epoch: 1, forced: false },
    ...{ isPlanned: true, electorate: { known: 3, quorum: 2 } },
    master: { host: 'n1', port: 6379 },
  })
  expect(said(stage.votes('s2', 1, 's1').leads('s1', 1))).toEqual([])
})

test('a vote of a holder for a failover that began in the pause is caught', () => {
  expect(said(paused('s2').stands('s1', 1).votes('s2', 1, 's1'))).toEqual([NAME])
})

test('a vote for one that began before is not', () => {
  const stage = new Stage().until(5_000).stands('s1', 1).event('s2', '+pause')
  expect(said(stage.votes('s2', 1, 's1'))).toEqual([])
})

test('a leader against a majority of holders is caught, whoever voted', () => {
  expect(said(paused('s2', 's3').stands('s1', 1).leads('s1', 1))).toEqual([NAME])
})

test('a leader against one holder of three is not', () => {
  expect(said(paused('s2').stands('s1', 1).votes('s3', 1, 's1').leads('s1', 1))).toEqual([])
})

test('a failover that waited for the end of the pause is right', () => {
  const stage = paused('s2', 's3').stands('s1', 1).event('s3', '-pause')
  expect(said(stage.votes('s3', 1, 's1').leads('s1', 1))).toEqual([])
})

test('a restart ends no pause', () => {
  const stage = paused('s1').status('s1', 'down').until(7_000).status('s1', 'running')
  expect(said(stage.stands('s1', 1))).toEqual([NAME])
})

test('a restart without files does, and one after a full disk may', () => {
  const empty = paused('s1').does({ kind: 'restart', processes: ['s1'], disk: 'empty' })
  expect(said(empty.stands('s1', 1))).toEqual([])
  const failure = { kind: 'diskFailure', process: 's1', operation: 'write', reason: '' } as const
  const full = new Stage().does(failure).event('s1', '+pause').status('s1', 'down')
  expect(said(full.status('s1', 'running').stands('s1', 1))).toEqual([])
})
