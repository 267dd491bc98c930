import { expect, test } from 'vitest'
import { Lifelines } from '../../src/scenario/facts/lifelines.ts'
import { countLost } from '../../src/scenario/facts/loss-causes.ts'
import type { LostWrites } from '../../src/scenario/result.ts'
import { GROUP, HistoryBuilder } from './history-builder.ts'

const NOTHING: LostWrites = {
  ...{ byMajority: 0, byCutOff: 0, byDeposed: 0 },
  ...{ asynchronous: 0, splitBrain: 0, emptyRestart: 0 },
}

/** n1 is the master from the start, and n2 its connected replica. */
function begin(): HistoryBuilder {
  return new HistoryBuilder().reign(500, 'n1', 0).master(500, 'n1').replica(1_000, 'n2', 'n1')
}

function lostIn(story: HistoryBuilder): LostWrites | undefined {
  const history = story.history()
  return countLost(GROUP, history, new Lifelines(history))
}

test('what the rightful master had promised when it died is lost for want of replication', () => {
  const story = begin().status(5_000, 'n1', 'down').reign(6_500, 'n2', 1)
  story.write({ atMs: 4_999, node: 'n1', isLost: true })
  story.write({ atMs: 4_000, node: 'n1' })
  expect(lostIn(story)).toEqual({ ...NOTHING, byMajority: 1, asynchronous: 1 })
})

test('what a master promised that had no majority in reach is lost by a split brain', () => {
  const story = begin().reign(6_500, 'n2', 1)
  story.write({ atMs: 6_000, node: 'n1', withMajority: false, isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byCutOff: 1, splitBrain: 1 })
})

test('what a master promised in whose place another one stood is lost by a split brain', () => {
  const story = begin().reign(6_500, 'n2', 1)
  story.write({ atMs: 7_000, node: 'n1', isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byDeposed: 1, splitBrain: 1 })
})

test('a master that comes back without its data before anybody takes its place has lost it', () => {
  const story = begin().restart(5_000, 5_200, 'n1').master(5_200, 'n1')
  story.write({ atMs: 4_000, node: 'n1', isLost: true })
  // The answer was on its way when the master died.
  story.write({ atMs: 5_001, node: 'n1', isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byMajority: 2, emptyRestart: 2 })
})

test('what was promised before a partition that nobody was promoted in can be lost by a restart', () => {
  const story = begin().restart(9_000, 9_200, 'n1')
  story.write({ atMs: 4_000, node: 'n1', withMajority: false, isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byCutOff: 1, emptyRestart: 1 })
})

test('the next master has copied the emptiness of the one before when its link stood again', () => {
  const story = begin()
    .restart(5_000, 5_200, 'n1')
    .replica(5_100, 'n2', 'n1', false)
    .replica(5_900, 'n2', 'n1')
    .reign(9_000, 'n2', 1)
  story.write({ atMs: 4_000, node: 'n1', isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byMajority: 1, emptyRestart: 1 })
})

test('a restart that nobody copied from is not the cause', () => {
  const story = begin()
    .restart(5_000, 6_400, 'n1')
    .replica(5_100, 'n2', 'n1', false)
    .reign(6_500, 'n2', 1)
  story.write({ atMs: 4_999, node: 'n1', isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byMajority: 1, asynchronous: 1 })
})

test('a restart of the old master after its reign is not the cause', () => {
  const story = begin()
    .status(5_000, 'n1', 'down')
    .reign(6_500, 'n2', 1)
    .status(9_000, 'n1', 'running')
  story.write({ atMs: 4_999, node: 'n1', isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byMajority: 1, asynchronous: 1 })
})

test('a later master that comes back without data has lost what it had taken over', () => {
  const story = begin()
    .status(5_000, 'n1', 'down')
    .reign(6_500, 'n2', 1)
    .restart(9_000, 9_100, 'n2')
  story.write({ atMs: 4_000, node: 'n1', isLost: true })
  story.write({ atMs: 8_000, node: 'n2', isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byMajority: 2, emptyRestart: 2 })
})

test('what a split brain promised stays its loss when a later master is restarted', () => {
  const story = begin().reign(6_500, 'n2', 1).restart(9_000, 9_100, 'n2')
  story.write({ atMs: 7_000, node: 'n1', isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byDeposed: 1, splitBrain: 1 })
})

test('a replica that is promoted before it could copy anything anew has lost what it had', () => {
  const story = begin()
    .restart(4_500, 4_600, 'n2')
    .replica(4_600, 'n2', 'n1', false)
    .status(4_700, 'n1', 'down')
    .reign(6_500, 'n2', 1)
  story.write({ atMs: 4_000, node: 'n1', isLost: true })
  // This one came when the replica was down already: it never had it.
  story.write({ atMs: 4_550, node: 'n1', isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byMajority: 2, emptyRestart: 1, asynchronous: 1 })
})

test('a replica that was restarted and connected again has lost nothing by it', () => {
  const story = begin()
    .restart(4_500, 4_600, 'n2')
    .replica(4_900, 'n2', 'n1')
    .status(9_000, 'n1', 'down')
    .reign(10_500, 'n2', 1)
  story.write({ atMs: 4_000, node: 'n1', isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byMajority: 1, asynchronous: 1 })
})

test('a new epoch of the same master is no other reign', () => {
  const story = begin().reign(4_500, 'n1', 1).restart(4_400, 4_600, 'n1')
  story.write({ atMs: 4_000, node: 'n1', isLost: true })
  expect(lostIn(story)).toEqual({ ...NOTHING, byMajority: 1, emptyRestart: 1 })
})

test('without a master at the end nobody knows what is lost', () => {
  expect(lostIn(begin().withoutFinalMaster())).toBeUndefined()
})
