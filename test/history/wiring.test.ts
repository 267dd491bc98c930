import { expect, test } from 'vitest'
import { LinkConditions } from '../../src/history/wiring.ts'

test('a shape stands for one direction', () => {
  const conditions = new LinkConditions()
  conditions.shape('a', 'b', { loss: 0.5 })
  expect(conditions.of('a', 'b')).toEqual({ loss: 0.5 })
  expect(conditions.of('b', 'a')).toBeUndefined()
})

test('a host that is not named is every host', () => {
  const conditions = new LinkConditions()
  conditions.shape('a', undefined, { latencyMs: 1 })
  conditions.shape(undefined, 'b', { latencyMs: 2 })
  expect(conditions.of('a', 'c')).toEqual({ latencyMs: 1 })
  expect(conditions.of('a', 'b')).toEqual({ latencyMs: 2 })
  expect(conditions.of('c', 'd')).toBeUndefined()
})

test('the last word counts as a whole', () => {
  const conditions = new LinkConditions()
  conditions.shape('a', 'b', { loss: 0.5, latencyMs: 9 })
  conditions.shape(undefined, undefined, { latencyMs: 1 })
  expect(conditions.of('a', 'b')).toEqual({ latencyMs: 1 })
  conditions.shape('a', 'b', {})
  expect(conditions.of('a', 'b')).toEqual({})
})

test('no shape touches what stays within a host', () => {
  const conditions = new LinkConditions()
  conditions.shape(undefined, undefined, { loss: 1 })
  expect(conditions.of('a', 'a')).toBeUndefined()
})
