import { expect, test } from 'vitest'
import { MemoryFacts } from '../../../src/io/node-host.ts'

test('a process without a file to open for it tells the last it knew of its resident memory', () => {
  let [isFull, nowMs] = [false, 0]
  const ask = () => {
    if (isFull) throw Object.assign(new Error('no more files'), { code: 'EMFILE' })
    return 50
  }
  const facts = new MemoryFacts(ask, () => nowMs)
  expect(facts.read().residentBytes).toBe(50)
  isFull = true
  nowMs = 1_000
  const { usedBytes, reservedBytes, residentBytes } = facts.read()
  expect(residentBytes).toBe(50)
  expect(usedBytes).toBeGreaterThan(1_000_000)
  expect(reservedBytes).toBeGreaterThanOrEqual(usedBytes)
})

test('resident memory is asked for ten times a second at most', () => {
  let [asked, nowMs] = [0, 0]
  const facts = new MemoryFacts(
    () => ++asked,
    () => nowMs,
  )
  for (; nowMs < 1_000; nowMs++) facts.read()
  expect(asked).toBe(10)
})
