import { expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { ProcessClock } from '../../../src/sim/processes/process-clock.ts'

function createClock(): ProcessClock {
  return new ProcessClock({ wallOffsetMs: 50, monoStartMs: 1_000 })
}

test('a drift takes neither clock back nor forth at the moment it begins', () => {
  const clock = createClock()
  const before = clock.momentAt(777)
  clock.drift(3, 777)
  expect(clock.momentAt(777)).toEqual(before)
})

test('both clocks drift alike', () => {
  const clock = createClock()
  const before = clock.momentAt(100)
  clock.drift(1.1, 100)
  const after = clock.momentAt(1_100)
  expect(after.monoMs - before.monoMs).toBe(1_100)
  expect(after.wallMs - before.wallMs).toBe(1_100)
})

test('a clock of rate 1 after a drift keeps what it gained', () => {
  const clock = createClock()
  clock.drift(1.5, 0)
  clock.drift(1, 1_000)
  expect(clock.momentAt(2_000).monoMs).toBe(1_000 + 1_500 + 1_000)
})

test('a jump during a drift moves the wall clock only', () => {
  const clock = createClock()
  clock.drift(0.9, 0)
  const before = clock.momentAt(1_000)
  clock.jump(-5_000)
  const after = clock.momentAt(1_000)
  expect([after.monoMs, after.wallMs]).toEqual([before.monoMs, before.wallMs - 5_000])
})

test('through many drifts time never falls, and each wake-up is at the first moment it is due', () => {
  const clock = createClock()
  const rng = createRng('clock')
  let trueMs = 0
  for (let round = 0; round < 300; round++) {
    clock.drift((1 + rng.below(3_000)) / 1_000, trueMs)
    const startMs = clock.momentAt(trueMs).monoMs
    const wantedMs = startMs + 1 + rng.below(5_000)
    const dueMs = clock.trueMsOf(wantedMs)
    expect(clock.momentAt(dueMs).monoMs).toBeGreaterThanOrEqual(wantedMs)
    expect(clock.momentAt(dueMs - 1).monoMs).toBeLessThan(wantedMs)
    trueMs = Math.min(dueMs, trueMs + 1_000)
    expect(clock.momentAt(trueMs).monoMs).toBeGreaterThanOrEqual(startMs)
  }
})

test('a wake-up that rounding puts a millisecond early comes a millisecond later', () => {
  const clock = createClock()
  clock.drift(0.7, 0)
  // 63 / 0.7 is 90, and 90 * 0.7 is a little less than 63.
  expect(clock.momentAt(90).monoMs).toBe(1_062)
  expect(clock.trueMsOf(1_063)).toBe(91)
})
