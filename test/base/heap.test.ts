import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Heap } from '../../src/base/heap.ts'

test('a heap gives its items in order, also while many of them stop counting', () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 500 })
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 5 }), (values, keepOneIn) => {
      const gone = new Set<number>()
      const heap = new Heap<number>(
        (a, b) => a < b,
        (item) => !gone.has(item),
      )
      for (const value of values) {
        if (value % keepOneIn > 0) gone.add(value)
        heap.push(value)
      }
      const taken: (number | undefined)[] = []
      while (heap.size > 0) taken.push(heap.pop())
      const inOrder = (items: readonly (number | undefined)[]) =>
        [...items].sort((a, b) => Number(a) - Number(b))
      const counting = (item: number | undefined) => !gone.has(Number(item))
      expect(taken).toEqual(inOrder(taken))
      expect(taken.filter(counting)).toEqual(inOrder(values.filter(counting)))
    }),
  )
})

test('items that no longer count do not pile up behind one that does', () => {
  let last = 0
  const heap = new Heap<number>(
    (a, b) => a < b,
    (item) => item === 1 || item === last,
  )
  for (last = 1; last <= 10_000; last++) heap.push(last)
  expect(heap.size).toBeLessThan(200)
  expect(heap.peek()).toBe(1)
})
