import { describe, expect, test } from 'vitest'
import { groupFacts } from '../../src/scenario/facts/facts.ts'
import type { GroupFacts } from '../../src/scenario/result.ts'
import { GROUP, HistoryBuilder } from './history-builder.ts'

function factsOf(story: HistoryBuilder, endMs?: number): GroupFacts {
  return groupFacts(GROUP, story.history(endMs), 'n1')
}

function acknowledge(story: HistoryBuilder, node: string, ...times: readonly number[]): void {
  for (const atMs of times) story.write({ atMs, node })
}

describe('two nodes that acknowledge', () => {
  const dualOf = (story: HistoryBuilder) => {
    const { dualWritesMs, dualWritesTotalMs } = factsOf(story)
    return [dualWritesMs, dualWritesTotalMs]
  }

  test('count from the first answer of the second to the last one of the first', () => {
    const story = new HistoryBuilder()
    acknowledge(story, 'n1', 1_000, 2_000, 5_000)
    acknowledge(story, 'n2', 3_500, 8_000)
    expect(dualOf(story)).toEqual([1_500, 1_500])
  })

  test('one after the other are no two masters', () => {
    const story = new HistoryBuilder()
    acknowledge(story, 'n1', 1_000, 5_000)
    acknowledge(story, 'n2', 5_000, 8_000)
    expect(dualOf(story)).toEqual([0, 0])
  })

  test('a master that returns later is no second one', () => {
    const story = new HistoryBuilder().master(0, 'n1').master(7_000, 'n1')
    acknowledge(story, 'n1', 1_000, 2_000)
    acknowledge(story, 'n2', 3_000, 6_000)
    acknowledge(story, 'n1', 8_000, 9_000)
    expect(dualOf(story)).toEqual([0, 0])
  })

  test('one that refuses in between is not writable in that time', () => {
    const story = new HistoryBuilder()
    acknowledge(story, 'n1', 1_000, 2_000)
    story.write({ atMs: 2_500, node: 'n1', outcome: 'refused' })
    acknowledge(story, 'n1', 7_000, 7_400)
    acknowledge(story, 'n2', 1_900, 8_000)
    expect(dualOf(story)).toEqual([400, 500])
  })

  test('one that is halted is not writable in that time, whenever its last answers are heard', () => {
    const story = new HistoryBuilder().status(2_000, 'n1', 'paused').status(9_000, 'n1', 'running')
    acknowledge(story, 'n1', 1_000, 2_000, 2_001, 9_001)
    acknowledge(story, 'n2', 4_000, 20_000)
    expect(dualOf(story)).toEqual([0, 0])
  })
})

describe('outages', () => {
  const outagesOf = (story: HistoryBuilder, endMs?: number) =>
    factsOf(story, endMs).outages.map(({ client, fromMs, untilMs }) => [client, fromMs, untilMs])

  test('last from one acknowledgement to the next, or to the end', () => {
    const story = new HistoryBuilder()
    acknowledge(story, 'n1', 1_000, 1_010, 1_020, 2_500, 2_510)
    expect(outagesOf(story, 4_000)).toEqual([
      ['app', 1_020, 2_500],
      ['app', 2_510, 4_000],
    ])
  })

  test('are of each client, whatever the others can do', () => {
    const story = new HistoryBuilder()
    for (let atMs = 0; atMs <= 3_000; atMs += 10) {
      story.write({ atMs, node: 'n1' })
      if (atMs < 1_000 || atMs > 2_000) story.write({ atMs, node: 'n1', client: 'other' })
    }
    expect(outagesOf(story, 3_000)).toEqual([['other', 990, 2_010]])
  })

  test('are not the pauses of a slow client', () => {
    const story = new HistoryBuilder()
    acknowledge(story, 'n1', 1_000, 2_000, 3_000, 4_000, 5_000, 9_000)
    expect(outagesOf(story, 10_000)).toEqual([['app', 5_000, 9_000]])
  })

  test('end when the client itself is gone', () => {
    const story = new HistoryBuilder().status(1_300, 'app', 'down')
    acknowledge(story, 'n1', 1_000, 1_010, 1_020)
    expect(outagesOf(story, 9_000)).toEqual([['app', 1_020, 1_300]])
  })

  test('begin with the first attempt of a client that never got anything', () => {
    const story = new HistoryBuilder()
    story.write({ atMs: 1_002, node: 'n1', outcome: 'refused' })
    expect(outagesOf(story, 9_000)).toEqual([['app', 1_000, 9_000]])
  })

  test('are bounded in number, and the longest ones stay', () => {
    const story = new HistoryBuilder()
    let atMs = 0
    for (let number = 0; number < 300; number++) {
      acknowledge(story, 'n1', atMs, atMs + 1, atMs + 2)
      atMs += 1_000 + number
    }
    const outages = outagesOf(story, atMs)
    expect(outages).toHaveLength(100)
    expect(outages[0]).toEqual(['app', expect.any(Number), expect.any(Number)])
    expect(Number(outages[0]?.[2]) - Number(outages[0]?.[1])).toBe(1_198)
  })
})

describe('stale reads', () => {
  const assigned = (story: HistoryBuilder, atMs: number, value: number, node = 'n1') =>
    story.write({ atMs, node, operation: { kind: 'assign', key: 'r', value } })

  test('give less than was promised before they were sent', () => {
    const story = new HistoryBuilder().reign(0, 'n1', 0)
    assigned(story, 1_000, 1)
    assigned(story, 2_000, 2)
    story.read(1_100, 'n1', 1).read(2_001, 'n1', 1).read(2_100, 'n1', 2)
    expect(factsOf(story).staleReads).toEqual({ fromDeposed: 0, afterLoss: 0 })
    story.read(2_200, 'n1', 1).read(2_300, 'n1', undefined)
    expect(factsOf(story).staleReads).toEqual({ fromDeposed: 0, afterLoss: 2 })
  })

  test('of a deposed master are told from those of the rightful one', () => {
    const story = new HistoryBuilder().reign(0, 'n1', 0).reign(1_500, 'n2', 1)
    assigned(story, 1_000, 1)
    assigned(story, 2_000, 2, 'n2')
    story.read(2_100, 'n1', 1).read(2_200, 'n2', 1)
    expect(factsOf(story).staleReads).toEqual({ fromDeposed: 1, afterLoss: 1 })
  })
})
