/** What may tie the clocks of two Sentinels, and what must not. */
import { expect, test } from 'vitest'
import { commonTime } from '../../src/blackbox/incident/common-time.ts'
import type { SentinelLife } from '../../src/blackbox/incident/life.ts'

type Times = Readonly<Record<string, readonly [sentAtMs: number, answeredAtMs: number]>>

/** Its wall clock shows the monotonic one, so that clocks are tied rightly if nothing is ahead. */
function life(myid: string, asked: Times, heard: Readonly<Record<string, number>>): SentinelLife {
  const questions = Object.entries(asked).map(
    ([question, [sentAtMs, answeredAtMs]]) => [question, { sentAtMs, answeredAtMs }] as const,
  )
  const talk = { asked: new Map(questions), heard: new Map(Object.entries(heard)) }
  return { myid, talk, lastMonoMs: 0, lastWallMs: 0 } as unknown as SentinelLife
}

function ahead(...lives: readonly SentinelLife[]): (number | undefined)[] {
  const ties = commonTime(lives)
  return lives.map((one) => ties.get(one)?.aheadMs)
}

test('an exchange ties two clocks', () => {
  const one = life('a', { q: [1_000, 1_010] }, {})
  const other = life('b', {}, { q: 8_005 })
  expect(ahead(one, other)).toEqual([0, 7_000])
})

test('a question that is heard again after a restart ties nothing to the first answer', () => {
  const asking = life('a', { q: [1_000, 1_010], r: [40_000, 40_010] }, {})
  const before = life('b', {}, { q: 1_005 })
  const after = life('b', {}, { q: 34_000, r: 40_005 })
  expect(ahead(asking, after, before)).toEqual([0, 0, 0])
})

test('what a Sentinel asks again after a restart was not said when it was first heard', () => {
  const before = life('a', { q: [1_000, 1_010] }, {})
  const after = life('a', { q: [34_000, 34_010], r: [40_000, 40_010] }, {})
  const asked = life('b', {}, { q: 1_005, r: 40_005 })
  expect(ahead(asked, after, before)).toEqual([0, 0, 0])
})

test('bounds that exclude each other, for the record of a life before is missing, tie nothing', () => {
  const asking = life('a', { q: [1_000, 1_010] }, { s: 40_005 })
  const after = life('b', { s: [40_000, 40_010] }, { q: 34_000 })
  expect(commonTime([asking, after]).get(after)).toMatchObject({ aheadMs: 0, withinMs: undefined })
})
