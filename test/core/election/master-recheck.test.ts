import { expect, test } from 'vitest'
import { SentinelStage } from '../../support/sentinel-stage.ts'

/** Cut off from everybody for long enough; the others have not noticed anything, but would vote. */
function cutOff(): SentinelStage {
  const stage = new SentinelStage({ group: { quorum: 1 } })
  stage.run(5_000)
  for (const { name } of stage.cast.values()) {
    stage.part(name).mood = 'gone'
    stage.cut(name)
  }
  stage.until('+odown master')
  stage.run(3_000)
  stage.forget()
  return stage
}

/** The network is there again; connections from before are of no use. */
function heal(stage: SentinelStage, names: readonly string[]): void {
  for (const name of names) stage.revive(name)
}

const OTHERS = ['peer1', 'peer2', 'replica1', 'replica2']

test('votes that come into reach before the master does are not used at once', () => {
  const stage = cutOff()
  heal(stage, OTHERS)
  stage.run(100)
  expect(stage.times('+try-failover')).toEqual([])
  heal(stage, ['master'])
  stage.run(20_000)
  expect(stage.times('+try-failover')).toEqual([])
  expect(stage.times('-sdown master')).toHaveLength(1)
})

test('a master that stays away is replaced half a down-after later at the most', () => {
  const stage = cutOff()
  heal(stage, OTHERS)
  const healedAtMs = stage.ms
  expect(stage.until('+try-failover')).toBeLessThanOrEqual(healedAtMs + 600)
})

test('a master that is dead for sure is replaced at once', () => {
  const stage = cutOff()
  stage.part('master').mood = 'refuses'
  heal(stage, OTHERS)
  stage.until('+slave-reconf-done', 10_000)
  expect(stage.times('+try-failover').length).toBe(1)
})

test('an ordinary failover does not recheck the master', () => {
  const stage = new SentinelStage({ group: { quorum: 1 } })
  stage.run(5_000)
  stage.kill('master')
  const odownAtMs = stage.until('+odown master')
  stage.run(50)
  expect(stage.times('+try-failover')).toEqual([odownAtMs])
})
