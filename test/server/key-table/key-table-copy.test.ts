/** The copy of a table of keys: as the original was, and neither of the two notices what becomes of the other. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyTable } from '../../../src/server/key-table/key-table.ts'
import { KEY_HASH } from '../../support/key-tables.ts'
import { propertySeed } from '../../support/property-seed.ts'

const SEED = { seed: propertySeed() }
const KEYS = 3000

interface Steps {
  readonly filled: number
  readonly deleted: number
  readonly step: number
}

const blocks: fc.Arbitrary<Steps> = fc.record({
  filled: fc.nat(KEYS),
  deleted: fc.nat(KEYS),
  step: fc.integer({ min: 1, max: 5 }),
})

function apply(
  { filled, deleted, step }: Steps,
  ...tables: readonly Pick<Map<string, number>, 'set' | 'delete'>[]
) {
  for (const table of tables) {
    for (let at = 0; at < filled; at += step) table.set(`k${at}`, filled + at)
    for (let at = 0; at < deleted; at += step) table.delete(`k${at}`)
  }
}

function check(table: KeyTable<number>, model: ReadonlyMap<string, number>): void {
  expect(table.size).toBe(model.size)
  expect(new Map(table.entries())).toEqual(new Map(model))
  const keys = Array.from({ length: KEYS }, (_, at) => `k${at}`)
  expect(keys.filter((key) => table.get(key) !== model.get(key))).toEqual([])
}

test('has the same keys, and shares nothing', () => {
  fc.assert(
    fc.property(fc.array(blocks, { maxLength: 3 }), blocks, blocks, (before, here, there) => {
      const table = new KeyTable<number>(KEY_HASH)
      const model = new Map<string, number>()
      for (const steps of before) apply(steps, table as never, model)
      const copy = table.copy()
      const copied = new Map(model)
      check(copy, copied)
      apply(here, table as never, model)
      apply(there, copy as never, copied)
      check(table, model)
      check(copy, copied)
    }),
    { ...SEED, numRuns: 40 },
  )
})

test('is as small as its keys need it, if most positions of the original are free', () => {
  const table = new KeyTable<number>(KEY_HASH)
  for (let at = 0; at < 100_000; at++) table.set(`k${at}`, at)
  for (let at = 0; at < 100_000; at++) if (at % 100 > 0) table.delete(`k${at}`)
  const copy = table.copy()
  expect(copy.size).toBe(1000)
  expect(copy.facts().pages).toBeLessThan(5)
  expect(copy.heapBytes).toBeLessThan(table.heapBytes / 10)
})

test('is made far faster than key by key', () => {
  const table = new KeyTable<number>(KEY_HASH)
  for (let at = 0; at < 300_000; at++) table.set(`k${at}`, at)
  const fastest = (make: () => unknown) => {
    const times = Array.from({ length: 4 }, () => {
      const startedAt = performance.now()
      make()
      return performance.now() - startedAt
    })
    return Math.min(...times)
  }
  const oneByOne = () => {
    const copy = table.sibling<number>()
    for (const [key, value] of table) copy.add(key, value)
    return copy
  }
  const copied = fastest(() => table.copy())
  const added = fastest(oneByOne)
  expect(copied).toBeLessThan(added / 2)
})
