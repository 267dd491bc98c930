import { expect, test } from 'vitest'
import { MemoryFacts } from '../../../src/io/node-host.ts'

const USAGE = { heapUsed: 3, external: 4, rss: 50, heapTotal: 9, arrayBuffers: 1 }

test('a process without a file to open for it tells the last it knew of its memory', () => {
  let isFull = false
  const facts = new MemoryFacts(() => {
    if (isFull) throw Object.assign(new Error('no more files'), { code: 'EMFILE' })
    return USAGE
  })
  expect(facts.read()).toEqual({ usedBytes: 7, reservedBytes: 13, residentBytes: 50 })
  isFull = true
  expect(facts.read()).toEqual({ usedBytes: 7, reservedBytes: 13, residentBytes: 50 })
})
