/**
 * Bytes that are not what they say. Every test here is about what does not happen: no exception, no
 * memory beyond what the bytes are worth, no answer that is neither the data nor the damage.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { RdbReader } from '../../../src/server/rdb/rdb-reader.ts'
import { emptyTables } from '../../support/key-tables.ts'
import { mutateBytes } from '../../support/mutate-bytes.ts'
import { rdbSamples } from '../../support/rdb-samples.ts'
import { sized } from '../../support/sized.ts'
import { contentsOf } from '../../support/value-contents.ts'

const SAMPLES = rdbSamples()

function outcome(bytes: string, chunkBytes: number): string {
  const reader = new RdbReader(emptyTables(16), 0)
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const progress = reader.push(bytes.slice(at, at + chunkBytes))
    if (progress.kind === 'damaged') return `${progress.offset}: ${progress.text}`
    if (progress.kind !== 'done') continue
    const dbs = progress.contents.dbs.map((entries) =>
      [...entries].map(([key, { value }]) => [key, String(contentsOf(value))]),
    )
    return JSON.stringify(dbs)
  }
  return 'more'
}

test('every sample is sound as it is', () => {
  for (const bytes of SAMPLES) expect(outcome(bytes, bytes.length)[0]).toBe('[')
})

test('damaged bytes give the same answer whole and byte by byte, and never an exception', () => {
  fc.assert(
    fc.property(fc.nat(SAMPLES.length - 1), fc.string({ maxLength: 8 }), (sample, seed) => {
      const bytes = mutateBytes(SAMPLES[sample] as string, createRng(seed))
      expect(outcome(bytes, 1)).toBe(outcome(bytes, bytes.length))
    }),
    { numRuns: sized(1000, 3000) },
  )
})

test('counts beyond all bounds are refused before anything is held for them', () => {
  for (const type of [1, 2, 3, 4, 5, 0x0e, 0x12, 0x13, 0x18]) {
    const start = `REDIS0012${String.fromCharCode(type)}\x01k\x80\xff\xff\xff\xff`
    const reader = new RdbReader(emptyTables(16), 0)
    const before = process.memoryUsage().heapUsed
    reader.push(start)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(1_000_000)
  }
})
