import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StreamTimes, TOO_OLD } from '../../../src/server/replication/history/stream-times.ts'

const SPAN_MS = 3000

test('a byte is never held to be younger than it is, nor much older while anybody may ask', () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 400 }),
    bytes: fc.integer({ min: 1, max: 90 }),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 400 }), (steps) => {
      const times = new StreamTimes()
      const written: [offset: number, atMs: number][] = []
      let [offset, nowMs] = [0, 0]
      for (const { afterMs, bytes } of steps) {
        nowMs += afterMs
        times.note(offset, nowMs, SPAN_MS)
        written.push([offset, nowMs])
        offset += bytes
      }
      for (const [from, atMs] of written) {
        const told = times.writtenAt(from)
        expect(told).toBeLessThanOrEqual(atMs)
        if (nowMs - atMs < SPAN_MS) expect(atMs - told).toBeLessThan(SPAN_MS / 60)
      }
    }),
  )
})

test('what lies before the first mark is too old, also in a history that begins further back', () => {
  const times = new StreamTimes()
  times.note(1000, 5, SPAN_MS)
  expect(times.writtenAt(999)).toBe(TOO_OLD)
  times.note(10, 6, SPAN_MS)
  expect([times.writtenAt(10), times.writtenAt(2000)]).toEqual([6, 6])
})
