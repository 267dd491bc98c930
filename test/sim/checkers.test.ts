import { describe, expect, test } from 'vitest'
import { createCheckers } from '../../src/history/checkers/checkers.ts'
import type { Occurrence } from '../../src/history/happening.ts'
import { Recorder } from '../../src/history/recorder.ts'

const S1 = '1'.repeat(40)
const S2 = '2'.repeat(40)
const GROUP = 'g'

function violations(...occurrences: Occurrence[]): string[] {
  const recorder = new Recorder(() => 0, createCheckers())
  for (const occurrence of occurrences) recorder.record('s', occurrence)
  return recorder.violations.map((happening) =>
    happening.kind === 'violation' ? happening.checker : '',
  )
}

const leader = (sentinelId: string, epoch: number): Occurrence => ({
  ...{ kind: 'leader', sentinelId, group: GROUP, epoch },
})
const vote = (sentinelId: string, epoch: number, candidate: string): Occurrence => ({
  ...{ kind: 'vote', sentinelId, group: GROUP, epoch, leader: candidate },
})
const hello = (sentinelId: string, configEpoch: number, host: string): Occurrence => ({
  ...{ kind: 'hello', sentinelId, group: GROUP, configEpoch, master: { host, port: 6379 } },
})

describe('leaders', () => {
  test('two leaders of one epoch are a violation', () => {
    expect(violations(leader(S1, 1), leader(S2, 1))).toEqual(['one leader per epoch'])
  })

  test('a leader that leads again in another epoch is none', () => {
    expect(violations(leader(S1, 1), leader(S2, 2), leader(S1, 3))).toEqual([])
  })
})

describe('votes', () => {
  test('two votes of one Sentinel in one epoch are a violation', () => {
    expect(violations(vote(S1, 1, S1), vote(S1, 1, S2))).toEqual(['one vote per epoch'])
  })

  test('the same vote told twice is none', () => {
    expect(violations(vote(S1, 1, S2), vote(S1, 1, S2))).toEqual([])
  })

  test('another vote in another epoch is none', () => {
    expect(violations(vote(S1, 1, S1), vote(S1, 2, S2))).toEqual([])
  })
})

describe('config epochs', () => {
  test('an epoch that falls is a violation', () => {
    expect(violations(hello(S1, 2, 'a'), hello(S1, 1, 'b'))).toEqual(['config epochs never fall'])
  })

  test('a Sentinel that learns an epoch late is none', () => {
    expect(violations(hello(S1, 2, 'a'), hello(S2, 1, 'b'), hello(S2, 2, 'a'))).toEqual([])
  })

  test('one epoch for two masters is a violation', () => {
    const found = violations(hello(S1, 1, 'a'), hello(S2, 1, 'b'))
    expect(found).toEqual(['a config epoch names one master'])
  })
})
