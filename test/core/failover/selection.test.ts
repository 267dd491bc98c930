import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Candidate, comparePromotion } from '../../../src/core/failover/selection.ts'

const candidates: fc.Arbitrary<Candidate> = fc.record({
  priority: fc.integer({ min: 1, max: 3 }),
  offset: fc.integer({ min: 0, max: 3 }),
  runId: fc.constantFrom('', 'a1', 'A1', 'b2', 'c3'),
})

test('the order of promotion is total: any two Sentinels sort the same replicas alike', () => {
  fc.assert(
    fc.property(fc.array(candidates, { maxLength: 6 }), (list) => {
      const keys = (items: Candidate[]) =>
        items.map((c) => `${c.priority}/${c.offset}/${c.runId.toLowerCase()}`)
      const forward = keys([...list].sort(comparePromotion))
      const backward = keys([...list].reverse().sort(comparePromotion))
      expect(forward).toEqual(backward)
    }),
  )
})

test('the first of the order is what a naive search finds: priority, then offset, then run id', () => {
  fc.assert(
    fc.property(fc.array(candidates, { minLength: 1, maxLength: 6 }), (list) => {
      const best = [...list].sort(comparePromotion)[0] as Candidate
      const lowest = Math.min(...list.map((c) => c.priority))
      const among = list.filter((c) => c.priority === lowest)
      const most = Math.max(...among.map((c) => c.offset))
      const finalists = among.filter((c) => c.offset === most)
      const named = finalists.map((c) => c.runId.toLowerCase()).filter((id) => id !== '')
      expect(best.priority).toBe(lowest)
      expect(best.offset).toBe(most)
      expect(best.runId.toLowerCase()).toBe(named.sort()[0] ?? '')
    }),
  )
})

test('a replica whose run id is unknown comes after one whose run id is known', () => {
  const known = { priority: 100, offset: 5, runId: 'ff' }
  const unknown = { priority: 100, offset: 5, runId: '' }
  expect([unknown, known].sort(comparePromotion)).toEqual([known, unknown])
})
