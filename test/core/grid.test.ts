import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GRID_MS, nextRoundMs, slotOf } from '../../src/core/grid.ts'
import { SentinelStage } from '../support/sentinel-stage.ts'

const moments = fc.nat({ max: 10_000_000 })
const intervals = fc.integer({ min: GRID_MS, max: 60_000 })

test('the next round is later than now and within the interval, on the grid', () => {
  fc.assert(
    fc.property(moments, intervals, fc.nat(), (nowMs, intervalMs, slot) => {
      const atMs = nextRoundMs(nowMs, intervalMs, slot)
      expect(atMs).toBeGreaterThan(nowMs)
      expect(atMs).toBeLessThanOrEqual(nowMs + intervalMs)
      expect(atMs % GRID_MS).toBe(0)
    }),
  )
})

test('rounds are a whole period apart, less than one slot shorter than the interval', () => {
  fc.assert(
    fc.property(moments, intervals, fc.nat(), (nowMs, intervalMs, slot) => {
      const firstMs = nextRoundMs(nowMs, intervalMs, slot)
      const gapMs = nextRoundMs(firstMs, intervalMs, slot) - firstMs
      expect(gapMs).toBeLessThanOrEqual(intervalMs)
      expect(gapMs).toBeGreaterThan(intervalMs - GRID_MS)
    }),
  )
})

test('a round that comes late does not move the next one', () => {
  const firstMs = nextRoundMs(1_234, 1_000, 7)
  expect(nextRoundMs(firstMs + 150, 1_000, 7)).toBe(firstMs + 1_000)
})

test('an interval below the width of the grid is exact', () => {
  expect(nextRoundMs(1_234, 30, 7)).toBe(1_264)
})

test('names are spread over the slots of a period', () => {
  const slots = Array.from({ length: 1_000 }, (_, at) => slotOf(`group-${at}`) % 10)
  const counts = Array.from({ length: 10 }, (_, slot) => slots.filter((one) => one === slot).length)
  expect(Math.min(...counts)).toBeGreaterThan(60)
  expect(Math.max(...counts)).toBeLessThan(140)
})

test('a Sentinel whose instances are all well sends what is periodic ten times a second at most', () => {
  const stage = new SentinelStage({ group: { downAfterMs: 5_000 }, replicas: 5 })
  stage.run(30_000)
  stage.forget()
  stage.run(10_000)
  const moments = new Set(
    stage.done.flatMap((one) => (one.kind === 'send' ? [one.atMs % 100] : [])),
  )
  expect(moments.size).toBe(1)
})
