import { expect, test } from 'vitest'
import { compare, type Pair } from '../../src/simulate/compare.ts'
import { measured } from './support.ts'

const PAIRS: readonly Pair[] = [
  [
    measured('1', { outageMs: 5_000, failovers: 1 }),
    measured('1', { outageMs: 1_000, failovers: 1 }),
  ],
  [measured('2', { outageMs: 600 }), measured('2', { outageMs: 900, failovers: 1, needless: 1 })],
  [measured('3', { outageMs: 700 }), measured('3', { outageMs: 800 })],
  [measured('4'), measured('4')],
]

test('pairs of one seed are compared, and small differences are none', () => {
  expect(compare(PAIRS).outages).toEqual({
    better: 1,
    worse: 1,
    same: 2,
    best: { seed: '1', from: 5_000, to: 1_000 },
    worst: { seed: '2', from: 600, to: 900 },
  })
})

test('outages are compared over the histories in which either had one', () => {
  const row = compare(PAIRS).rows.find(({ measure }) => measure === 'outage')
  expect(row).toMatchObject({ of: 'median', values: [700, 900] })
})

test('needless failovers are told beside all of them', () => {
  const { rows } = compare(PAIRS)
  expect(rows.find(({ measure }) => measure === 'failovers')?.values).toEqual([1, 2])
  expect(rows.find(({ of }) => of === 'needless')?.values).toEqual([0, 1])
})

test('a history that lost nobody knows what is not one that lost nothing', () => {
  const pairs: readonly Pair[] = [[measured('1'), measured('1', { lost: undefined })]]
  expect(compare(pairs).rows.find(({ of }) => of === 'unknown')?.values).toEqual([0, 1])
})
