import { expect, test } from 'vitest'
import { SentinelStage, type StageSetup } from '../../support/sentinel-stage.ts'

/** Everybody sees the master down, and our own make sits around the table. */
function seeingDown(granted: boolean, setup: StageSetup = {}): SentinelStage {
  const stage = new SentinelStage(setup)
  for (const part of stage.cast.values()) part.seesDown = true
  for (const name of ['peer1', 'peer2']) {
    stage.part(name).counsel = { refused: false, granted, epoch: 0 }
  }
  return stage
}

test('a candidate that would be elected stands as soon as the quorum is there', () => {
  const stage = seeingDown(true)
  stage.kill('master')
  const odownAtMs = stage.until('+odown master')
  stage.run(100)
  expect(stage.times('+try-failover')).toEqual([odownAtMs])
})

test('a candidate that would not be elected burns no epoch, and says why it waits', () => {
  const stage = seeingDown(false)
  stage.kill('master')
  stage.until('+odown master')
  stage.run(5_000)
  expect(stage.times('+try-failover')).toEqual([])
  expect(stage.saved.currentEpoch).toBe(0)
  expect(
    stage.times('no failover of master g 10.0.0.1 6379 yet: only 1 of the 2 votes'),
  ).toHaveLength(1)
})

// Over a network without delay they would have talked for ever (seed 34).
test('peers that would not vote are not asked again at once', () => {
  const stage = seeingDown(false)
  for (const name of ['peer1', 'peer2']) stage.part(name).delayMs = 0
  stage.kill('master')
  stage.until('+odown master')
  stage.forget()
  stage.run(1_000)
  const asked = stage.sentTo('peer1').filter(({ argv }) => argv[1] === 'CONFER')
  expect(asked.length).toBeGreaterThan(10)
  expect(asked.length).toBeLessThanOrEqual(60)
})

test('it stands when the peers have changed their minds', () => {
  const stage = seeingDown(false)
  stage.kill('master')
  stage.until('+odown master')
  stage.run(1_000)
  for (const name of ['peer1', 'peer2']) {
    stage.part(name).counsel = { refused: false, granted: true, epoch: 0 }
  }
  const changedAtMs = stage.ms
  expect(stage.until('+try-failover') - changedAtMs).toBeLessThan(50)
})

// A hundred masters that died at once waited for each other: every election made all promises void.
test('a promise holds for later epochs, which other groups reach meanwhile', () => {
  const stage = seeingDown(true, { me: 'd'.repeat(40) })
  stage.kill('master')
  stage.until('+odown master')
  stage.hello('peer1', { currentEpoch: 7, group: 'g' })
  stage.forget()
  stage.until('+try-failover')
  expect(stage.sentTo('peer2').filter(({ argv }) => argv[1] === 'CONFER')).toEqual([])
  expect(stage.saved.currentEpoch).toBe(8)
})

test('a refusal is about its own epoch: for a later one it is asked again', () => {
  const stage = seeingDown(false)
  stage.kill('master')
  stage.until('+odown master')
  stage.run(2)
  stage.forget()
  stage.hello('peer1', { currentEpoch: 7, group: 'g' })
  stage.run(25)
  const asked = stage.sentTo('peer2').filter(({ argv }) => argv[1] === 'CONFER')
  expect(asked[0]?.argv[4]).toBe('8')
})

test('with a Sentinel of another make in reach it stands without asking', () => {
  const stage = seeingDown(false)
  stage.part('peer2').counsel = undefined
  stage.kill('master')
  stage.until('+try-failover')
})

test('a Sentinel of another make that is out of reach is not waited for', () => {
  const stage = seeingDown(true)
  stage.part('peer2').counsel = undefined
  stage.kill('peer2')
  stage.run(5_000)
  stage.kill('master')
  const odownAtMs = stage.until('+odown master')
  stage.run(100)
  expect(stage.times('+try-failover')).toEqual([odownAtMs])
})

test('an operator who forces a failover needs nobody to agree', () => {
  const stage = seeingDown(false)
  expect(stage.wire(['SENTINEL', 'failover', 'g'])).toBe('+OK\r\n')
})
