import { expect, test } from 'vitest'
import { availabilityOf } from '../../src/report/page/page-tracks.ts'
import { write } from './support.ts'

const steady = (everyMs: number, endMs: number) =>
  Array.from({ length: endMs / everyMs }, (_none, n) => write(n * everyMs, 'n1', 'acknowledged'))

test('acknowledged writes are counted in steps of 100 ms, and others are not', () => {
  const writes = [...steady(10, 1_000), write(50, 'n1', 'refused')]
  expect(availabilityOf(writes, 1_000)).toEqual({ stepMs: 100, counts: Array(10).fill(10) })
})

test('the steps of a slow client are so long that its pace leaves no holes', () => {
  const { stepMs, counts } = availabilityOf(steady(110, 22_000), 22_000)
  expect(stepMs).toBeGreaterThan(100)
  expect(counts).not.toContain(0)
})

test('an outage of a second is seen in whatever steps', () => {
  const writes = steady(500, 60_000).filter(({ attemptedAtMs }) => attemptedAtMs % 10_000 < 8_000)
  expect(availabilityOf(writes, 60_000).counts).toContain(0)
})

test('an hour has no more steps than a page can show', () => {
  const { stepMs, counts } = availabilityOf(steady(100, 3_600_000), 3_600_000)
  expect(counts.length).toBeLessThanOrEqual(1_200)
  expect(counts.length * stepMs).toBeGreaterThanOrEqual(3_600_000)
})
