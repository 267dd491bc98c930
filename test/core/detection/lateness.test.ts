/** A Sentinel that is late itself does not hold that against a master. */
import { describe, expect, test } from 'vitest'
import { SentinelStage } from '../../support/sentinel-stage.ts'

const SDOWN = '+sdown master g'

/** Masters of the stage are down after a second; this one is silent from now on. */
function silenced(): SentinelStage {
  const stage = new SentinelStage({ group: { detection: 'ping' } })
  stage.run(5_000)
  stage.part('master').mood = 'hangs'
  stage.run(300)
  return stage
}

/** How long it takes, from one and the same moment on, to hold the master down. */
function sdownAfterMs(meanwhile: (stage: SentinelStage) => void): number {
  const stage = silenced()
  const beganMs = stage.ms
  meanwhile(stage)
  if (stage.times(SDOWN).length === 0) stage.until(SDOWN)
  return (stage.times(SDOWN)[0] ?? Number.NaN) - beganMs
}

describe('the time in which the process got no time', () => {
  const punctualMs = sdownAfterMs(() => undefined)

  test.each([100, 400, 650])('does not count: %i ms', (ms) => {
    const lateMs = sdownAfterMs((stage) => stage.stall(ms))
    // The deadline that waited was due a little later than the stall began.
    expect(lateMs).toBeGreaterThan(punctualMs + ms - 110)
    expect(lateMs).toBeLessThanOrEqual(punctualMs + ms)
  })

  test('does not count either when it comes in pieces', () => {
    const lateMs = sdownAfterMs((stage) => {
      for (let piece = 0; piece < 6; piece++) {
        stage.stall(150)
        stage.run(10)
      }
    })
    expect(lateMs).toBeGreaterThan(punctualMs + 300)
  })

  test('counts as long as timers are as late as timers are', () => {
    const lateMs = sdownAfterMs((stage) => {
      for (let piece = 0; piece < 20; piece++) {
        stage.stall(15)
        stage.run(1)
      }
    })
    expect(lateMs).toBeLessThanOrEqual(punctualMs + 15)
  })

  test('is told with the verdict', () => {
    const stage = silenced()
    stage.stall(400)
    stage.until(SDOWN)
    expect(stage.times('+sdown-evidence master g').length).toBe(1)
    expect(stage.log.find(({ text }) => text.includes('+sdown-evidence'))?.text).toMatch(
      /no valid reply for \d+ ms, of which we were late ourselves for [34]\d\d ms/,
    )
  })
})

test('a Sentinel that is late all the time finds a dead master all the same', () => {
  const stage = silenced()
  const beganMs = stage.ms
  // A little less than what is TILT.
  while (stage.times(SDOWN).length === 0 && stage.ms < beganMs + 60_000) stage.stall(1_900)
  const afterMs = stage.ms - beganMs
  expect(afterMs).toBeGreaterThan(4_000)
  expect(afterMs).toBeLessThan(7_500)
})
