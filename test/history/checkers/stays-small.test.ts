import { expect, test } from 'vitest'
import { sizesOf } from '../../../src/base/sizes.ts'
import { staysSmall } from '../../../src/history/checkers/stays-small.ts'

/** Measures of one process, one after the other; returns what the checker says of each. */
function told(sizes: readonly number[]): (string | undefined)[] {
  const checker = staysSmall()
  return sizes.map((size, index) =>
    checker.observe({
      ...{ kind: 'sizes', atMs: index, process: 's1' },
      sizes: { 'groups.*.peers': size },
    }),
  )
}

test('what grows from day to day is noticed once it is far beyond its beginning', () => {
  const growing = Array.from({ length: 30 }, (_, day) => 10 + 5 * day)
  expect(told(growing).find((text) => text !== undefined)).toMatch(
    /^s1 has grown: groups\.\*\.peers from 20 to \d+$/,
  )
})

test('what goes up and down is not, nor is one large measure', () => {
  expect(told([10, 12, 9, 30, 11, 25, 10]).every((text) => text === undefined)).toBe(true)
  expect(told([10, 12, 9, 900, 11, 10, 800, 9]).every((text) => text === undefined)).toBe(true)
})

test('what appears only later counts from nothing', () => {
  const checker = staysSmall()
  const measure = (sizes: Record<string, number>): string | undefined =>
    checker.observe({ kind: 'sizes', atMs: 0, process: 'n1', sizes })
  for (const sizes of [{}, {}, {}, { timers: 20 }, { timers: 40 }]) {
    expect(measure(sizes)).toBeUndefined()
  }
  expect(measure({ timers: 60 })).toBe('n1 has grown: timers from 0 to 60')
})

test('sizes are counted by where a machine holds what it holds', () => {
  const shared = { names: new Set(['a', 'b']) }
  const sizes = sizesOf({
    peers: new Map([
      ['x', { asked: [1, 2] }],
      ['y', { asked: [3] }],
    ]),
    shared,
    again: shared,
  })
  expect(sizes).toEqual({ peers: 2, 'peers.*.asked': 3, 'shared.names': 2 })
})
